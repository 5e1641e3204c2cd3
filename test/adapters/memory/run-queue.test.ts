import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryRunQueue } from '../../../src/adapters/memory/run-queue.ts';
import type { TurnOutcome } from '../../../src/ports/storage/run-queue.ts';
import { controlRuns, runQueueContract } from '../../contracts/run-queue.ts';

runQueueContract('memory', async (limits) => controlRuns(createMemoryRunQueue(), limits));

/** A queue whose runs end when the test says so. */
function setUp(maxRunning: number, maxWaiting: number) {
  const queue = createMemoryRunQueue();
  const started: string[] = [];
  const running = new Map<string, () => void>();
  queue.process(
    (runId) => {
      started.push(runId);
      return new Promise((resolve) => running.set(runId, () => resolve('done')));
    },
    { maxRunning, maxWaiting },
  );
  const end = async (runId: string): Promise<void> => {
    running.get(runId)?.();
    running.delete(runId);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, started, running, end };
}

describe('a queue of runs', () => {
  test('counts a run once that is queued again by its end and by a wake', async () => {
    const queue = createMemoryRunQueue();
    const turns: ((outcome: TurnOutcome) => void)[] = [];
    queue.process(() => new Promise((resolve) => turns.push(resolve)), { maxRunning: 1, maxWaiting: 1 });
    await queue.enqueue('a', 1);
    await queue.wake('a');
    turns[0]?.('again');
    await expect.poll(() => turns).toHaveLength(2);
    expect(await queue.depth()).toBe(0);
    await queue.assertRoom(1);
    turns[1]?.('done');
    await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toHaveLength(2);
  });

  test('starts runs at once up to its limit, then one for each that ends, in order', async () => {
    const { queue, started, end } = setUp(2, 10);
    for (const runId of ['a', 'b', 'c', 'd', 'e']) await queue.enqueue(runId, 1);
    expect(started).toEqual(['a', 'b']);
    await end('b');
    expect(started).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('c');
    expect(started).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('rejects what does not fit into its free slots, and keeps what waits', async () => {
    const { queue, started, end } = setUp(1, 3);
    await queue.enqueue('a', 100);
    await queue.enqueue('b', 2);
    await expect(queue.enqueue('c', 2)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    await queue.enqueue('d', 1);
    await expect(queue.enqueue('e', 1)).rejects.toMatchObject({ code: 'unavailable' });
    await end('a');
    await queue.enqueue('f', 2);
    await end('b');
    await end('d');
    expect(started).toEqual(['a', 'b', 'd', 'f']);
  });

  test('lets a run that is larger than all slots wait alone', async () => {
    const { queue, started, end } = setUp(1, 3);
    await queue.enqueue('a', 1);
    await queue.enqueue('large', 1_000);
    await expect(queue.enqueue('b', 1)).rejects.toMatchObject({ code: 'unavailable' });
    await end('a');
    expect(started).toEqual(['a', 'large']);
    await queue.enqueue('b', 1);
  });

  test('counts a run that asks for no slot', async () => {
    const { queue } = setUp(1, 1);
    await queue.enqueue('a', 1);
    await queue.enqueue('b', 0);
    await expect(queue.enqueue('c', 0)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('removes a run that waits, with its slots, and no other', async () => {
    const { queue, started, end } = setUp(1, 2);
    for (const [runId, slots] of [
      ['a', 1],
      ['b', 2],
    ] as const)
      await queue.enqueue(runId, slots);
    expect(await queue.remove('a')).toBe(false);
    expect(await queue.remove('unknown')).toBe(false);
    expect(await queue.remove('b')).toBe(true);
    expect(await queue.remove('b')).toBe(false);
    await queue.enqueue('c', 2);
    await end('a');
    expect(started).toEqual(['a', 'c']);
  });

  test('starts no run while others occupy its places, also over its limit', async () => {
    const { queue, started, end } = setUp(1, 10);
    await queue.enqueue('a', 1);
    const leave = [queue.occupy(), queue.occupy()];
    await queue.enqueue('b', 1);
    await end('a');
    leave[0]?.();
    expect(started).toEqual(['a']);
    leave[1]?.();
    expect(started).toEqual(['a', 'b']);
  });

  test('lets a run wait while only others occupy its places', async () => {
    const { queue, started } = setUp(1, 10);
    const leave = queue.occupy();
    await queue.enqueue('a', 1);
    expect(started).toEqual([]);
    leave();
    expect(started).toEqual(['a']);
  });

  test('starts nothing more once it is closed, and hands over what waits in order', async () => {
    const { queue, started, end } = setUp(1, 10);
    for (const runId of ['a', 'b', 'c']) await queue.enqueue(runId, 1);
    expect(await queue.close()).toEqual(['b', 'c']);
    expect(await queue.close()).toEqual([]);
    expect(await queue.remove('b')).toBe(false);
    await end('a');
    await queue.enqueue('d', 1);
    expect(started).toEqual(['a']);
    expect(await queue.close()).toEqual(['d']);
  });

  test('is fair and within its limits for any sequence of calls', async () => {
    const action = fc.constantFrom('enqueue', 'end', 'remove', 'occupy', 'leave');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.tuple(action, fc.integer({ min: 1, max: 4 })), { maxLength: 60 }),
        async (maxRunning, actions) => {
          const { queue, started, running, end } = setUp(maxRunning, 6);
          const waiting = new Map<string, number>();
          const occupied: (() => void)[] = [];
          const expected: string[] = [];
          let alive = 0;
          const refill = (): void => {
            for (const [runId] of waiting) {
              if (alive >= maxRunning) return;
              waiting.delete(runId);
              expected.push(runId);
              alive++;
            }
          };
          for (const [number, [name, size]] of actions.entries()) {
            if (name === 'enqueue') {
              const used = [...waiting.values()].reduce((sum, slots) => sum + slots, 0);
              const fits = alive < maxRunning || used + size <= 6;
              const isAccepted = await queue.enqueue(`r${number}`, size).then(
                () => true,
                () => false,
              );
              expect(isAccepted).toBe(fits);
              if (fits) waiting.set(`r${number}`, size);
            } else if (name === 'end') {
              const [runId] = running.keys();
              if (runId !== undefined) alive--;
              if (runId !== undefined) await end(runId);
            } else if (name === 'remove') {
              const runId = [...waiting.keys()].at(-1) ?? 'none';
              expect(await queue.remove(runId)).toBe(waiting.delete(runId));
            } else if (name === 'occupy') {
              occupied.push(queue.occupy());
              alive++;
            } else {
              const leave = occupied.pop();
              if (leave !== undefined) alive--;
              leave?.();
            }
            refill();
            expect(started).toEqual(expected);
          }
          expect(await queue.close()).toEqual([...waiting.keys()]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
