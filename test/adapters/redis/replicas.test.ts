import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { memoryStorage } from '../../../src/adapters/memory-storage.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { compileCache } from '../../support/process/compile-cache.ts';
import { createRedisEngine, type RedisEngine, replayed } from '../../support/redis/engine.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, type StoresUnderTest } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import { quickTimes } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { callTool } from '../../support/workflow/engine.ts';
import { newEndedRun } from '../../support/workflow/run-events.ts';

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

const program = fileURLToPath(new URL('../../support/redis/engine-process.ts', import.meta.url));

/** The ids of the runs of a replica. */
interface RunIds {
  readonly done: string;
  readonly running: string;
  readonly waiting: string;
}

interface ReplicaProcess {
  readonly child: ChildProcess;
  readonly ids: RunIds;
  /** The next line of its standard output. */
  nextLine(): Promise<string>;
}

async function startReplica(prefix: string): Promise<ReplicaProcess> {
  const child = spawn(process.execPath, [program, server.url, prefix], {
    env: { ...process.env, ...compileCache },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  const ids: RunIds = JSON.parse(await nextLine());
  return { child, ids, nextLine };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const statuses = ({ runs }: RedisEngine, { waiting, running: active, done }: RunIds) =>
  Promise.all([waiting, active, done].map(async (id) => (await runs.get(id)).status));

/** Waits until the runs of a replica that is gone have ended, and checks their records and logs. */
async function expectRecovered(engine: RedisEngine, ids: RunIds): Promise<void> {
  await until('the runs of the replica have ended', async () => {
    return (await statuses(engine, ids)).join() === 'FAILED,FAILED,COMPLETED';
  });
  const waiting = await engine.runs.get(ids.waiting);
  expect(waiting).toMatchObject({ error: 'interrupted', startedAt: null });
  expect(waiting.completedAt).toMatch(/^20\d\d-/);
  expect(waiting.stepResults.map(({ status }) => status)).toEqual(['SKIPPED', 'SKIPPED', 'SKIPPED']);
  const active = await engine.runs.get(ids.running);
  expect(active.error).toBe('interrupted');
  expect(active.stepResults).toMatchObject([
    { status: 'COMPLETED', output: { of: 'layer 0' } },
    { status: 'FAILED', output: null, error: 'interrupted' },
    { status: 'SKIPPED', output: null },
  ]);
  expect((await engine.runs.get(ids.done)).error).toBeNull();
  const { items } = await engine.runs.list({}, { limit: 10 });
  expect(items.map(({ runId, status }) => [runId, status])).toEqual([
    [ids.waiting, 'FAILED'],
    [ids.running, 'FAILED'],
    [ids.done, 'COMPLETED'],
  ]);
  for (const id of Object.values(ids)) await expectOneEnd(engine, id);
}

/** Checks that the log of a run has one end, which is its last event, and replays to its record. */
async function expectOneEnd(engine: RedisEngine, runId: string): Promise<void> {
  const events = (await engine.log.get(runId))?.events ?? [];
  const ends = events.filter(({ type }) => /^execution\.(completed|failed|cancelled)$/.test(type));
  expect(ends).toEqual([events.at(-1)]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(await engine.runs.get(runId)).toEqual(await replayed(engine, runId));
}

/** The lines about runs whose process is gone, by id. */
const recoveries = (replicas: readonly StoresUnderTest[]) =>
  replicas
    .flatMap(({ logger }) => logger.lines)
    .filter(({ message }) => message.includes('gone'))
    .map((line) => line['execution_id']);

const untilAvailable = ({ probe }: StoresUnderTest) =>
  until('the store is available', async () => (await probe()) === 'ok');

/** Starts a run whose only step waits, and waits until its start is stored. `end` ends the step. */
async function startWaitingRun(engine: RedisEngine, others: RedisEngine) {
  const step = Promise.withResolvers<void>();
  engine.tool('wait', async () => {
    await step.promise;
    return { waited: true };
  });
  const { id } = await engine.define(callTool('only', 'wait'));
  const { runId } = await engine.workflows.run(id, { background: true });
  await until('its start is stored', async () => (await others.runs.get(runId)).status === 'RUNNING');
  return { runId, end: step.resolve };
}

/** Checks that a run is still active in its own replica, and ends it. */
async function expectToContinue(
  { runId, end }: Awaited<ReturnType<typeof startWaitingRun>>,
  others: RedisEngine,
): Promise<void> {
  expect((await others.runs.get(runId)).status).toBe('RUNNING');
  end();
  await until('it has ended', async () => (await others.runs.get(runId)).status !== 'RUNNING');
  expect(await others.runs.get(runId)).toMatchObject({ status: 'COMPLETED', error: null });
  await expectOneEnd(others, runId);
}

describe('two replicas with one Redis', () => {
  test('share records, runs and counts', async () => {
    const one = await stores.make(server.url);
    const { prefix } = one;
    const other = await stores.make(server.url, { prefix });
    await one.ports.runs.create(newEndedRun('a'));
    expect((await other.ports.runs.summary('a'))?.status).toBe('COMPLETED');
  });

  test('admit no more requests together than the limit', async () => {
    const limit = 50;
    const prefix = 'shared-limit:';
    const limiters = [1, 2, 3].map(() => {
      const one = stores.prepare(server.url, { prefix });
      const local = createMemoryRateLimiter({ limit, windowSeconds: 60, clock: systemClock });
      return { one, limiter: one.rateLimiter({ limit, windowSeconds: 60, local }) };
    });
    await Promise.all(limiters.map(({ one }) => one.start()));
    const decisions = await Promise.all(
      Array.from({ length: 300 }, (_, turn) => limiters[turn % 3]?.limiter.consume('10.0.0.1')),
    );
    expect(decisions.filter((decision) => decision?.admitted)).toHaveLength(limit);
    const left = Number(await server.command('PTTL', `${prefix}rate:10.0.0.1`));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  test('never leave a count without an expiry', async () => {
    const one = stores.prepare(server.url);
    const { prefix } = one;
    const local = createMemoryRateLimiter({ limit: 3, windowSeconds: 60, clock: systemClock });
    const limiter = one.rateLimiter({ limit: 3, windowSeconds: 60, local });
    await one.start();
    await server.command('SET', `${prefix}rate:a`, '1000');
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 2 });
    expect(Number(await server.command('PTTL', `${prefix}rate:a`))).toBeGreaterThan(0);
    await server.command('SET', `${prefix}rate:b`, '1000', 'PX', '999999999');
    expect(await limiter.consume('b')).toMatchObject({ admitted: false, resetSeconds: 60 });
  });
});

describe.concurrent('the runs of a killed replica', () => {
  test('are ended once by a running replica', async () => {
    const options = { prefix: 'living:', ...quickTimes };
    const living = [await stores.make(server.url, options), await stores.make(server.url, options)] as const;
    const [one, other] = [createRedisEngine(living[0]), createRedisEngine(living[1])];
    const { child, ids } = await startReplica('living:');
    await kill(child);
    expect(await statuses(one, ids)).toEqual(['PENDING', 'RUNNING', 'COMPLETED']);
    await expectRecovered(one, ids);
    await expectRecovered(other, ids);
    expect(recoveries(living).sort()).toEqual([ids.running, ids.waiting].sort());
    await until('the killed replica is removed', async () => {
      const left = await server.keys('living:rows:runs:text:owner');
      return left.length === 0 && (await server.command('ZCARD', 'living:rows:processes:all')) === 2;
    });
  });

  test('are ended by the next replica that starts', async () => {
    const { child, ids } = await startReplica('next:');
    await kill(child);
    const next = await stores.make(server.url, { prefix: 'next:', ...quickTimes });
    await expectRecovered(createRedisEngine(next), ids);
  });
});

describe.concurrent('a suspended replica that was considered gone', () => {
  test('detects that its runs have ended, and changes nothing', async () => {
    const living = await stores.make(server.url, { prefix: 'frozen:', ...quickTimes });
    const engine = createRedisEngine(living);
    const { child, ids, nextLine } = await startReplica('frozen:');
    child.kill('SIGSTOP');
    await expectRecovered(engine, ids);
    const before = await engine.log.get(ids.running);
    child.kill('SIGCONT');
    child.stdin?.write('continue\n');
    expect(await nextLine()).toBe('idle');
    expect(await engine.log.get(ids.running)).toEqual(before);
    await expectRecovered(engine, ids);
    expect(recoveries([living])).toHaveLength(2);
  });
});

describe.concurrent('an active run', () => {
  test('continues while its replica is running, even after a long outage of the store', async () => {
    const own = await startRedisServer();
    const proxy = await startTcpProxy(own.port);
    try {
      // Longer than the replica takes to connect again.
      const times = { ...quickTimes.times, stableForMs: 4_000 };
      const options = { prefix: 'alive:', ...quickTimes, times };
      const one = await stores.make(`redis://127.0.0.1:${proxy.port}`, options);
      const other = await stores.make(own.url, options);
      await Promise.all([one, other].map(untilAvailable));
      const others = createRedisEngine(other);
      const run = await startWaitingRun(createRedisEngine(one, { toolTimeoutMs: 60_000 }), others);
      await sleep(times.stableForMs + 500);
      proxy.setMode('down');
      await own.kill();
      await sleep(quickTimes.times.goneAfterMs + 200);
      await own.restart();
      await untilAvailable(other);
      await sleep(quickTimes.times.lookEveryMs + 200);
      proxy.setMode('pass');
      await untilAvailable(one);
      await sleep(times.stableForMs + 500);
      await expectToContinue(run, others);
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
      await Promise.all([one, other].map(untilAvailable));
      const others = createRedisEngine(other);
      const run = await startWaitingRun(createRedisEngine(one), others);
      await sleep(quickTimes.times.stableForMs + 500);
      await own.command('CONFIG', 'SET', 'maxmemory', '1');
      await sleep(quickTimes.times.goneAfterMs + 1_000);
      await own.command('CONFIG', 'SET', 'maxmemory', '0');
      await untilAvailable(other);
      await sleep(quickTimes.times.stableForMs + 500);
      await expectToContinue(run, others);
    } finally {
      await own.close();
    }
  });

  test('is ended by the others at once when its replica closes', async () => {
    const patient = { ...quickTimes, times: { ...quickTimes.times, goneAfterMs: 3_600_000 } };
    const one = await stores.make(server.url, { prefix: 'close:', ...patient });
    const other = createRedisEngine(await stores.make(server.url, { prefix: 'close:', ...patient }));
    const { runId, end } = await startWaitingRun(createRedisEngine(one), other);
    await one.close();
    await until('it has ended', async () => (await other.runs.get(runId)).status === 'FAILED');
    end();
    await expectOneEnd(other, runId);
  });

  test('never stays pending when the reply to its creation is late', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const options = { timeoutMs: 200, checkEveryMs: 200 };
      const stored = await stores.make(`redis://127.0.0.1:${proxy.port}`, options);
      // Starting a run reads the definition, which must not wait for the store here.
      const { workflows } = memoryStorage();
      const engine = createRedisEngine(stored, { maxBackgroundRuns: 1 }, { workflows });
      engine.tool('never', () => new Promise(() => undefined));
      const { id } = await engine.define(callTool('only', 'never'));
      const first = await engine.workflows.run(id, { background: true });
      proxy.setMode('mute');
      const late = { background: true, runId: 'late' };
      await expect(engine.workflows.run(id, late)).rejects.toMatchObject({ code: 'unavailable' });
      proxy.setMode('pass');
      const others = createRedisEngine(await stores.make(server.url, { prefix: stored.prefix }));
      const statusOf = async (runId: string) => (await others.runs.get(runId)).status;
      expect(await statusOf('late')).toBe('PENDING');
      await until('it has ended', async () => (await statusOf('late')) === 'FAILED');
      expect(await engine.runs.get('late')).toMatchObject({ status: 'FAILED', error: 'interrupted' });
      await until('the other one runs', async () => (await statusOf(first.runId)) === 'RUNNING');
    } finally {
      await proxy.close();
    }
  });
});
