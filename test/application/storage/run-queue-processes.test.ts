import { expect, test } from 'vitest';
import { createRunLog } from '../../../src/application/storage/run-log.ts';
import { sharedTimes } from '../../../src/application/storage/run-owners.ts';
import { createStoredRunQueue } from '../../../src/application/storage/run-queue.ts';
import type { Store } from '../../../src/ports/storage/store.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { recordLogs } from '../../support/fakes.ts';
import { sharedParts } from '../../support/storage.ts';
import { newRun } from '../../support/workflow/run-events.ts';

/** Queues of processes that share a store. `change` gives each its own view of it. */
function setUp(count: number, change: (store: Store, index: number) => Partial<Store> = () => ({})) {
  const clock = createFakeClock();
  const processes = sharedParts(count, clock).map((parts, index) => {
    const store = { ...parts.store, ...change(parts.store, index) };
    const { queue, addition, start } = createStoredRunQueue({
      ...parts,
      store,
      logger: recordLogs(),
      self: `${index}`,
    });
    const started: string[] = [];
    const process = (maxRunning: number): void =>
      queue.process(
        (runId) => {
          started.push(runId);
          return new Promise(() => undefined);
        },
        { maxRunning, maxWaiting: 100 },
      );
    return { queue, addition, start, started, process, store: parts.store };
  });
  return { clock, processes };
}

test('a queue asks nothing of a store that is away, and starts what waits when it is back', async () => {
  let asked = 0;
  let isAway = false;
  const { clock, processes } = setUp(1, () => ({
    assertAvailable() {
      asked += 1;
      // A loop without an end would end no test.
      if (isAway && asked < 1_000) throw new Error('away');
    },
  }));
  const [one] = processes;
  one?.process(1);
  one?.start();
  await settle();
  isAway = true;
  asked = 0;
  await clock.advance(20_000);
  expect(asked).toBeLessThan(10);
  isAway = false;
  await one?.queue.wake('a');
  await settle();
  expect(one?.started).toEqual(['a']);
});

test('a run that is added before the start waits for it', async () => {
  const { clock, processes } = setUp(1);
  const [one] = processes;
  one?.process(1);
  await one?.queue.wake('a');
  await clock.advance(1_000);
  expect(one?.started).toEqual([]);
  one?.start();
  await settle();
  expect(one?.started).toEqual(['a']);
});

test('a run is started at once by a process whose time is a second behind', async () => {
  const { clock, processes } = setUp(2, ({ now }, index) => ({ now: () => now() - 1_000 * index }));
  const [full, free] = processes;
  full?.process(0);
  free?.process(1);
  for (const { start } of processes) start();
  await full?.queue.wake('a');
  await clock.advance(100);
  expect(free?.started).toEqual(['a']);
});

test('a run is started by one process, and after a while by another where the first has gone', async () => {
  let isGone = false;
  const { clock, processes } = setUp(2, ({ commit }, index) => ({
    commit: (...args) => (isGone && index === 0 ? new Promise(() => undefined) : commit(...args)),
  }));
  const [gone, other] = processes;
  gone?.process(1);
  gone?.start();
  await settle();
  isGone = true;
  await other?.queue.wake('a');
  await settle();
  other?.process(1);
  other?.start();
  await clock.advance(8_000);
  expect([gone?.started, other?.started]).toEqual([[], []]);
  await clock.advance(8_000);
  expect(other?.started).toEqual(['a']);
});

test('of runs that are taken together, one that was removed meanwhile does not hold up the others', async () => {
  let removeOne = async (): Promise<unknown> => undefined;
  const { processes } = setUp(1, ({ take }) => ({
    async take(...args) {
      const taken = await take(...args);
      await removeOne();
      return taken;
    },
  }));
  const [one] = processes;
  one?.process(3);
  for (const runId of ['a', 'b', 'c']) await one?.queue.wake(runId);
  removeOne = async () => one?.queue.remove('b');
  one?.start();
  await settle();
  await settle();
  expect(one?.started).toEqual(['a', 'c']);
});

test('a new run that nobody runs is queued by the commit that creates it', async () => {
  const { clock, processes } = setUp(1);
  const [one] = processes;
  if (one === undefined) throw new Error('there is one');
  const { log } = createRunLog({
    store: one.store,
    queue: one,
    clock,
    random: Math.random,
    logger: recordLogs(),
    self: '0',
    digest: (text) => text,
    retentionMs: 1e12,
    times: sharedTimes,
  });
  expect(await log.create({ ...newRun('before'), isUnclaimed: true })).toBe(true);
  expect(await one.queue.depth()).toBe(0);
  one.process(1);
  const { commits } = one.store;
  expect(await log.create({ ...newRun('a'), isUnclaimed: true })).toBe(true);
  await one.queue.wake('a');
  expect(one.store.commits).toBe(commits + 1);
  expect(await log.create(newRun('b'))).toBe(true);
  expect(await log.create({ ...newRun('a'), isUnclaimed: true })).toBe(false);
  one.start();
  await settle();
  expect(one.started).toEqual(['a']);
  await one.queue.wake('a');
  await clock.advance(1_000);
  // Only the wake that belongs to the creation writes nothing.
  expect(await one.queue.depth()).toBe(1);
});
