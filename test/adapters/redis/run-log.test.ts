import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, until } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import {
  append,
  ended,
  endOf,
  newEndedRun,
  newRun,
  numbered,
  running,
  sampleDefinition,
  stepCompleted,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

const firstPage = { limit: 50, offset: 0 };

/** The commands that the server has received since the last reset of its statistics, without those of scripts. */
async function commandsSent(work: () => Promise<unknown>): Promise<Record<string, number>> {
  await server.command('CONFIG', 'RESETSTAT');
  await work();
  const info = String(await server.command('INFO', 'commandstats'));
  const calls = [...info.matchAll(/cmdstat_(\S+?):calls=(\d+)/g)].map(([, name, count]) => [
    name,
    Number(count),
  ]);
  return Object.fromEntries(calls);
}

const received = async (): Promise<number> =>
  Number(/total_net_input_bytes:(\d+)/.exec(String(await server.command('INFO', 'stats')))?.[1]);

describe('a run log in Redis', () => {
  test('needs one round trip for an append', async () => {
    const { adapters } = await stores.make(server.url, { checkEveryMs: 60_000 });
    const log = adapters.runLog;
    await log.create(newRun('a'));
    await append(log, 'a', 1, [stepStarted('step-0')], running());
    await until('it is written', () => adapters.buffered === 0);
    const sent = await commandsSent(() => append(log, 'a', 2, [stepCompleted('step-0'), endOf()], ended()));
    expect((sent['evalsha'] ?? 0) + (sent['eval'] ?? 0)).toBe(1);
    expect(sent).toMatchObject({ rpush: 1, hset: 1, publish: 1 });
  });

  test('sends only what is appended, and a definition only once', async () => {
    const { adapters } = await stores.make(server.url, { checkEveryMs: 60_000 });
    const log = adapters.runLog;
    const definition = sampleDefinition('workflow-1', 2_000);
    await log.create(newRun('a', {}, definition));
    await append(log, 'a', 1, [stepCompleted('step-0', { text: 'x'.repeat(900_000) })], running());
    await until('it is written', () => adapters.buffered === 0);
    const before = await received();
    await append(log, 'a', 2, [endOf()], ended());
    await log.create(newRun('b', {}, structuredClone(definition)));
    expect((await received()) - before).toBeLessThan(5_000);
    expect(await server.keys('')).toEqual(
      expect.arrayContaining([expect.stringMatching(/definition:[\w-]{43}$/)]),
    );
    expect((await log.get('b'))?.definition).toEqual(definition);
  });

  test('has all of its events when it grows faster than it is written', async () => {
    const { adapters } = await stores.make(server.url);
    const log = adapters.runLog;
    await log.create(newRun('a'));
    const drafts = Array.from({ length: 60 }, (_, index) => stepCompleted(`step-${index}`, { index }));
    for (const [index, draft] of drafts.entries()) void append(log, 'a', 1 + index, [draft], running());
    expect((await log.read('a', 1, 200))?.events).toEqual(numbered(2, drafts));
    expect(await log.summary('a')).toMatchObject({ status: 'RUNNING' });
    expect((await log.list('workflow-1', { statuses: ['RUNNING'] }, firstPage)).total).toBe(1);
    expect(await append(log, 'a', 61, [endOf()], ended())).toBe('appended');
    expect((await log.get('a'))?.events.slice(1)).toEqual(numbered(2, [...drafts, endOf()]));
  });

  test('has all of its events when they are larger than one command', async () => {
    const { adapters } = await stores.make(server.url, { timeoutMs: 5_000 });
    const log = adapters.runLog;
    await log.create(newRun('a'));
    const drafts = Array.from({ length: 8 }, (_, index) => {
      return stepCompleted(`step-${index}`, { text: `${index}`.repeat(500_000) });
    });
    for (const [index, draft] of drafts.entries()) void append(log, 'a', 1 + index, [draft], running());
    const ending = append(log, 'a', 9, [endOf('FAILED')], ended('FAILED'));
    const retried = { type: 'execution.retried' as const, by: 'x', attempt: 2, steps: [] };
    void append(log, 'a', 10, [retried], running(2));
    expect(await ending).toBe('appended');
    expect(await append(log, 'a', 11, [endOf()], ended('COMPLETED', 2))).toBe('appended');
    const all = [...drafts, endOf('FAILED'), retried, endOf()];
    expect((await log.get('a'))?.events.slice(1)).toEqual(numbered(2, all));
    expect(await log.summary('a')).toMatchObject({ status: 'COMPLETED', attempt: 2 });
  });

  test('keeps everything about a run for its retention', async () => {
    const { adapters, prefix } = await stores.make(server.url, { runRetentionMs: 600_000 });
    const log = adapters.runLog;
    await log.create(newRun('a'));
    await append(log, 'a', 1, [stepStarted('step-0')], running());
    await append(log, 'a', 2, [endOf()], ended());
    const keys = await server.keys(prefix);
    expect(keys.map((key) => key.slice(prefix.length).replace(/:[\w-]{43}$/, ':digest'))).toEqual([
      ...['definition:digest', 'events:a', 'execution:a', 'index:execution', 'index:execution:workflow-1'],
      'replicas',
    ]);
    for (const key of keys.slice(0, 5)) {
      expect(Number(await server.command('PTTL', key))).toBeGreaterThan(590_000);
    }
  });

  test('no longer lists, counts or finds a run that has expired', async () => {
    const { adapters, prefix } = await stores.make(server.url, { runRetentionMs: 300 });
    const log = adapters.runLog;
    for (const id of ['a', 'b', 'c']) await log.create(newEndedRun(id));
    expect((await log.list('workflow-1', {}, firstPage)).total).toBe(3);
    await until('it has expired', async () => (await log.get('c')) === undefined);
    expect(await log.read('c', 0, 10)).toBeUndefined();
    expect(await log.list('workflow-1', {}, firstPage)).toEqual({ total: 0, ...firstPage, items: [] });
    expect((await log.list('workflow-1', { statuses: ['COMPLETED'] }, firstPage)).total).toBe(0);
    expect(await log.listAll({}, { limit: 10 })).toEqual({ items: [], nextCursor: null });
    await until('nothing is left', async () => (await server.keys(`${prefix}index`)).length === 0);
  });

  test('goes on in a search of many runs with the next page', async () => {
    const { adapters } = await stores.make(server.url);
    const log = adapters.runLog;
    await log.create(newEndedRun('oldest'));
    for (let first = 0; first < 1_200; first += 100) {
      const ids = Array.from({ length: 100 }, (_, index) => `run-${first + index}`);
      await Promise.all(ids.map((id) => log.create(newRun(id))));
    }
    const filter = { statuses: ['COMPLETED' as const] };
    const page = await log.listAll(filter, { limit: 5 });
    expect(page.items.map(({ runId }) => runId)).toEqual(['oldest']);
    expect(await log.list('workflow-1', filter, firstPage)).toMatchObject({ total: 1 });
    expect(await log.list('workflow-1', { since: 0 }, { limit: 2, offset: 1_199 })).toMatchObject({
      ...{ total: 1_201, items: [{ runId: expect.any(String) }, { runId: 'oldest' }] },
    });
  });

  test('counts a damaged run as absent', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const log = adapters.runLog;
    const [key, events] = [`${prefix}execution:b`, `${prefix}events:b`];
    for (const damage of [
      [
        ['DEL', key],
        ['SET', key, 'garbage'],
      ],
      [['HSET', key, 'summary', 'x']],
      [['HSET', key, 'summary', '{"executionId":"other"}']],
      [['LSET', events, '0', '{"type": 7}']],
      [['LSET', events, '0', 'null']],
      [['DEL', events]],
      [
        ['DEL', events],
        ['SET', events, 'garbage'],
      ],
      [
        ['HDEL', key, 'definition'],
        ['HSET', key, 'results', 'null'],
      ],
      [['HSET', key, 'definition', 'none']],
    ]) {
      for (const id of ['a', 'b', 'c']) await log.create(newRun(id));
      for (const command of damage) await server.command(...command);
      const found = await Promise.all([log.get('b'), log.read('b', 0, 10), log.summary('b')]);
      expect(found).toContain(undefined);
      const ids = (await log.listAll({}, { limit: 10 })).items.map(({ runId }) => runId);
      expect(ids.filter((id) => id !== 'b')).toEqual(['c', 'a']);
      await server.command('DEL', key, events);
    }
  });

  test('writes an append whose reply was lost once', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const options = { timeoutMs: 200 };
      const { adapters, prefix } = await stores.make(`redis://127.0.0.1:${proxy.port}`, options);
      const log = adapters.runLog;
      await log.create(newRun('a'));
      for (let first = 1; first <= 5; first += 2) {
        proxy.setMode('mute');
        await append(log, 'a', first, [stepStarted(`step-${first}`)], running());
        await until('it is stored', async () => {
          return (await server.command('LLEN', `${prefix}events:a`)) === first + 1;
        });
        await append(log, 'a', first + 1, [stepCompleted(`step-${first}`)], running());
        proxy.setMode('pass');
        await until('it is written', () => adapters.buffered === 0);
      }
      expect(await append(log, 'a', 7, [endOf()], ended())).toBe('appended');
      const types = (await log.get('a'))?.events.map(({ type }) => type);
      const steps = ['step.started', 'step.completed'];
      const expected = ['execution.created', ...steps, ...steps, ...steps, 'execution.completed'];
      expect(types).toEqual(expected);
    } finally {
      await proxy.close();
    }
  });
});
