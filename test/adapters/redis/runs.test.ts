import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ended, endedResult, pendingRun, started } from '../../contracts/run-store.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, until } from '../../support/redis/stores.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

const firstPage = { limit: 50, offset: 0 };

/** A run as version 0.6.0 stored it, under the key that ends with `execution-1`. */
const storedBy060 = {
  workflow: 'workflow-1',
  status: 'FAILED',
  summary:
    '{"executionId":"execution-1","workflowId":"workflow-1","workflowName":"Refunds","status":"PENDING",' +
    '"background":true,"input":{"order":"A-1"},"error":null,"createdAt":"2026-10-01T08:00:00.000Z",' +
    '"startedAt":null,"completedAt":null,"durationMs":null}',
  results:
    '[{"stepId":"a","kind":"tool","status":"PENDING","layer":0,"attempts":0,"output":null,"error":null,' +
    '"startedAt":null,"completedAt":null,"durationMs":null}]',
  'step:0':
    '{"stepId":"a","kind":"tool","status":"FAILED","layer":0,"attempts":2,"output":null,"error":"no order",' +
    '"startedAt":"2026-10-01T08:00:01.000Z","completedAt":"2026-10-01T08:00:02.000Z","durationMs":1000}',
  state:
    '{"status":"FAILED","error":"step \\"a\\" failed","startedAt":"2026-10-01T08:00:01.000Z",' +
    '"completedAt":"2026-10-01T08:00:02.000Z","durationMs":1000}',
};

describe('a run of version 0.6.0 in Redis', () => {
  test('is read and listed', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const fields = Object.entries(storedBy060).flat();
    await server.command('HSET', `${prefix}execution:execution-1`, ...fields);
    await server.command(
      'ZADD',
      `${prefix}index:execution:workflow-1`,
      String(Date.now() * 1_000),
      'execution-1',
    );
    const summary = {
      runId: 'execution-1',
      workflowId: 'workflow-1',
      workflowName: 'Refunds',
      status: 'FAILED',
      background: true,
      input: { order: 'A-1' },
      error: 'step "a" failed',
      createdAt: '2026-10-01T08:00:00.000Z',
      startedAt: '2026-10-01T08:00:01.000Z',
      completedAt: '2026-10-01T08:00:02.000Z',
      durationMs: 1_000,
    };
    const step = JSON.parse(storedBy060['step:0']);
    expect(await adapters.runStore.get('execution-1')).toEqual({ ...summary, stepResults: [step] });
    expect((await adapters.runStore.list('workflow-1', firstPage)).items).toEqual([summary]);
  });

  test('has the current format, so that replicas of both versions can share the store', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const run = pendingRun('execution-1', 1);
    await adapters.runStore.create(run);
    await adapters.runStore.save(
      'execution-1',
      ended('COMPLETED', [{ index: 0, result: endedResult(0, {}) }]),
    );
    const field = async (name: string): Promise<object> =>
      JSON.parse(String(await server.command('HGET', `${prefix}execution:execution-1`, name)));
    const fieldsOf = (json: string): string[] => Object.keys(JSON.parse(json));
    expect(Object.keys(await field('summary'))).toEqual(fieldsOf(storedBy060.summary));
    expect(await field('summary')).toMatchObject({ executionId: 'execution-1' });
    expect(Object.keys(await field('state'))).toEqual(fieldsOf(storedBy060.state));
    expect(Object.keys(await field('step:0'))).toEqual(fieldsOf(storedBy060['step:0']));
    expect(await field('results')).toEqual(run.stepResults);
  });
});

describe('a run in Redis', () => {
  test('is saved layer by layer: a save sends only the results that changed', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const runs = adapters.runStore;
    await runs.create(pendingRun('a', 1_000));
    const large = Array.from({ length: 3 }, (_, index) => ({
      index,
      result: endedResult(index, { text: 'x'.repeat(300_000) }),
    }));
    await runs.save('a', { ...started(), stepResults: large });
    await until('the layer is written', async () => {
      return (await server.command('HEXISTS', `${prefix}execution:a`, 'step:2')) === 1;
    });
    await server.command('CONFIG', 'RESETSTAT');
    await runs.save('a', ended('COMPLETED', [{ index: 3, result: endedResult(3, {}) }]));
    const stats = String(await server.command('INFO', 'stats'));
    expect(Number(/total_net_input_bytes:(\d+)/.exec(stats)?.[1])).toBeLessThan(5_000);
  });

  test('has all of its results when it changes faster than it is written', async () => {
    const { adapters } = await stores.make(server.url);
    const runs = adapters.runStore;
    const layers = 20;
    await runs.create(pendingRun('a', layers));
    for (let index = 0; index < layers - 1; index++) {
      const running = { ...endedResult(index + 1, {}), status: 'RUNNING' as const, output: null };
      void runs.save('a', {
        ...started(),
        stepResults: [
          { index, result: endedResult(index, { index }) },
          { index: index + 1, result: running },
        ],
      });
    }
    const last = { index: layers - 1, result: endedResult(layers - 1, { index: layers - 1 }) };
    await runs.save('a', ended('COMPLETED', [last]));
    const found = await runs.get('a');
    expect(found?.stepResults.map(({ status, output }) => [status, output])).toEqual(
      Array.from({ length: layers }, (_, index) => ['COMPLETED', { index }]),
    );
  });

  test('has all of its results when a layer is larger than one command', async () => {
    const { adapters } = await stores.make(server.url);
    const runs = adapters.runStore;
    await runs.create(pendingRun('a', 8));
    const results = Array.from({ length: 8 }, (_, index) => ({
      index,
      result: endedResult(index, { text: 'x'.repeat(500_000) }),
    }));
    await runs.save('a', ended('COMPLETED', results));
    const found = await runs.get('a');
    expect(found?.stepResults).toEqual(results.map(({ result }) => result));
  });

  test('is stored with its results under a key that ends with its id, for its retention', async () => {
    const { adapters, prefix } = await stores.make(server.url, { runRetentionMs: 600_000 });
    await adapters.runStore.create(pendingRun('a', 1));
    await adapters.runStore.save('a', ended('COMPLETED', [{ index: 0, result: endedResult(0, {}) }]));
    const fields = await server.command('HKEYS', `${prefix}execution:a`);
    const expected = ['workflow', 'status', 'summary', 'results', 'step:0', 'state'];
    expect(new Set([fields].flat())).toEqual(new Set(expected));
    for (const key of [`${prefix}execution:a`, `${prefix}index:execution:workflow-1`]) {
      expect(Number(await server.command('PTTL', key))).toBeGreaterThan(590_000);
    }
    expect(await server.keys(`${prefix}running`)).toEqual([]);
  });

  test('counts as absent if its key has another type', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const runs = adapters.runStore;
    const key = `${prefix}execution:b`;
    for (const garbage of [
      ['SET', key, 'garbage'],
      ['HSET', key, 'summary', '{}', 'results', '[]'],
      ['HSET', key, 'summary', '{"executionId": "b"}', 'results', 'null'],
      ['HSET', key, 'status', 'PENDING', 'summary', 'x'],
    ]) {
      for (const id of ['a', 'b', 'c']) await runs.create(pendingRun(id));
      await server.command('DEL', key);
      await server.command(...garbage);
      expect(await runs.get('b')).toBeUndefined();
      const { items } = await runs.list('workflow-1', firstPage);
      expect(items.map(({ runId }) => runId).filter((id) => id !== 'b')).toEqual(['c', 'a']);
      await server.command('DEL', key);
    }
  });

  test('is no longer listed, counted or found once it has expired', async () => {
    const { adapters, prefix } = await stores.make(server.url, { runRetentionMs: 300 });
    const runs = adapters.runStore;
    for (const id of ['a', 'b', 'c']) {
      await runs.create(pendingRun(id));
      await runs.save(id, ended('COMPLETED'));
    }
    expect((await runs.list('workflow-1', firstPage)).total).toBe(3);
    await until('it has expired', async () => (await runs.get('c')) === undefined);
    expect(await runs.list('workflow-1', firstPage)).toEqual({ total: 0, ...firstPage, items: [] });
    await until('nothing is left', async () => (await server.keys(`${prefix}index`)).length === 0);
  });
});
