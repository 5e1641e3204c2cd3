import { describe, expect, test } from 'vitest';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { heldBytes } from '../../support/heap.ts';
import { memoryRunLog } from '../../support/memory.ts';
import {
  append,
  ended,
  endOf,
  newEndedRun,
  newRun,
  numbered,
  running,
  sampleDefinition,
  stepCompleted,
  stepStarted,
} from '../../support/workflow/run-events.ts';

async function idsIn(log: RunLog, workflowId = 'workflow-1'): Promise<string[]> {
  return (await log.list(workflowId, {}, { limit: 200, offset: 0 })).items.map(({ runId }) => runId);
}

async function idsOfAll(log: RunLog): Promise<string[]> {
  return (await log.listAll({}, { limit: 200 })).items.map(({ runId }) => runId);
}

const end = (log: RunLog, runId: string, after = 1) => append(log, runId, after, [endOf()], ended());
const never = new AbortController().signal;

describe('a run log in memory', () => {
  test('evicts the run that ended first, and never an active one', async () => {
    const log = memoryRunLog({ maxRows: 1 });
    for (const id of ['a', 'b', 'c']) await log.create(newRun(id));
    await append(log, 'b', 1, [stepStarted('step-0')], running());
    await end(log, 'c');
    await end(log, 'a');
    await log.create(newRun('d'));
    expect(await idsIn(log)).toEqual(['d', 'b', 'a']);
    await log.create(newEndedRun('e', { workflowId: 'workflow-2' }));
    expect(await idsIn(log)).toEqual(['d', 'b']);
    expect(await idsOfAll(log)).toEqual(['e', 'd', 'b']);
    expect(await log.get('a')).toBeUndefined();
  });

  test('refuses a run that does not fit beside those that have not ended, until one ends', async () => {
    const input = { text: 'x'.repeat(10_000) };
    const log = memoryRunLog({ maxRows: 99, maxBytes: 1_000, unendedRunBytes: 30_000 });
    await log.create(newRun('a', { input }));
    await log.create(newRun('b', { input }));
    await expect(log.create(newRun('c', { input }))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the runs that have not ended take 30000 bytes of memory already',
      retryAfterSeconds: 5,
    });
    // A child run has room, so that its parent can end.
    expect(await log.create(newRun('child', { input, parentRunId: 'a' }))).toBe(true);
    await end(log, 'a');
    await end(log, 'b');
    expect(await log.create(newRun('c', { input }))).toBe(true);
  });

  test('keeps an ended run beside active ones that take more than its limit of bytes', async () => {
    const log = memoryRunLog({ maxRows: 1, maxBytes: 20_000 });
    for (const id of ['a', 'b', 'c']) await log.create(newRun(id, { input: { text: 'x'.repeat(10_000) } }));
    await log.create(newEndedRun('d'));
    expect(await idsIn(log)).toEqual(['d', 'c', 'b', 'a']);
    // As an ended run, it needs the room of the one that ended first.
    await end(log, 'a');
    expect(await idsIn(log)).toEqual(['c', 'b', 'a']);
  });

  test('has room for the events of each child run that it created, and for those of a run that waits', async () => {
    const input = { text: 'x'.repeat(14_000) };
    const log = memoryRunLog({ maxRows: 99, unendedRunBytes: 20_000 });
    await log.create(newRun('a', { input }));
    await log.create(newRun('child', { parentRunId: 'a', input: { text: 'x'.repeat(11_000) } }));
    await expect(log.create(newRun('other', { parentRunId: 'a', input }))).rejects.toThrow('memory already');
    expect(await append(log, 'child', 1, [stepStarted('step-0')], running())).toBe('appended');
    const output = { text: 'x'.repeat(30_000) };
    expect(await append(log, 'child', 2, [stepCompleted('step-0', output)], running())).toBe('appended');
    await expect(append(log, 'a', 1, [stepStarted('step-0')], running())).rejects.toThrow('memory already');
    const waits = { ...running(), status: 'WAITING' as const };
    const waiting = { type: 'execution.waiting' as const, for: ['wait' as const] };
    expect(await append(log, 'a', 1, [waiting], waits)).toBe('appended');
  });

  test('refuses what a run adds once all take twice as much, but never its end', async () => {
    const output = { text: 'x'.repeat(30_000) };
    const log = memoryRunLog({ maxRows: 99, maxBytes: 1_000, unendedRunBytes: 30_000 });
    await log.create(newRun('a'));
    await append(log, 'a', 1, [stepStarted('step-0')], running());
    await append(log, 'a', 2, [stepCompleted('step-0', output)], running());
    await append(log, 'a', 3, [stepCompleted('step-1', output)], running());
    await expect(append(log, 'a', 4, [stepStarted('step-2')], running())).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await end(log, 'a', 4)).toBe('appended');
    expect(await log.create(newRun('b'))).toBe(true);
  });

  test('counts no active run against its limit of ended ones', async () => {
    const log = memoryRunLog({ maxRows: 1 });
    for (const id of ['a', 'b', 'c', 'd']) await log.create(newRun(id));
    await end(log, 'd');
    expect(await idsIn(log)).toEqual(['d', 'c', 'b', 'a']);
    await end(log, 'a');
    expect(await idsIn(log)).toEqual(['c', 'b', 'a']);
    await end(log, 'b');
    expect(await idsIn(log)).toEqual(['c', 'b']);
  });

  test('counts a run that had ended and goes on as active, and its next end as its end', async () => {
    const log = memoryRunLog({ maxRows: 3 });
    for (const id of ['a', 'b', 'c']) await log.create(newEndedRun(id));
    await append(log, 'a', 2, [stepStarted('step-0')], running(2));
    await log.create(newEndedRun('d'));
    expect(await idsIn(log)).toEqual(['d', 'c', 'b', 'a']);
    await end(log, 'a', 3);
    expect(await idsIn(log)).toEqual(['d', 'c', 'a']);
    await log.create(newEndedRun('e'));
    await log.create(newEndedRun('f'));
    expect(await idsIn(log)).toEqual(['f', 'e', 'a']);
  });

  test('keeps ended runs up to its limit of bytes', async () => {
    const log = memoryRunLog({ maxRows: 100, maxBytes: 1_048_576 });
    for (const id of ['a', 'b', 'c', 'd']) {
      await log.create(newRun(id));
      const output = { text: 'x'.repeat(300_000) };
      await append(log, id, 1, [stepCompleted('step-0', output), endOf()], ended());
    }
    expect(await idsIn(log)).toEqual(['d', 'c', 'b']);
  });

  test('counts inputs, and each version of a definition once', async () => {
    const description = 'x'.repeat(300_000);
    const version = (number: number) => ({ ...sampleDefinition(), version: number, description });
    const log = memoryRunLog({ maxRows: 100, maxBytes: 1_048_576 });
    for (const id of ['a', 'b', 'c']) await log.create(newRun(id, ended(), version(1)));
    for (const id of ['d', 'e']) await log.create(newRun(id, ended(), version(2)));
    expect(await idsIn(log)).toEqual(['e', 'd', 'c', 'b', 'a']);
    await log.create(newEndedRun('f', { input: { text: 'x'.repeat(600_000) } }));
    expect(await idsIn(log)).toEqual(['f', 'e', 'd']);
    await log.create(newRun('g', ended(), version(3)));
    expect(await idsIn(log)).toEqual(['g', 'f']);
  });

  test('gives back the bytes of what it has evicted or deleted', async () => {
    const log = memoryRunLog({ maxRows: 100, maxBytes: 1_048_576 });
    await log.create(newEndedRun('first'));
    for (let number = 0; number < 20; number++) {
      const id = `run-${number}`;
      await log.create(newRun(id, { version: number, input: { text: 'x'.repeat(100_000) } }));
      await append(log, id, 1, [stepCompleted('step-0', { text: 'x'.repeat(500_000) }), endOf()], ended());
      expect(await log.delete(id)).toBe(true);
    }
    expect(await idsIn(log)).toEqual(['first']);
  });

  test('forgets a workflow with the last of its runs', async () => {
    const log = memoryRunLog({ maxRows: 1 });
    for (const id of ['a', 'b']) await log.create(newEndedRun(id, { workflowId: `workflow-${id}` }));
    expect(await idsIn(log, 'workflow-a')).toEqual([]);
    expect(await idsIn(log, 'workflow-b')).toEqual(['b']);
    const before = heldBytes();
    for (let number = 0; number < 5_000; number++) {
      await log.create(newEndedRun(`${number}`, { workflowId: `workflow-${number}` }));
    }
    expect(heldBytes() - before).toBeLessThan(2_000_000);
    expect(await idsIn(log, 'workflow-4999')).toEqual(['4999']);
  });

  test('evicts no run that waits, and no ended child whose parent does not know yet', async () => {
    const log = memoryRunLog({ maxRows: 1 });
    const waits = { ...running(), status: 'WAITING' as const, wakeAt: 5 };
    for (const id of ['a', 'b']) {
      await log.create(newRun(id));
      await append(log, id, 1, [{ type: 'execution.waiting', for: ['wait'] }], waits);
    }
    for (const id of ['c', 'd', 'e']) await log.create(newEndedRun(id, { wakeAt: 4 }));
    expect(await idsOfAll(log)).toEqual(['e', 'd', 'c', 'b', 'a']);
    for (const id of ['d', 'c', 'c']) await log.clearWake(id);
    expect(await idsOfAll(log)).toEqual(['e', 'c', 'b', 'a']);
    expect((await log.due(10, 10)).map(({ runId }) => runId)).toEqual(['e', 'a', 'b']);
    await log.clearWake('e');
    expect(await idsOfAll(log)).toEqual(['e', 'b', 'a']);
    await log.create(newEndedRun('f'));
    expect(await idsOfAll(log)).toEqual(['f', 'b', 'a']);
  });

  test('forgets waiters that were woken or have stopped', async () => {
    const log = memoryRunLog({ maxRows: 10 });
    await log.create(newRun('a'));
    const round = async (after: number) => {
      const stop = new AbortController();
      const waiting = Array.from({ length: 100 }, (_, index) =>
        log.changed('a', after, index % 2 === 0 ? never : stop.signal),
      );
      stop.abort();
      await append(log, 'a', after, [stepStarted('step-0')], running());
      await Promise.all(waiting);
    };
    await round(1);
    const before = heldBytes();
    for (let after = 2; after < 200; after++) await round(after);
    expect(heldBytes() - before).toBeLessThan(1_000_000);
  });

  test('pages on by cursor after runs were evicted', async () => {
    const log = memoryRunLog({ maxRows: 0 });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await log.create(newRun(id));
    const { items, nextCursor } = await log.listAll({}, { limit: 2 });
    expect(items.map(({ runId }) => runId)).toEqual(['f', 'e']);
    for (const id of ['e', 'd']) await end(log, id);
    for (const id of ['g', 'h']) await log.create(newRun(id));
    const rest = await log.listAll({}, { limit: 2, cursor: nextCursor ?? expect.fail() });
    expect(rest.items.map(({ runId }) => runId)).toEqual(['c', 'b']);
    const last = await log.listAll({}, { limit: 1, cursor: rest.nextCursor ?? expect.fail() });
    expect(last).toMatchObject({ items: [{ runId: 'a' }], nextCursor: null });
  });

  test('writes nothing of an append that JSON cannot express', async () => {
    const log = memoryRunLog({ maxRows: 10 });
    await log.create(newRun('a'));
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const wrong = { ...stepCompleted('step-1'), output: cyclic };
    await expect(
      // @ts-expect-error: the output is not JSON.
      append(log, 'a', 1, [stepCompleted('step-0'), wrong, endOf()], ended()),
    ).rejects.toThrow(TypeError);
    expect(await log.summary('a')).toMatchObject({ status: 'PENDING' });
    await end(log, 'a');
    expect((await log.get('a'))?.events.map(({ type }) => type)).toEqual([
      'execution.created',
      'execution.completed',
    ]);
  });

  test('reads on where a long append was refused', async () => {
    const log = memoryRunLog({ maxRows: 10 });
    await log.create(newRun('a'));
    const steps = (count: number) => Array.from({ length: count }, (_, index) => stepStarted(`${index}`));
    await append(log, 'a', 1, steps(100), running());
    const wrong = { ...stepCompleted('step-1'), output: 1n };
    await expect(
      // @ts-expect-error: the output is not JSON.
      append(log, 'a', 101, [...steps(100), wrong], running()),
    ).rejects.toThrow(TypeError);
    await append(log, 'a', 101, [stepCompleted('x'), ...steps(100)], running());
    const expected = numbered(102, [stepCompleted('x'), ...steps(100)]);
    expect((await log.read('a', 101, 200))?.events).toEqual(expected);
    expect((await log.read('a', 193, 200))?.events).toEqual(expected.slice(92));
  });

  test('tells the listener of a signal before `signal` resolves', async () => {
    const log = memoryRunLog({ maxRows: 10 });
    const told: string[] = [];
    log.listen({
      onSignal: (runId) => told.push(runId),
      onAbandoned: () => Promise.resolve(),
      onLost: () => undefined,
    });
    await log.create(newRun('a'));
    await log.signal('a', { type: 'cancel', by: 'api', reason: null });
    expect(told).toEqual(['a']);
  });
});
