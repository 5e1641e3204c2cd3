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

describe('an execution in redis', () => {
  test('is written layer by layer, each by itself in one round trip', async () => {
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
    expect(await server.scriptsRun()).toBe(1);
    const stats = String(await server.command('INFO', 'stats'));
    expect(Number(/total_net_input_bytes:(\d+)/.exec(stats)?.[1])).toBeLessThan(5_000);
  });

  test('is written in two commands where it changes on and on while the first is under way', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const runs = adapters.runStore;
    const layers = 20;
    await runs.create(pendingRun('a', layers));
    await server.command('CONFIG', 'RESETSTAT');
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
    const last = { index: layers - 1, result: endedResult(layers - 1, {}) };
    await runs.save('a', ended('COMPLETED', [last]));
    expect(await server.scriptsRun()).toBe(2);
    const results = [await server.command('HGETALL', `${prefix}execution:a`)].flat().map(String);
    expect(results.filter((text) => text.includes('"RUNNING"'))).toEqual([]);
    expect(results.filter((text) => text.startsWith('step:'))).toHaveLength(layers);
  });

  test('is written by several commands where a layer is large', async () => {
    const { adapters } = await stores.make(server.url);
    const runs = adapters.runStore;
    await runs.create(pendingRun('a', 8));
    await server.command('CONFIG', 'RESETSTAT');
    const results = Array.from({ length: 8 }, (_, index) => ({
      index,
      result: endedResult(index, { text: 'x'.repeat(500_000) }),
    }));
    await runs.save('a', ended('COMPLETED', results));
    expect(await server.scriptsRun()).toBe(4);
    const found = await runs.get('a');
    expect(found?.stepResults.map(({ status }) => status)).toEqual(
      Array.from({ length: 8 }, () => 'COMPLETED'),
    );
  });

  test('lies with its results under a key that bears its id, for as long as it is kept', async () => {
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

  test('is as if absent where something else lies under its key', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const runs = adapters.runStore;
    const key = `${prefix}execution:b`;
    for (const garbage of [
      ['SET', key, 'garbage'],
      ['HSET', key, 'summary', '{}', 'results', '[]'],
      ['HSET', key, 'summary', '{"runId": "b"}', 'results', 'null'],
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
