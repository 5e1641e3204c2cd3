import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBullmqRunQueue } from '../../../src/adapters/redis/bullmq.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { until } from '../../support/until.ts';
import { createProcesses } from './processes.ts';
import { createQueues, quickLocks, untilAdded } from './queues.ts';

const queues = createQueues();
const processes = createProcesses();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(async () => {
  await queues.closeAll();
  await processes.killAll();
  await server.close();
});

const ids = (count: number) => Array.from({ length: count }, (_, index) => `run-${index}`);

describe('replicas that share a queue', () => {
  test('start each of 2,000 runs once, at most 64 at a time', async () => {
    const prefix = `test-${randomUUID()}:`;
    const started: string[] = [];
    let running = 0;
    let highest = 0;
    const adapters = [1, 2].map(() => {
      const adapter = createBullmqRunQueue({
        url: server.url,
        prefix,
        timeoutMs: 60_000,
        clock: systemClock,
        logger: silentLogger,
      });
      adapter.queue.process(
        async (runId) => {
          if (runId !== 'first') started.push(runId);
          running++;
          highest = Math.max(highest, running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
          return 'done';
        },
        { maxRunning: 64, maxWaiting: 10_000 },
      );
      return adapter;
    });
    await Promise.all(adapters.map((adapter) => adapter.start()));
    for (const adapter of adapters) await untilAdded(adapter, 'first');
    await Promise.all(ids(2_000).map((runId, index) => adapters[index % 2]?.queue.enqueue(runId, 1)));
    await until('all are started', () => started.length >= 2_000, 30_000);
    await Promise.all(adapters.map((adapter) => adapter.close()));
    expect([...started].sort()).toEqual(ids(2_000).sort());
    expect(highest).toBeLessThanOrEqual(128);
    expect(await server.keys(`${prefix}queue:runs:de:`)).toEqual([]);
  });

  test('take over a run within 2 seconds from one that closes', async () => {
    const first = await queues.make(server.url);
    await first.queue.wake('a');
    await until('it is started', () => first.started.length === 1);
    const second = await queues.make(server.url, { prefix: first.prefix });
    await first.queue.close();
    first.end('a', 'again');
    await until('it is started elsewhere', () => second.started.length === 1, 2_000);
    await first.adapter.close();
    expect(first.started).toEqual(['a']);
    second.end('a');
  });

  test('get all runs of one that closes, long before its locks expire', async () => {
    const prefix = `test-${randomUUID()}:`;
    const stopping = Promise.withResolvers<void>();
    const started: string[] = [];
    const taken: string[] = [];
    const make = (run: (runId: string) => Promise<'done' | 'again'>) => {
      const options = {
        url: server.url,
        prefix,
        timeoutMs: 60_000,
        clock: systemClock,
        logger: silentLogger,
      };
      const adapter = createBullmqRunQueue(options);
      adapter.queue.process(run, { maxRunning: 64, maxWaiting: 10_000 });
      return adapter;
    };
    const first = make(async (runId) => {
      started.push(runId);
      await stopping.promise;
      return 'again';
    });
    await first.start();
    await untilAdded(first, 'run-0');
    await Promise.all(ids(20).map((runId) => first.queue.wake(runId)));
    await until('all are started', () => new Set(started).size === 20);
    const second = make(async (runId) => {
      taken.push(runId);
      return 'done';
    });
    await second.start();
    stopping.resolve();
    await first.close();
    await until('all are started elsewhere', () => new Set(taken).size === 20, 5_000);
    await second.close();
  });

  test('leave a run alone that ends while its process closes', async () => {
    const first = await queues.make(server.url);
    await first.queue.wake('a');
    await until('it is started', () => first.started.length === 1);
    await first.queue.close();
    first.end('a');
    await first.adapter.close();
    expect(await server.keys(`${first.prefix}queue:runs:de:`)).toEqual([]);
  });

  test('take over a run of a process that was killed, and leave those alone that go on', async () => {
    const { url } = server;
    const prefix = `test-${randomUUID()}:`;
    const killed = await processes.start(url, prefix);
    const adder = await queues.makeAdder(url, prefix);
    await adder.queue.wake('hang');
    await killed.untilLine('start hang');
    await killed.kill();
    const other = await queues.make(url, { prefix });
    await other.queue.wake('own');
    await until('it is taken over', () => other.started.includes('hang'));
    await new Promise((resolve) => setTimeout(resolve, 3 * quickLocks.lockMs));
    expect([...other.started].sort()).toEqual(['hang', 'own']);
    for (const runId of other.started) other.end(runId);
  });

  test('start a run once that all of them wake at the same time', async () => {
    const first = await queues.make(server.url);
    const second = await queues.make(server.url, { prefix: first.prefix });
    const wakes = Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? first : second).queue.wake('a'),
    );
    await Promise.all(wakes);
    await until('it is started', () => first.started.length + second.started.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([...first.started, ...second.started]).toEqual(['a']);
  });

  test('hear of a run that another one wakes just when it ends', async () => {
    const first = await queues.make(server.url);
    const adder = await queues.makeAdder(server.url, first.prefix);
    await first.queue.wake('a');
    await until('it is started', () => first.started.length === 1);
    await adder.queue.wake('a');
    first.end('a');
    await until('it is started again', () => first.started.length === 2);
  });
});

describe('a queue whose keys are deleted by hand', () => {
  const deleteKeys = async (keys: readonly string[]) => {
    if (keys.length > 0) await server.command('DEL', ...keys);
  };

  test('goes on with new runs, and with those that are added again', async () => {
    const under = await queues.make(server.url, { maxRunning: 1 });
    for (const runId of ['a', 'b']) await under.queue.wake(runId);
    await until('one is started', () => under.started.length === 1);
    await deleteKeys(await server.keys(under.prefix));
    under.end('a');
    for (const runId of ['c', 'b']) await under.queue.wake(runId);
    await until('the next is started', () => under.started.length === 2);
    under.end('c');
    await until('the last is started', () => under.started.length === 3);
    expect(under.started).toEqual(['a', 'c', 'b']);
    await deleteKeys(await server.keys(under.prefix));
    under.end('b');
    await under.queue.wake('d');
    await until('another is started', () => under.started.includes('d'));
  });

  test.each(['wait', 'active', 'meta', 'marker'])('goes on without the key %s', async (key) => {
    const under = await queues.make(server.url, { maxRunning: 1 });
    for (const runId of ['a', 'b']) await under.queue.wake(runId);
    await until('one is started', () => under.started.length === 1);
    await deleteKeys([`${under.prefix}queue:runs:${key}`]);
    under.end('a');
    await until('the other is started', async () => {
      await under.queue.wake('b');
      return under.started.includes('b');
    });
    under.end('b');
    await under.queue.wake('c');
    await until('a third is started', () => under.started.includes('c'));
  });
});
