import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { createWriteQueue } from '../../../src/adapters/sqlite/write-queue.ts';
import { recordLogs } from '../../support/fakes.ts';
import { makeFile, openFile } from '../../support/sqlite/files.ts';
import { newRun } from '../../support/workflow/run-events.ts';

/** A queue whose transactions are counted. */
function countingQueue() {
  const transactions: number[] = [];
  let writes = 0;
  const queue = createWriteQueue(
    (work) => {
      writes = 0;
      work();
      transactions.push(writes);
    },
    () => undefined,
  );
  const add = (work: () => unknown = () => undefined, bytes = 1) =>
    queue.add(() => {
      writes += 1;
      return work();
    }, bytes);
  return { queue, add, transactions };
}

const busyFor = (ms: number) => () => {
  const start = performance.now();
  while (performance.now() - start < ms);
};

describe('a queue of writes', () => {
  test('commits all writes of a turn together, and those of later turns later', async () => {
    const { add, transactions } = countingQueue();
    const results = await Promise.all(Array.from({ length: 100 }, (_, index) => add(() => index)));
    expect(results).toEqual(Array.from({ length: 100 }, (_, index) => index));
    await add();
    expect(transactions).toEqual([100, 1]);
  });

  test('begins no further write in a transaction that has taken long, or is large', async () => {
    const { add, transactions } = countingQueue();
    await Promise.all([add(), add(busyFor(30)), add(), add()]);
    await Promise.all([add(), add(undefined, 10_000_000), add()]);
    expect(transactions).toEqual([2, 2, 2, 1]);
  });

  test('rejects a write whose code is wrong with its error, and runs the others again', async () => {
    const { add, transactions } = countingQueue();
    const wrong = () => {
      throw new TypeError('wrong');
    };
    const outcomes = await Promise.allSettled([
      add(() => 1),
      add(wrong),
      add(() => 3),
      add(wrong),
      add(() => 5),
    ]);
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason)),
    ).toEqual([...[1, new TypeError('wrong'), 3, new TypeError('wrong'), 5]]);
    expect(transactions).toEqual([3]);
  });

  test('commits what waits when it is closed', async () => {
    const { queue, add, transactions } = countingQueue();
    const adding = Promise.all([add(), add()]);
    queue.close();
    expect(transactions).toEqual([2]);
    await adding;
  });

  test('runs outside of the context of its callers', async () => {
    const context = new AsyncLocalStorage<string>();
    const { add } = countingQueue();
    const seen = await context.run('request-1', async () => [
      await add(() => context.getStore()),
      context.getStore(),
    ]);
    expect(seen).toEqual([undefined, 'request-1']);
  });
});

test('what a process acknowledges at its end is in the file', async () => {
  const logger = recordLogs();
  const { path, adapters } = await makeFile({ logger });
  await adapters.ports.runs.create(newRun('first'));
  const creating = Promise.all(['a', 'b', 'c'].map((id) => adapters.ports.runs.create(newRun(id))));
  await adapters.close();
  await creating;
  const again = openFile(path);
  expect((await again.adapters.ports.runs.listAll({}, { limit: 9 })).items).toHaveLength(4);
  expect(logger.lines).toEqual([]);
});
