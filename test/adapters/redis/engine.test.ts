import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { createRedisEngine, type RedisEngine, replayed } from '../../support/redis/engine.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { callTool } from '../../support/workflow/engine.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(async () => {
  await stores.closeAll();
  await server.command('CONFIG', 'SET', 'maxmemory', '0');
});
afterAll(() => server.close());

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Four steps in sequence, of which the second calls the tool `disrupt`. */
const disrupted = [
  callTool('first', 'echo', { n: 0 }),
  callTool('second', 'disrupt', { n: 1 }, ['first']),
  callTool('third', 'echo', { n: '$step.second.n' }, ['second']),
  callTool('fourth', 'echo', { n: 3 }, ['third']),
];

/** An engine whose tool `disrupt` calls `disrupt` before it replies. */
async function startEngine(disrupt: () => unknown, options = {}) {
  const stored = await stores.make(server.url, options);
  await until('the store is available', async () => (await stored.probe()) === 'ok');
  const engine = createRedisEngine(stored);
  engine.tool('echo', async ({ n = null }) => ({ n }));
  engine.tool('disrupt', async ({ n = null }) => {
    await disrupt();
    return { n };
  });
  return { engine, probe: stored.probe, prefix: stored.prefix };
}

describe('a run of the whole engine', () => {
  const outages = {
    killed: { disrupt: () => server.kill(), heal: () => server.restart() },
    suspended: { disrupt: () => server.freeze(), heal: () => server.thaw() },
  };

  test.each(['killed', 'suspended'] as const)(
    'goes on while its store is %s, and its record is complete afterwards',
    async (how) => {
      const { disrupt, heal } = outages[how];
      let healed: Promise<void> = Promise.resolve();
      const { engine, probe } = await startEngine(async () => {
        await disrupt();
        healed = sleep(2_000).then(heal);
      });
      const { id } = await engine.define(...disrupted);
      const run = await engine.workflows.run(id).finally(() => healed);
      expect(run).toMatchObject({ status: 'COMPLETED', error: null });
      expect(run.stepResults.map(({ output }) => output)).toEqual([{ n: 0 }, { n: 1 }, { n: 1 }, { n: 3 }]);
      await until('it is stored', async () => (await probe()) === 'ok');
      expect(await engine.runs.get(run.runId)).toEqual(run);
      expect(await replayed(engine, run.runId)).toEqual(run);
    },
  );

  test('goes on while its store has no free memory, and is rejected before its first step', async () => {
    const limit = (bytes: string) => server.command('CONFIG', 'SET', 'maxmemory', bytes);
    const { engine, probe } = await startEngine(async () => {
      await limit('1');
      setTimeout(() => void limit('0'), 2_000);
    });
    const { id } = await engine.define(...disrupted);
    const run = await engine.workflows.run(id);
    expect(run.status).toBe('COMPLETED');
    await limit('1');
    await until('the store is not available', async () => (await probe()) === 'error');
    const calls = engine.recorded.events.length;
    await expect(engine.workflows.run(id)).rejects.toMatchObject({ code: 'unavailable' });
    expect(engine.recorded.events.slice(calls).map(({ type }) => type)).toEqual([]);
    await limit('0');
    await until('it is stored', async () => (await probe()) === 'ok');
    expect(await engine.runs.get(run.runId)).toEqual(run);
    expect((await engine.runs.list({}, { limit: 10 })).items).toHaveLength(1);
  });

  test('ends as interrupted after the store has lost its data, and leaves nothing there', async () => {
    const { engine, prefix } = await startEngine(() => server.command('FLUSHALL'));
    const { id } = await engine.define(...disrupted);
    const run = await engine.workflows.run(id);
    expect([run.status, run.error]).toEqual(['FAILED', 'interrupted']);
    await expect(engine.runs.get(run.runId)).rejects.toMatchObject({ code: 'not_found' });
    expect(await server.keys(`${prefix}rows:runs`)).toEqual([]);
  });
});

/** A replica that runs workflows and another one, which find the signals of each other soon. */
async function startPair(work: (ms: number, signal: AbortSignal) => Promise<unknown>) {
  const options = { checkEveryMs: 50, timeoutMs: 5_000 };
  const one = await startEngine(() => undefined, options);
  const other = await startEngine(() => undefined, { ...options, prefix: one.prefix });
  for (const { engine } of [one, other]) {
    engine.tool('work', async ({ ms }, { signal }) => {
      await work(Number(ms), signal);
      return { ms: Number(ms) };
    });
  }
  return { one: one.engine, other: other.engine, prefix: one.prefix };
}

const untilEnded = (engine: RedisEngine, runId: string) =>
  until(`the run ${runId} has ended`, async () => {
    const { status } = await engine.runs.get(runId);
    return status !== 'PENDING' && status !== 'RUNNING';
  });

describe('a cancel through another replica', () => {
  test('against the end of a run leaves it CANCELLED where it was accepted, and unchanged otherwise, 500 times', async () => {
    const { one, other, prefix } = await startPair((ms) => sleep(ms));
    const { id } = await one.define(callTool('only', 'work', { ms: '$input.ms' }));
    const counts = { accepted: 0, ended: 0, stepEnded: 0 };
    async function race(number: number): Promise<void> {
      const { runId } = await one.workflows.run(id, { background: true, input: { ms: number % 7 } });
      await sleep((number * 5) % 23);
      const { run, isAccepted } = await other.runs.cancel(runId, { by: 'test', reason: `race ${number}` });
      await untilEnded(other, runId);
      const final = await other.runs.get(runId);
      const stored = await other.log.get(runId);
      const ends = stored?.events.filter(({ type }) =>
        /^execution\.(completed|failed|cancelled)$/.test(type),
      );
      expect(ends).toEqual([stored?.events.at(-1)]);
      expect(await replayed(other, runId)).toEqual(final);
      expect(await one.runs.get(runId)).toEqual(final);
      const requests = stored?.events.filter(({ type }) => type === 'execution.cancel_requested') ?? [];
      if (isAccepted) {
        counts.accepted++;
        if (final.stepResults[0]?.status === 'COMPLETED') counts.stepEnded++;
        expect(final).toMatchObject({
          status: 'CANCELLED',
          error: expect.stringContaining(`race ${number}`),
        });
        expect(requests.length).toBeGreaterThan(0);
      } else {
        counts.ended++;
        expect(final).toEqual(run);
        expect(final.status).toBe('COMPLETED');
        expect(requests).toEqual([]);
      }
    }
    for (let first = 0; first < 500; first += 25) {
      await Promise.all(Array.from({ length: 25 }, (_, index) => race(first + index)));
    }
    expect(counts.accepted).toBeGreaterThan(0);
    expect(counts.ended).toBeGreaterThan(0);
    const waits = await server.keys(`${prefix}rows:runs:text:signalled`);
    expect([...waits, ...(await server.keys(`${prefix}rows:runs:text:owner`))]).toEqual([]);
    const finished = one.recorded.events.filter(({ type }) => type === 'run.finished');
    expect(finished).toHaveLength(500);
  });

  test('is done after an outage in which the run ended', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const url = `redis://127.0.0.1:${proxy.port}`;
      const stored = await stores.make(url, { checkEveryMs: 100 });
      const { prefix, probe } = stored;
      const engine = createRedisEngine(stored);
      const other = createRedisEngine(await stores.make(server.url, { prefix }));
      const step = Promise.withResolvers<void>();
      engine.tool('wait', async () => {
        await step.promise;
        return { done: true };
      });
      const { id } = await engine.define(callTool('only', 'wait'));
      const { runId } = await engine.workflows.run(id, { background: true });
      await until('it runs', async () => (await other.runs.get(runId)).status === 'RUNNING');
      proxy.setMode('down');
      await until('the store is unavailable', async () => (await probe()) === 'error');
      const request = { by: 'test', reason: 'during the outage' };
      expect(await other.runs.cancel(runId, request)).toMatchObject({ isAccepted: true });
      step.resolve();
      await until('it has ended', () => engine.recorded.events.some(({ type }) => type === 'run.finished'));
      proxy.setMode('pass');
      await untilEnded(other, runId);
      expect(await other.runs.get(runId)).toMatchObject({
        status: 'CANCELLED',
        stepResults: [{ status: 'COMPLETED', output: { done: true } }],
      });
      expect(await replayed(other, runId)).toEqual(await other.runs.get(runId));
      expect(await server.keys(`${prefix}rows:runs:text:owner`)).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  test('of a run that waits for its start in the queue of its replica ends it without a step', async () => {
    const stored = await stores.make(server.url, { checkEveryMs: 50 });
    const { prefix } = stored;
    const other = createRedisEngine(await stores.make(server.url, { checkEveryMs: 50, prefix }));
    const engine = createRedisEngine(stored, { maxBackgroundRuns: 1 });
    let calls = 0;
    const step = Promise.withResolvers<void>();
    engine.tool('wait', async () => {
      calls++;
      await step.promise;
      return {};
    });
    const { id } = await engine.define(callTool('only', 'wait'));
    const first = await engine.workflows.run(id, { background: true });
    const second = await engine.workflows.run(id, { background: true });
    await until('the first one runs', () => calls === 1);
    expect(await other.runs.cancel(second.runId, { by: 'test', reason: null })).toMatchObject({
      isAccepted: true,
    });
    await untilEnded(other, second.runId);
    expect(await other.runs.get(second.runId)).toMatchObject({
      status: 'CANCELLED',
      startedAt: null,
      stepResults: [{ status: 'SKIPPED', attempts: 0 }],
    });
    step.resolve();
    await untilEnded(other, first.runId);
    expect((await other.runs.get(first.runId)).status).toBe('COMPLETED');
    expect(calls).toBe(1);
  });
});

describe('a run whose end is in the log', () => {
  test('is retried where its process has not seen the reply yet', async () => {
    const stored = await stores.make(server.url);
    const runLog = stored.ports.runs;
    const reply = Promise.withResolvers<void>();
    const runs: RunLog = {
      ...runLog,
      async append(runId, expectedSeq, events, change) {
        const outcome = await runLog.append(runId, expectedSeq, events, change);
        if (change.status === 'FAILED') await reply.promise;
        return outcome;
      },
    };
    const engine = createRedisEngine(stored, {}, { runs });
    engine.tool('fail', async () => {
      throw new ToolError('fails', { permanent: true });
    });
    const { id } = await engine.define(callTool('only', 'fail'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await until('it has ended', async () => (await engine.runs.get(runId)).status === 'FAILED');
    const retries = [1, 2].map(() => engine.runs.retry(runId, { by: 'test' }));
    setTimeout(reply.resolve, 100);
    const outcomes = await Promise.allSettled(retries);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: { status: 'PENDING', attempt: 2 } },
      { status: 'rejected', reason: { code: 'conflict' } },
    ]);
    await until('it has ended again', async () => (await engine.runs.get(runId)).status === 'FAILED');
    expect(await replayed(engine, runId)).toMatchObject({ status: 'FAILED', attempt: 2 });
  });
});
