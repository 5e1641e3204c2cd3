import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import type { RedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { RunStore } from '../../../src/ports/run-store.ts';
import { type SampleRecord, sample, summarizeSample } from '../../contracts/record-store.ts';
import { ended, endedResult, pendingRun, started } from '../../contracts/run-store.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';

const stores = createStoresFactory();
const children: ChildProcess[] = [];
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(async () => {
  await stores.closeAll();
  await Promise.all(children.map(kill));
  await server.close();
});

const program = fileURLToPath(new URL('../../support/redis/store-process.ts', import.meta.url));
const samples = { name: 'sample', idOf: ({ id }: SampleRecord) => id, summarize: summarizeSample, lists: [] };

interface ReplicaProcess {
  readonly child: ChildProcess;
  /** The next line of its standard output. */
  nextLine(): Promise<string>;
}

async function startReplica(prefix: string): Promise<ReplicaProcess> {
  const child = spawn(process.execPath, [program, server.url, prefix], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  expect(await nextLine()).toBe('ready');
  return { child, nextLine };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function statuses(runs: RunStore): Promise<(string | undefined)[]> {
  return Promise.all(['waiting', 'running', 'done'].map(async (id) => (await runs.get(id))?.status));
}

/** Waits until the runs of a killed replica have ended, and checks their records. */
async function expectRecovered(runs: RunStore): Promise<void> {
  await until('the runs of the killed replica have ended', async () => {
    return (await statuses(runs)).join() === 'FAILED,FAILED,COMPLETED';
  });
  const waiting = await runs.get('waiting');
  expect(waiting).toMatchObject({ error: 'interrupted', startedAt: null });
  expect(waiting?.completedAt).toMatch(/^20\d\d-/);
  expect(waiting?.stepResults.map(({ status }) => status)).toEqual(
    Array.from({ length: 4 }, () => 'SKIPPED'),
  );
  const running = await runs.get('running');
  expect(running?.error).toBe('interrupted');
  expect(running?.stepResults.map(({ status }) => status)).toEqual([
    'COMPLETED',
    'FAILED',
    'SKIPPED',
    'SKIPPED',
  ]);
  expect(running?.stepResults[0]?.output).toEqual({ of: 'layer 0' });
  expect((await runs.get('done'))?.error).toBeNull();
  const { items } = await runs.list('workflow-1', { limit: 10, offset: 0 });
  expect(items.map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED', 'FAILED']);
}

const untilAvailable = (adapters: RedisAdapters) =>
  until('the store is available', async () => (await adapters.probe()) === 'ok');

/** Checks that a run of two steps is still active in its own replica, and ends it. */
async function expectToContinue(runs: RunStore, others: RunStore): Promise<void> {
  expect((await others.get('a'))?.status).toBe('RUNNING');
  const stepResults = [{ index: 0, result: endedResult(0, {}) }];
  expect(await runs.save('a', ended('COMPLETED', stepResults))).toBe(true);
  expect((await others.get('a'))?.status).toBe('COMPLETED');
}

describe.concurrent('two replicas with one Redis', () => {
  test('share records, runs and counts', async () => {
    const one = await stores.make(server.url);
    const { prefix } = one;
    const other = await stores.make(server.url, { prefix });
    await one.adapters.recordStore(samples).put(sample(1));
    expect(await other.adapters.recordStore(samples).get('sample-1')).toMatchObject({ title: 'Sample 1' });
    await one.adapters.runStore.create(pendingRun('a'));
    await one.adapters.runStore.save('a', ended('COMPLETED'));
    expect((await other.adapters.runStore.get('a'))?.status).toBe('COMPLETED');
    const records = [one, other].map(({ adapters }) => adapters.recordStore(samples));
    await Promise.all(
      Array.from({ length: 200 }, (_, number) =>
        records[number % 2]?.put(sample(number, { id: `shared-${number}` })),
      ),
    );
    expect((await records[0]?.list({ limit: 1, offset: 0 }))?.total).toBe(201);
  });

  test('admit no more requests together than the limit', async () => {
    const limit = 50;
    const prefix = 'shared-limit:';
    const limiters = [1, 2, 3].map(() => {
      const { adapters } = stores.prepare(server.url, { prefix });
      const local = createMemoryRateLimiter({ limit, windowSeconds: 60, clock: systemClock });
      return { adapters, limiter: adapters.rateLimiter({ limit, windowSeconds: 60, local }) };
    });
    await Promise.all(limiters.map(({ adapters }) => adapters.start()));
    const decisions = await Promise.all(
      Array.from({ length: 300 }, (_, turn) => limiters[turn % 3]?.limiter.consume('10.0.0.1')),
    );
    expect(decisions.filter((decision) => decision?.admitted)).toHaveLength(limit);
    const left = Number(await server.command('PTTL', `${prefix}rate:10.0.0.1`));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  test('never leave a count without an expiry', async () => {
    const { adapters, prefix } = stores.prepare(server.url);
    const local = createMemoryRateLimiter({ limit: 3, windowSeconds: 60, clock: systemClock });
    const limiter = adapters.rateLimiter({ limit: 3, windowSeconds: 60, local });
    await adapters.start();
    await server.command('SET', `${prefix}rate:a`, '1000');
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 2 });
    expect(Number(await server.command('PTTL', `${prefix}rate:a`))).toBeGreaterThan(0);
    await server.command('SET', `${prefix}rate:b`, '1000', 'PX', '999999999');
    expect(await limiter.consume('b')).toMatchObject({ admitted: false, resetSeconds: 60 });
  });
});

describe.concurrent('the runs of a killed replica', () => {
  test('are ended once by a running replica', async () => {
    const living = await Promise.all(
      [1, 2].map(() => stores.make(server.url, { prefix: 'living:', ...quickTimes })),
    );
    const { child } = await startReplica('living:');
    await kill(child);
    const [one] = living;
    if (one === undefined) return expect.fail();
    expect(await statuses(one.adapters.runStore)).toEqual(['PENDING', 'RUNNING', 'COMPLETED']);
    await expectRecovered(one.adapters.runStore);
    const records = living
      .flatMap(({ logger }) => logger.lines)
      .filter(({ message }) => message.includes('gone'));
    expect(records.map((line) => line['execution_id']).sort()).toEqual(['running', 'waiting']);
    await until('the killed replica is removed', async () => {
      return (
        (await server.keys('living:running')).length === 0 &&
        (await server.command('ZCARD', 'living:processes')) === 2
      );
    });
  });

  test('are ended by the next replica that starts', async () => {
    const { child } = await startReplica('next:');
    await kill(child);
    const { adapters } = await stores.make(server.url, { prefix: 'next:', ...quickTimes });
    await expectRecovered(adapters.runStore);
  });
});

describe.concurrent('a suspended replica that was considered gone', () => {
  test('detects that its run has ended, and stops changing it', async () => {
    const { adapters } = await stores.make(server.url, { prefix: 'frozen:', ...quickTimes });
    const { child, nextLine } = await startReplica('frozen:');
    child.kill('SIGSTOP');
    await expectRecovered(adapters.runStore);
    child.kill('SIGCONT');
    child.stdin?.write('continue\n');
    expect(await nextLine()).toBe('stops');
    await expectRecovered(adapters.runStore);
  });
});

describe.concurrent('an active run', () => {
  test('continues while its replica is running, even after a long outage of the store', async () => {
    const own = await startRedisServer();
    const proxy = await startTcpProxy(own.port);
    try {
      const one = await stores.make(`redis://127.0.0.1:${proxy.port}`, { prefix: 'alive:', ...quickTimes });
      const other = await stores.make(own.url, { prefix: 'alive:', ...quickTimes });
      const runs = one.adapters.runStore;
      await runs.create(pendingRun('a', 2));
      await runs.save('a', started());
      await sleep(quickTimes.recovery.stableForMs + 500);
      proxy.setMode('down');
      await own.kill();
      await sleep(quickTimes.recovery.goneAfterMs + 200);
      await own.restart();
      await untilAvailable(other.adapters);
      await sleep(quickTimes.recovery.everyMs + 200);
      proxy.setMode('pass');
      await untilAvailable(one.adapters);
      await sleep(quickTimes.recovery.stableForMs + 500);
      await expectToContinue(runs, other.adapters.runStore);
    } finally {
      await proxy.close();
      await own.close();
    }
  });

  test('continues while its replica is running, even if the store rejects writes for long', async () => {
    const own = await startRedisServer();
    try {
      const one = await stores.make(own.url, { prefix: 'alive:', ...quickTimes, checkEveryMs: 700 });
      const other = await stores.make(own.url, { prefix: 'alive:', ...quickTimes, checkEveryMs: 50 });
      const runs = one.adapters.runStore;
      await runs.create(pendingRun('a', 2));
      await runs.save('a', started());
      await sleep(quickTimes.recovery.stableForMs + 500);
      await own.command('CONFIG', 'SET', 'maxmemory', '1');
      await sleep(quickTimes.recovery.goneAfterMs + 1_000);
      await own.command('CONFIG', 'SET', 'maxmemory', '0');
      await untilAvailable(other.adapters);
      await sleep(quickTimes.recovery.stableForMs + 500);
      await expectToContinue(runs, other.adapters.runStore);
    } finally {
      await own.close();
    }
  });

  test('is ended by the others at once when its replica closes', async () => {
    const patient = { ...quickTimes, recovery: { ...quickTimes.recovery, goneAfterMs: 3_600_000 } };
    const one = await stores.make(server.url, { prefix: 'close:', ...patient });
    const other = await stores.make(server.url, { prefix: 'close:', ...patient });
    await one.adapters.runStore.create(pendingRun('a'));
    await one.adapters.close();
    await until('it has ended', async () => (await other.adapters.runStore.get('a'))?.status === 'FAILED');
  });

  test('never stays pending when the reply to its creation is late', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const { adapters, prefix } = await stores.make(`redis://127.0.0.1:${proxy.port}`, { timeoutMs: 200 });
      const runs = adapters.runStore;
      await runs.create(pendingRun('a'));
      proxy.setMode('mute');
      await expect(runs.create(pendingRun('b'))).rejects.toMatchObject({ code: 'unavailable' });
      proxy.setMode('pass');
      expect(await server.command('HGET', `${prefix}execution:b`, 'status')).toBe('PENDING');
      await until('it has ended', async () => {
        return (await server.command('HGET', `${prefix}execution:b`, 'status')) === 'FAILED';
      });
      expect(await server.command('HGET', `${prefix}execution:a`, 'status')).toBe('PENDING');
    } finally {
      await proxy.close();
    }
  });
});
