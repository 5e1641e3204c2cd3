import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { recordingClock, recordReplies, replayReplies } from '../../../src/adapters/llm/recorded.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { GenerationRequest, LanguageModel, ModelFailure } from '../../../src/ports/language-model.ts';

const schema = z.strictObject({ intent: z.string() });

type Reply = z.output<typeof schema>;

let dir = '';

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'recorded-'));
});

afterEach(() => rm(dir, { recursive: true, force: true }));

function question(data: JsonObject, more: Partial<GenerationRequest<Reply>> = {}): GenerationRequest<Reply> {
  const instructions = 'Say what canary-of-the-instructions wants.';
  return { purpose: 'classifier', instructions, data, schema, signal: AbortSignal.timeout(5_000), ...more };
}

/** The use of each call. */
const used = { calls: 1, tokens: { input: 11, cachedInput: 5, output: 7 } };

/** A model that replies with the intents, or fails for the reasons, in turn. */
function modelOf(...replies: readonly (string | { readonly reason: ModelFailure })[]): LanguageModel {
  const left = replies.values();
  return async (request) => {
    const reply = left.next().value ?? 'no more replies';
    if (typeof reply !== 'string') return { status: 'error', reason: reply.reason, ...used };
    const parsed = request.schema.safeParse({ intent: reply });
    return parsed.success
      ? { status: 'success', value: parsed.data, ...used }
      : { status: 'error', reason: 'bad_reply', ...used };
  };
}

/** An observer that keeps what it was told. */
function observe() {
  const seen = { missing: 0, durations: [] as number[] };
  const observer = {
    missing() {
      seen.missing += 1;
    },
    replayed: (_: object, durationMs: number) => void seen.durations.push(durationMs),
  };
  return { seen, observer };
}

const success = (intent: string) => ({ status: 'success', value: { intent }, ...used });

describe('a recording', () => {
  test('is replayed with values, failures and tokens, whatever the order of members', async () => {
    const recorded = recordReplies(modelOf('refund', { reason: 'timeout' }), dir);
    const one = await recorded(question({ message: 'a', subject: 'b' }));
    const other = await recorded(question({ message: 'c' }));
    expect([one, other]).toEqual([success('refund'), { status: 'error', reason: 'timeout', ...used }]);
    const { seen, observer } = observe();
    const replayed = replayReplies(dir, observer);
    expect(await replayed(question({ message: 'c' }))).toEqual(other);
    expect(await replayed(question({ subject: 'b', message: 'a' }))).toEqual(one);
    expect(seen).toEqual({ missing: 0, durations: [expect.any(Number), expect.any(Number)] });
  });

  test('has a file for each question, named by its hash and number, without the question', async () => {
    const recorded = recordReplies(modelOf('refund', 'spam'), dir);
    await recorded(question({ message: 'canary-of-the-customer' }));
    await recorded(question({ message: 'canary-of-the-customer' }));
    const names = (await readdir(dir)).sort();
    expect(names).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}-1\.json$/),
      expect.stringMatching(/^[0-9a-f]{64}-2\.json$/),
    ]);
    expect(names[0]?.slice(0, 64)).toBe(names[1]?.slice(0, 64));
    const text = await readFile(join(dir, names[0] ?? ''), 'utf8');
    expect(JSON.parse(text)).toEqual({
      purpose: 'classifier',
      value: { intent: 'refund' },
      tokens: used.tokens,
      duration_ms: expect.any(Number),
    });
    expect(text).not.toContain('canary');
  });

  test('tells questions apart by purpose, instructions, data and schema', async () => {
    const recorded = recordReplies(modelOf('1', '2', '3', '4', '5'), dir);
    const questions = [
      question({ message: 'a' }),
      question({ message: 'b' }),
      question({ message: 'a' }, { purpose: 'planner' }),
      question({ message: 'a' }, { instructions: 'Others.' }),
      question({ message: 'a' }, { schema: z.strictObject({ intent: z.string(), other: z.string() }) }),
    ];
    for (const one of questions) await recorded(one);
    expect(new Set((await readdir(dir)).map((name) => name.slice(0, 64))).size).toBe(5);
  });

  test('gives equal questions their replies in turn, and then no more', async () => {
    const recorded = recordReplies(modelOf('first', 'second'), dir);
    await recorded(question({}));
    await recorded(question({}));
    const { seen, observer } = observe();
    const replayed = replayReplies(dir, observer);
    expect(await replayed(question({}))).toEqual(success('first'));
    expect(await replayed(question({}))).toEqual(success('second'));
    expect(await replayed(question({}))).toEqual({
      status: 'error',
      reason: 'not_found',
      calls: 0,
      tokens: { input: 0, cachedInput: 0, output: 0 },
    });
    expect(seen.missing).toBe(1);
  });

  test('is replaced by another one, and continued where it is kept', async () => {
    await recordReplies(modelOf('old'), dir)(question({}));
    await recordReplies(modelOf('new'), dir)(question({}));
    await recordReplies(modelOf('further'), dir, { keep: true })(question({}));
    const replayed = replayReplies(dir);
    expect(await replayed(question({}))).toEqual(success('new'));
    expect(await replayed(question({}))).toEqual(success('further'));
  });

  test('leaves out interrupted calls, whose number is given again', async () => {
    const recorded = recordReplies(modelOf({ reason: 'interrupted' }, 'refund'), dir);
    await recorded(question({}));
    expect(await readdir(dir)).toEqual([]);
    await recorded(question({}));
    expect(await replayReplies(dir)(question({}))).toEqual(success('refund'));
  });

  test('tells of a reply that it could not keep, and returns it', async () => {
    const faults: unknown[] = [];
    const recorded = recordReplies(modelOf('refund'), dir, { onFault: (error) => faults.push(error) });
    await rm(dir, { recursive: true });
    expect(await recorded(question({}))).toEqual(success('refund'));
    expect(faults).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
  });

  test('is checked by the schema of the request when it is replayed', async () => {
    await recordReplies(modelOf('refund'), dir)(question({}));
    const [name = ''] = await readdir(dir);
    const path = join(dir, name);
    await writeFile(path, (await readFile(path, 'utf8')).replace('"intent"', '"other"'));
    expect(await replayReplies(dir)(question({}))).toMatchObject({ status: 'error', reason: 'bad_reply' });
  });

  test('of a time when cached tokens were not counted has none', async () => {
    await recordReplies(modelOf('refund'), dir)(question({}));
    const [name = ''] = await readdir(dir);
    const path = join(dir, name);
    const { tokens: _, ...older } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...older, tokens: { input: 11, output: 7 } }));
    const { tokens } = await replayReplies(dir)(question({}));
    expect(tokens).toEqual({ input: 11, cachedInput: 0, output: 7 });
  });

  test.each(['{"purpose": "cla', '{}', '{"failure": "bored", "tokens": {"input": 1, "output": 1}}'])(
    'counts a damaged file as a missing reply: %s',
    async (text) => {
      await recordReplies(modelOf('refund'), dir)(question({}));
      const [name = ''] = await readdir(dir);
      await writeFile(join(dir, name), text);
      const { seen, observer } = observe();
      expect(await replayReplies(dir, observer)(question({}))).toMatchObject({ reason: 'not_found' });
      expect(seen).toEqual({ missing: 1, durations: [] });
    },
  );
});

describe('the clock of a recording', () => {
  test('stands still at the time of the first recording, in each that follows and in replays', async () => {
    const at = Date.parse('2026-03-04T05:06:07.008Z');
    const first = await recordingClock(join(dir, 'new'), { ...systemClock, now: () => at }, true);
    const later = { ...systemClock, now: () => at + 60_000 };
    const second = await recordingClock(join(dir, 'new'), later, true);
    const replay = await recordingClock(join(dir, 'new'), later, false);
    expect([first.now(), second.now(), replay.now()]).toEqual([at, at, at]);
    expect(replay.monotonic()).toBeGreaterThan(0);
  });

  test('stands still at the present where a folder tells no time, and a replay writes nothing', async () => {
    const clock = await recordingClock(dir, { ...systemClock, now: () => 5 }, false);
    expect(clock.now()).toBe(5);
    expect(await readdir(dir)).toEqual([]);
  });
});
