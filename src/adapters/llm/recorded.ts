import { hash } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { canonicalJson } from '../../lib/json/canonical.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type Generation,
  type GenerationRequest,
  type LanguageModel,
  modelFailures,
} from '../../ports/language-model.ts';
import { saveFile } from '../shared/save-file.ts';

/** The file of a folder with the time at which its first reply was recorded. */
const TIME_FILE = 'recording.json';

const replyFile = /^([0-9a-f]{64})-(\d{1,9})\.json$/;

const count = z.int().nonnegative();

/** The members that both kinds of outcomes have. Members of tokens that are not known here are left out. */
const spent = {
  tokens: z.object({ input: count, cachedInput: count.default(0), output: count }),
  duration_ms: z.number().nonnegative(),
};

/** A file: the reply of the model, or why there was none. */
const recordedSchema = z.union([
  z.object({ value: z.unknown(), failure: z.undefined().optional(), ...spent }),
  z.object({ failure: z.enum(modelFailures), ...spent }),
]);

type Recorded = z.output<typeof recordedSchema>;

const timeSchema = z.object({ recorded_at: z.iso.datetime() });

/** Options of {@link recordReplies}. */
export interface RecordOptions {
  /** True: replies that the folder has are kept, so that a recording goes on; else they are replaced. */
  readonly keep?: boolean;
  /** Called when a reply could not be written. The reply itself is returned as it is. */
  readonly onFault?: (error: unknown) => void;
}

/**
 * A model whose outcomes are kept in a folder, which is created where it is absent. Each file is named by a hash of
 * the question, that is its purpose, instructions, data and schema, and by the number of the question among equal
 * ones. No file has the question, the key or the address of the provider. Interrupted calls are not kept.
 */
export function recordReplies(
  model: LanguageModel,
  dir: string,
  { keep = false, onFault = () => undefined }: RecordOptions = {},
): LanguageModel {
  mkdirSync(dir, { recursive: true });
  const taken = new Set(keep ? readdirSync(dir).filter((name) => replyFile.test(name)) : []);
  return async (request) => {
    const question = hashOf(request);
    let number = 1;
    while (taken.has(nameOf(question, number))) number += 1;
    const name = nameOf(question, number);
    taken.add(name);
    const startedAt = performance.now();
    const generation = await model(request);
    if (generation.status === 'error' && generation.reason === 'interrupted') {
      taken.delete(name);
      return generation;
    }
    const text = textOf(request.purpose, generation, performance.now() - startedAt);
    await saveFile(join(dir, name), text).catch(onFault);
    return generation;
  };
}

/** Receives what a replay found. No member throws. */
export interface ReplayObserver {
  /** Called for a question that is not recorded, or whose file is damaged. */
  missing(): void;
  /** Called with the milliseconds that the recorded call took. `request` is the object that the model was given. */
  replayed(request: object, durationMs: number): void;
}

/**
 * A model that replies what {@link recordReplies} has kept, and connects to nothing. The outcome of a question that is
 * not recorded is an error with the reason `not_found`; that of a value which the schema of the request does not
 * accept, one with `bad_reply`.
 */
export function replayReplies(dir: string, observer?: ReplayObserver): LanguageModel {
  const asked = new Map<string, number>();
  return async (request) => {
    const question = hashOf(request);
    const number = (asked.get(question) ?? 0) + 1;
    asked.set(question, number);
    const recorded = await read(join(dir, nameOf(question, number)));
    if (recorded === undefined) {
      observer?.missing();
      return {
        status: 'error',
        reason: 'not_found',
        calls: 0,
        tokens: { input: 0, cachedInput: 0, output: 0 },
      };
    }
    observer?.replayed(request, recorded.duration_ms);
    const used = { tokens: recorded.tokens, calls: 1 };
    if (recorded.failure !== undefined) return { status: 'error', reason: recorded.failure, ...used };
    const parsed = request.schema.safeParse(recorded.value);
    return parsed.success
      ? { status: 'success', value: parsed.data, ...used }
      : { status: 'error', reason: 'bad_reply', ...used };
  };
}

/**
 * A clock for a recording and its replays: its wall-clock time stands still at the time of the first recording into
 * the folder, so that questions with a date or a time are the same again. With `begin`, the folder and its time are
 * created where they are absent; a folder without a time has that of now.
 */
export async function recordingClock(dir: string, clock: Clock, begin: boolean): Promise<Clock> {
  const path = join(dir, TIME_FILE);
  if (begin) await mkdir(dir, { recursive: true });
  const found = timeSchema.safeParse(await readJson(path));
  const at = found.success ? Date.parse(found.data.recorded_at) : clock.now();
  if (begin && !found.success) {
    await saveFile(path, `${JSON.stringify({ recorded_at: new Date(at).toISOString() })}\n`);
  }
  return { ...clock, now: () => at };
}

function hashOf({ purpose, instructions, data, schema }: GenerationRequest<unknown>): string {
  return hash('sha256', canonicalJson({ purpose, instructions, data, schema: schema.toJSONSchema() }), 'hex');
}

function nameOf(question: string, number: number): string {
  return `${question}-${number}.json`;
}

function textOf(purpose: string, generation: Generation<unknown>, durationMs: number): string {
  const outcome =
    generation.status === 'success' ? { value: generation.value } : { failure: generation.reason };
  const { tokens } = generation;
  const recorded = { purpose, ...outcome, tokens, duration_ms: Math.round(durationMs) };
  return `${JSON.stringify(recorded, null, 2)}\n`;
}

async function read(path: string): Promise<Recorded | undefined> {
  return recordedSchema.safeParse(await readJson(path)).data;
}

/** The JSON of a file; undefined where there is none, or where it is no JSON. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}
