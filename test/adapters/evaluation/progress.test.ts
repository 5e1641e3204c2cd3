import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FinishedTicket, openProgress } from '../../../src/adapters/evaluation/progress.ts';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'progress-'));
  path = join(folder, 'progress.jsonl');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const decider = { playbook: 'abc', model: 'fake-model' };

function finished(message: string, predicted = 'refund'): FinishedTicket {
  return {
    judged: {
      ticket: { message, expectedIntent: 'refund' },
      predicted,
      confidence: 0.9,
      tools: ['refund_policy'],
      escalated: true,
      reasons: ['low_confidence'],
      disposition: 'escalated',
      concerns: ['legal'],
      dependsOnThreshold: true,
      failed: false,
      latencyMs: 12.5,
      evidence: [
        { stage: 'classifier', summary: 'It is.', words: { refund: ['money back'] } },
        { stage: 'planner', summary: 'None.', model: { intent: 'refund', sure: 'likely' } },
      ],
    },
    usage: {
      calls: [
        { purpose: 'classifier', input: 11, cachedInput: 4, output: 7, durationMs: 3.5, failure: 'timeout' },
      ],
      fallbacks: ['classifier: timeout'],
      embeddingFallbacks: [],
      missing: 0,
    },
  };
}

/** Writes these tickets to the file. */
async function write(...tickets: readonly FinishedTicket[]): Promise<void> {
  const progress = await openProgress(path);
  await Promise.all(tickets.map((one, index) => progress.add(one, index, decider)));
  await progress.close();
}

/** The part of a message that is taken. */
async function taken(message: string, index = 0, by: object = decider) {
  const progress = await openProgress(path);
  try {
    return progress.take(finished(message).judged.ticket, index, by);
  } finally {
    await progress.close();
  }
}

describe('the file of finished tickets', () => {
  test('gives back each ticket with all that was decided and used', async () => {
    await write(finished('one'), finished('two', 'spam'));
    expect(await taken('one')).toEqual(finished('one'));
    expect(await taken('two', 1)).toEqual(finished('two', 'spam'));
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { index: 0, key: expect.stringMatching(/^[0-9a-f]{64}$/), result: { predicted: 'refund' } },
      { index: 1, key: expect.stringMatching(/^[0-9a-f]{64}$/), result: { predicted: 'spam' } },
    ]);
  });

  test('finds a ticket at another place, but none that expects or is decided otherwise', async () => {
    await write(finished('one'));
    expect(await taken('one', 7)).toEqual(finished('one'));
    expect(await taken('one', 0, { ...decider, model: 'other' })).toBeUndefined();
    expect(await taken('one', 0, { ...decider, playbook: 'def' })).toBeUndefined();
    const progress = await openProgress(path);
    expect(progress.take({ message: 'one', expectedIntent: 'spam' }, 0, decider)).toBeUndefined();
    await progress.close();
  });

  test('gives equal tickets one result each, that of their place first', async () => {
    await write(finished('same', 'first'), finished('same', 'second'));
    const progress = await openProgress(path);
    const { ticket } = finished('same').judged;
    expect(progress.take(ticket, 1, decider)?.judged.predicted).toBe('second');
    expect(progress.take(ticket, 5, decider)?.judged.predicted).toBe('first');
    expect(progress.take(ticket, 0, decider)).toBeUndefined();
    await progress.close();
  });

  test('loses a torn last line, and goes on after the one before', async () => {
    await write(finished('one'), finished('two'));
    const whole = await readFile(path, 'utf8');
    for (const torn of [whole.slice(0, -1), whole.slice(0, -100), whole.slice(0, whole.indexOf('\n') + 4)]) {
      await writeFile(path, torn);
      expect(await taken('one')).toEqual(finished('one'));
      expect(await taken('two', 1)).toBeUndefined();
      await write(finished('three'));
      expect(await taken('three')).toEqual(finished('three'));
    }
  });

  test.each([
    ['[{"message": "I want a refund"}]', 'the last line'],
    ['[\n  {"message": "I want a refund"}\n]\n', 'line 1'],
    ['{"index": 0, "key": "a", "result": {}}\n', 'line 1'],
  ])('is refused and stays as it is where it has something else: %j', async (text, place) => {
    await writeFile(path, text);
    await expect(openProgress(path)).rejects.toThrow(
      `--resume must name a new file or one of an evaluation: ${path}, ${place} is no ticket`,
    );
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});
