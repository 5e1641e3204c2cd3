import { hash } from 'node:crypto';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { JudgedTicket, Ticket } from '../../domain/evaluation/tickets.ts';
import { concerns, dispositions } from '../../domain/message/message.ts';
import { surenesses } from '../../domain/playbook/playbook.ts';
import { canonicalJson } from '../../lib/json/canonical.ts';
import { modelFailures } from '../../ports/language-model.ts';
import type { TicketUsage } from './model-usage.ts';

/** The beginning of a line, so that a torn last line of another file is not taken for one of ours. */
const LINE_START = '{"index":';

const count = z.int().nonnegative();

const usageSchema = z.object({
  calls: z.array(
    z.object({
      purpose: z.string(),
      input: count,
      cachedInput: count,
      output: count,
      durationMs: z.number(),
      failure: z.enum(modelFailures).nullable(),
    }),
  ),
  fallbacks: z.array(z.string()),
  embeddingFallbacks: z.array(z.string()),
  missing: count,
});

const judgedSchema = z.object({
  predicted: z.string(),
  confidence: z.number(),
  tools: z.array(z.string()),
  escalated: z.boolean(),
  reasons: z.array(z.string()),
  disposition: z.enum(dispositions),
  concerns: z.array(z.enum(concerns)),
  dependsOnThreshold: z.boolean(),
  failed: z.boolean(),
  latencyMs: z.number(),
  evidence: z.array(
    z.object({
      stage: z.string(),
      summary: z.string(),
      words: z.record(z.string(), z.array(z.string())).exactOptional(),
      model: z.object({ intent: z.string().nullable(), sure: z.enum(surenesses) }).exactOptional(),
    }),
  ),
});

const lineSchema = z.object({
  index: count,
  key: z.string(),
  result: judgedSchema.extend({ usage: usageSchema }),
});

type Line = z.output<typeof lineSchema>;

/** A finished ticket, and what its evaluation used. */
export interface FinishedTicket {
  readonly judged: JudgedTicket;
  readonly usage: TicketUsage;
}

/** The tickets that are finished, in a file with one on each line. */
export interface Progress {
  /**
   * Takes a ticket that the same decider has finished before, each time another one; undefined where there is none.
   */
  take(ticket: Ticket, index: number, decider: object): FinishedTicket | undefined;
  /** Appends a finished ticket. Rejects where the file cannot be written. */
  add(finished: FinishedTicket, index: number, decider: object): Promise<void>;
  /** Closes the file. */
  close(): Promise<void>;
}

/**
 * Opens a file of finished tickets, or creates it. A torn last line is removed. Rejects with an error in one line for
 * a file that has something else, which is not changed.
 */
export async function openProgress(path: string): Promise<Progress> {
  const file = await open(path, 'a+');
  try {
    return createProgress(file, await readLines(file, path));
  } catch (error) {
    await file.close();
    throw error;
  }
}

function createProgress(file: FileHandle, lines: readonly Line[]): Progress {
  const byKey = Map.groupBy(lines, ({ key }) => key);
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(ticket, index, decider) {
      const kept = byKey.get(keyOf(ticket, decider)) ?? [];
      const same = kept.findIndex((line) => line.index === index);
      const [line] = kept.splice(Math.max(0, same), 1);
      if (line === undefined) return undefined;
      const { usage, ...judged } = line.result;
      return { judged: { ticket, ...judged }, usage };
    },
    add({ judged: { ticket, ...judged }, usage }, index, decider) {
      const line = { index, key: keyOf(ticket, decider), result: { ...judged, usage } };
      const written = last.then(() => file.appendFile(`${JSON.stringify(line)}\n`));
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}

/** A hash of a ticket and of all that decides about it. */
function keyOf(ticket: Ticket, decider: object): string {
  return hash('sha256', canonicalJson({ ticket, decider }), 'hex');
}

/** The complete lines of a file, whose torn last line is removed from it. */
async function readLines(file: FileHandle, path: string): Promise<readonly Line[]> {
  const text = await readFile(file, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  const torn = text.slice(end);
  if (!torn.startsWith(LINE_START) && !LINE_START.startsWith(torn)) throw notOurs(path, 'the last line');
  const lines = text
    .slice(0, end)
    .split('\n')
    .slice(0, -1)
    .map((line, at) => {
      const parsed = parseLine(line);
      if (parsed === undefined) throw notOurs(path, `line ${at + 1}`);
      return parsed;
    });
  if (torn !== '') await file.truncate(Buffer.byteLength(text.slice(0, end)));
  return lines;
}

function parseLine(line: string): Line | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function notOurs(path: string, place: string): Error {
  return new Error(`--resume must name a new file or one of an evaluation: ${path}, ${place} is no ticket`);
}
