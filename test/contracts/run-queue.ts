import { describe, expect, test } from 'vitest';
import type { QueueLimits, RunQueue, TurnOutcome } from '../../src/ports/storage/run-queue.ts';
import { until } from '../support/until.ts';

/** A queue whose runs end when the test says so. */
export interface RunQueueUnderTest {
  readonly queue: RunQueue;
  /** The ids of the runs that were started, in order. */
  readonly started: readonly string[];
  /** The number of runs that run now. */
  readonly running: number;
  /** Ends the run of this id that was started first. */
  end(runId: string, outcome?: TurnOutcome): void;
}

/** Sets what runs the runs of a queue. */
export function controlRuns(queue: RunQueue, limits: QueueLimits): RunQueueUnderTest {
  const started: string[] = [];
  const running: { readonly runId: string; resolve(outcome: TurnOutcome): void }[] = [];
  queue.process((runId) => {
    started.push(runId);
    return new Promise((resolve) => running.push({ runId, resolve }));
  }, limits);
  return {
    queue,
    started,
    get running() {
      return running.length;
    },
    end(runId, outcome = 'done') {
      const index = running.findIndex((run) => run.runId === runId);
      if (index < 0) throw new Error(`${runId} does not run`);
      running.splice(index, 1)[0]?.resolve(outcome);
    },
  };
}

/** Long enough for a run that must not start to be seen starting. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 150));

/** The promises of every queue of runs. `make` creates and starts a queue of its own. */
export function runQueueContract(
  name: string,
  make: (limits: QueueLimits) => Promise<RunQueueUnderTest>,
): void {
  const startedAre = (under: RunQueueUnderTest, runIds: readonly string[]) =>
    until(
      `${JSON.stringify(under.started)} become ${JSON.stringify(runIds)}`,
      () => JSON.stringify(under.started) === JSON.stringify(runIds),
    );

  describe(`${name} as a queue of runs`, () => {
    test('starts runs up to its limit, then one for each that ends, in order', async () => {
      const under = await make({ maxRunning: 2, maxWaiting: 10 });
      for (const runId of ['a', 'b', 'c', 'd', 'e']) await under.queue.enqueue(runId, 1);
      await startedAre(under, ['a', 'b']);
      await pause();
      expect(under.running).toBe(2);
      under.end('b');
      await startedAre(under, ['a', 'b', 'c']);
      under.end('a');
      await startedAre(under, ['a', 'b', 'c', 'd']);
      under.end('c');
      await startedAre(under, ['a', 'b', 'c', 'd', 'e']);
    });

    test('starts runs with any id', async () => {
      const under = await make({ maxRunning: 20, maxWaiting: 20 });
      const runIds = [
        ...[
          '0198c1f0-0000-7000-8000-000000000001',
          '0',
          '17',
          '0:1',
          'a:b',
          'a:b:c',
          'a%3Ab',
          '%',
          'meta',
          'wait',
        ],
        ...['__proto__', 'a b', '*', 'ü', '🙂', 'r.a', 'x'.repeat(500)],
      ];
      for (const runId of runIds) await under.queue.wake(runId);
      await until('all are started', () => under.started.length === runIds.length);
      expect([...under.started].sort()).toEqual([...runIds].sort());
    });

    test('ignores a run that waits already, and starts one again that has ended', async () => {
      const under = await make({ maxRunning: 1, maxWaiting: 10 });
      await under.queue.wake('a');
      await startedAre(under, ['a']);
      for (const runId of ['b', 'b', 'c', 'b']) await under.queue.wake(runId);
      under.end('a');
      await startedAre(under, ['a', 'b']);
      under.end('b');
      await startedAre(under, ['a', 'b', 'c']);
      under.end('c');
      await pause();
      expect(under.started).toEqual(['a', 'b', 'c']);
      await under.queue.wake('a');
      await startedAre(under, ['a', 'b', 'c', 'a']);
    });

    test('does not lose the wake of a run that runs', async () => {
      const under = await make({ maxRunning: 2, maxWaiting: 10 });
      await under.queue.wake('a');
      await startedAre(under, ['a']);
      await under.queue.wake('a');
      under.end('a');
      await startedAre(under, ['a', 'a']);
    });

    test('starts a run again that did not end', async () => {
      const under = await make({ maxRunning: 1, maxWaiting: 10 });
      await under.queue.wake('a');
      await startedAre(under, ['a']);
      under.end('a', 'again');
      await startedAre(under, ['a', 'a']);
      under.end('a');
      await pause();
      expect(under.started).toEqual(['a', 'a']);
    });

    test('removes a run that waits, and no other', async () => {
      const under = await make({ maxRunning: 1, maxWaiting: 10 });
      await under.queue.wake('a');
      await startedAre(under, ['a']);
      for (const runId of ['b', 'c']) await under.queue.wake(runId);
      expect(await under.queue.remove('a')).toBe(false);
      expect(await under.queue.remove('unknown')).toBe(false);
      expect(await under.queue.remove('b')).toBe(true);
      expect(await under.queue.remove('b')).toBe(false);
      under.end('a');
      await startedAre(under, ['a', 'c']);
      await under.queue.wake('b');
      under.end('c');
      await startedAre(under, ['a', 'c', 'b']);
    });

    test('rejects runs that find no room, until some have started', async () => {
      const under = await make({ maxRunning: 1, maxWaiting: 2 });
      await under.queue.enqueue('a', 1);
      await startedAre(under, ['a']);
      await under.queue.enqueue('b', 1);
      await expect(under.queue.enqueue('c', 2)).rejects.toMatchObject({ code: 'unavailable' });
      await under.queue.enqueue('c', 1);
      const full = { code: 'unavailable', retryAfterSeconds: 5 };
      await expect(under.queue.enqueue('d', 1)).rejects.toMatchObject(full);
      await expect(under.queue.assertRoom(1)).rejects.toMatchObject(full);
      await under.queue.wake('e');
      under.end('a');
      await startedAre(under, ['a', 'b']);
      under.end('b');
      await startedAre(under, ['a', 'b', 'c']);
      await until('there is room', () =>
        under.queue.assertRoom(1).then(
          () => true,
          () => false,
        ),
      );
      await under.queue.enqueue('f', 1);
    });

    test('accepts a run that is larger than all slots while none waits', async () => {
      const under = await make({ maxRunning: 1, maxWaiting: 3 });
      await under.queue.enqueue('a', 1_000);
      await startedAre(under, ['a']);
      await under.queue.enqueue('b', 1_000);
      await expect(under.queue.enqueue('c', 1_000)).rejects.toMatchObject({ code: 'unavailable' });
      under.end('a');
      await startedAre(under, ['a', 'b']);
    });

    test('starts fewer runs while others occupy its places', async () => {
      const under = await make({ maxRunning: 2, maxWaiting: 10 });
      await under.queue.wake('a');
      await startedAre(under, ['a']);
      const leave = under.queue.occupy();
      await under.queue.wake('b');
      await pause();
      expect(under.started).toEqual(['a']);
      leave();
      await startedAre(under, ['a', 'b']);
    });

    test('tells how many runs wait', async () => {
      const under = await make({ maxRunning: 1, maxWaiting: 10 });
      expect(await under.queue.depth()).toBe(0);
      await under.queue.wake('a');
      await startedAre(under, ['a']);
      for (const runId of ['b', 'c', 'd']) await under.queue.wake(runId);
      await until('three wait', async () => (await under.queue.depth()) === 3);
      under.end('a');
      await until('two wait', async () => (await under.queue.depth()) === 2);
    });

    test('starts nothing more once it is closed', async () => {
      const under = await make({ maxRunning: 1, maxWaiting: 10 });
      for (const runId of ['a', 'b', 'c']) await under.queue.wake(runId);
      await startedAre(under, ['a']);
      await under.queue.close();
      expect(await under.queue.close()).toEqual([]);
      under.end('a');
      await pause();
      expect(under.started).toEqual(['a']);
    });
  });
}
