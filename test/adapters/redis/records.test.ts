import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { traceRecords } from '../../../src/domain/collections.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import type { RecordStore } from '../../../src/ports/storage/record-store.ts';
import {
  type SampleRecord,
  type SampleSummary,
  sample,
  sampleFilterFields,
  summarizeSample,
} from '../../contracts/record-store.ts';
import { createTestApp, jsonOf } from '../../support/http/app.ts';
import { oldTrace } from '../../support/old-trace.ts';
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

interface StoreUnderTest {
  readonly store: RecordStore<SampleRecord, SampleSummary>;
  readonly prefix: string;
}

async function makeStore(retentionMs?: number): Promise<StoreUnderTest> {
  const { adapters, prefix } = await stores.make(server.url);
  const collection = {
    name: 'sample',
    idOf: ({ id }: SampleRecord) => id,
    summarize: summarizeSample,
    filterFields: sampleFilterFields,
    lists: [],
    ...(retentionMs === undefined ? {} : { retentionMs }),
  };
  return { store: adapters.recordStore(collection), prefix };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function numberOf(...command: readonly string[]): Promise<number> {
  return Number(await server.command(...command));
}

describe('a record in Redis', () => {
  test('is stored under a key of the prefix and its id', async () => {
    const { store, prefix } = await makeStore(60_000);
    await store.put(sample(7));
    expect(await server.keys(`${prefix}sample`)).toEqual([`${prefix}sample:sample-7`]);
    expect(
      JSON.parse(String(await server.command('HGET', `${prefix}sample:sample-7`, 'record'))),
    ).toMatchObject({
      id: 'sample-7',
      body: { number: 7 },
    });
  });

  test('of version 0.6 is a trace that the service can show', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const traces = adapters.recordStore(traceRecords);
    // This version writes a trace, whose record is then replaced by that of the older one.
    await traces.put({ ...oldTrace, response: 'new', timeline: [] } as unknown as Trace);
    const key = `${prefix}traces:${oldTrace.traceId}`;
    await server.command('HSET', key, 'record', JSON.stringify(oldTrace));
    expect(await traces.get(oldTrace.traceId)).toEqual(oldTrace);
    const { request } = createTestApp({ ports: { traces } });
    const shown = await jsonOf(await request(`/trace/${oldTrace.traceId}`));
    expect(shown).toMatchObject({
      ...{ trace_id: oldTrace.traceId, disposition: 'escalated', concerns: [], prepared: null },
      ...{ subject: null, metadata: null, state_transitions: [{ to: 'RECEIVED' }] },
    });
    const query = '?status=COMPLETED&intent=order_status&escalated=true&customer_id=customer-1';
    for (const path of ['/trace', `/trace${query}&since=2026-01-01T00:00:00Z&until=2026-01-01T00:00:01Z`]) {
      const page = await jsonOf(await request(path));
      expect(page).toMatchObject({ total: 1, traces: [{ disposition: 'escalated', prepared: null }] });
    }
    expect(await jsonOf(await request('/trace?escalated=false'))).toMatchObject({ total: 0, traces: [] });
  });

  test('is not found, listed or counted once it has expired', async () => {
    const { store } = await makeStore(1_000);
    await Promise.all(Array.from({ length: 250 }, (_, number) => store.put(sample(number))));
    expect((await store.list(firstPage)).total).toBe(250);
    await sleep(600);
    await store.put(sample(250));
    await until('the first have expired', async () => (await store.get('sample-249')) === undefined);
    expect((await store.list({ limit: 1, offset: 0 })).total).toBeLessThanOrEqual(1);
    expect((await store.list(firstPage)).items.map(({ id }) => id)).not.toContain('sample-249');
    expect(await store.delete('sample-1')).toBe(false);
  });

  test('leaves no keys when it has expired, even if it is not read', async () => {
    const { store, prefix } = await makeStore(300);
    await store.put(sample(1));
    const left = async () => (await server.keys(prefix)).filter((key) => !key.endsWith('replicas'));
    expect(await left()).toHaveLength(2);
    await until('nothing is left', async () => (await left()).length === 0);
  });

  test('expires after its retention from its first put, even if it was replaced', async () => {
    const { store, prefix } = await makeStore(600_000);
    const key = `${prefix}sample:sample-1`;
    await store.put(sample(1));
    const expiry = await numberOf('PEXPIRETIME', key);
    const left = await numberOf('PTTL', key);
    expect(left).toBeGreaterThan(590_000);
    expect(left).toBeLessThanOrEqual(600_010);
    await sleep(20);
    await store.put(sample(1, { title: 'Replaced', body: 'x'.repeat(10_000) }));
    expect(await numberOf('PEXPIRETIME', key)).toBe(expiry);
  });

  test('is new when it is put again after it has expired', async () => {
    const { store } = await makeStore(300);
    await store.put(sample(1));
    await sleep(150);
    await store.put(sample(2));
    await until('the record has expired', async () => (await store.get('sample-1')) === undefined);
    await store.put(sample(1));
    expect(await store.get('sample-1')).toMatchObject({ title: 'Sample 1' });
    expect((await store.list(firstPage)).items[0]?.id).toBe('sample-1');
  });

  test('never expires if its collection has no retention', async () => {
    const { store, prefix } = await makeStore();
    await store.put(sample(1));
    for (const key of await server.keys(`${prefix}sample`)) expect(await numberOf('PTTL', key)).toBe(-1);
    expect(await numberOf('PTTL', `${prefix}index:sample`)).toBe(-1);
  });

  test('is listed with its latest summary, for small and large versions', async () => {
    const { store } = await makeStore(60_000);
    for (const length of [10, 10_000, 10]) {
      await store.put(sample(1, { title: `of ${length}`, body: 'x'.repeat(length) }));
      expect((await store.list(firstPage)).items.map(({ title }) => title)).toEqual([`of ${length}`]);
    }
  });
});

describe('an index in Redis', () => {
  test('removes expired records as new ones are added', async () => {
    const { store, prefix } = await makeStore(500);
    for (let number = 0; number < 250; number++) await store.put(sample(number));
    const size = () => numberOf('ZCARD', `${prefix}index:sample`);
    let number = 250;
    await until('all the expired are forgotten', async () => {
      await store.put(sample(number++, { id: 'latest' }));
      return (await size()) === 1;
    });
    expect(await server.command('ZRANGE', `${prefix}index:sample`, '0', '-1')).toEqual(['latest']);
  });

  test('orders records by their insertion even when the clock of the store goes back', async () => {
    const { store, prefix } = await makeStore(3_600_000);
    await store.put(sample(1));
    const [seconds] = [await server.command('TIME')].flat();
    await server.command('ZADD', `${prefix}index:sample`, String((Number(seconds) + 60) * 1e6), 'sample-1');
    await store.put(sample(2));
    await store.put(sample(3));
    expect((await store.list(firstPage)).items.map(({ id }) => id)).toEqual([
      'sample-3',
      'sample-2',
      'sample-1',
    ]);
  });
});

describe('a filtered listing in Redis', () => {
  test('counts no expired record, and none that is missing or broken', async () => {
    const { store, prefix } = await makeStore(1_500);
    const escalated = true;
    await store.put(sample(1, { escalated }));
    await sleep(800);
    for (const number of [2, 3, 4, 5]) await store.put(sample(number, { escalated }));
    await server.command('DEL', `${prefix}sample:sample-3`);
    await server.command('HSET', `${prefix}sample:sample-4`, 'record', '"escalated":true');
    const idsNow = async () => (await store.list(firstPage, { escalated })).items.map(({ id }) => id);
    expect(await idsNow()).toEqual(['sample-5', 'sample-2', 'sample-1']);
    await until('the first has expired', async () => (await idsNow()).length === 2);
    expect(await store.list(firstPage, { escalated })).toMatchObject({ total: 2 });
  });

  test('finds a record that the clock of the store dates before its creation', async () => {
    const { store } = await makeStore(60_000);
    const [seconds] = [await server.command('TIME')].flat();
    const storeMs = Number(seconds) * 1_000;
    const createdAt = new Date(storeMs + 30 * 60_000).toISOString();
    await store.put(sample(1, { createdAt }));
    await store.put(sample(2, { createdAt: new Date(storeMs).toISOString() }));
    const { total, items } = await store.list(firstPage, { since: storeMs + 60_000 });
    expect([total, items.map(({ id }) => id)]).toEqual([1, ['sample-1']]);
  });

  test('reads no further back than `since` needs', async () => {
    const { store, prefix } = await makeStore();
    for (const number of [1, 2]) await store.put(sample(number));
    const [seconds] = [await server.command('TIME')].flat();
    const longAgo = (Number(seconds) - 7_200) * 1e6;
    await server.command('ZADD', `${prefix}index:sample`, String(longAgo), 'sample-1');
    const { items } = await store.list(firstPage, { since: Number(seconds) * 1_000 - 60_000 });
    expect(items.map(({ id }) => id)).toEqual(['sample-2']);
  });

  test('adds nothing to what a put writes', async () => {
    const { store, prefix } = await makeStore(60_000);
    await store.put(sample(1, { status: 'FAILED', escalated: true, customerId: 'c', intent: 'refund' }));
    expect((await server.keys(`${prefix}`)).filter((key) => key.includes('sample')).sort()).toEqual([
      `${prefix}index:sample`,
      `${prefix}sample:sample-1`,
    ]);
  });
});

describe('data of another program in Redis', () => {
  const broken: readonly (readonly [string, (key: string) => readonly string[]])[] = [
    ['a text', (key) => ['SET', key, 'garbage']],
    ['a list', (key) => ['RPUSH', key, 'garbage']],
    ['an empty hash field', (key) => ['HSET', key, 'record', '']],
    ['broken JSON', (key) => ['HSET', key, 'record', '{"id": "sample-2", "title']],
    ['JSON that is no object', (key) => ['HSET', key, 'record', '[1, 2]']],
    ['the record of another id', (key) => ['HSET', key, 'record', '{"id": "sample-9", "title": "x"}']],
    ['a prototype', (key) => ['HSET', key, 'record', '{"__proto__": {"id": "sample-2"}}']],
    ['a record of another shape', (key) => ['HSET', key, 'other', 'field']],
  ];

  test.each(broken)('counts as absent: %s', async (_, write) => {
    const { store, prefix } = await makeStore(60_000);
    for (const number of [1, 2, 3]) await store.put(sample(number));
    await server.command('DEL', `${prefix}sample:sample-2`);
    await server.command(...write(`${prefix}sample:sample-2`));
    expect(await store.get('sample-2')).toBeUndefined();
    const { total, items } = await store.list(firstPage);
    expect(items.map(({ id }) => id)).toEqual(['sample-3', 'sample-1']);
    expect(total).toBe(2);
    await store.put(sample(2));
    expect(await store.get('sample-2')).toMatchObject({ title: 'Sample 2' });
  });

  test('is skipped if an index refers to a missing record, and removed from the index', async () => {
    const { store, prefix } = await makeStore(60_000);
    for (let number = 0; number < 30; number++) await store.put(sample(number));
    for (let number = 0; number < 30; number += 2)
      await server.command('DEL', `${prefix}sample:sample-${number}`);
    const { total, items } = await store.list({ limit: 10, offset: 0 });
    expect(items).toHaveLength(10);
    expect(items[0]?.id).toBe('sample-29');
    expect(total).toBeLessThan(30);
    expect((await store.list({ limit: 200, offset: 0 })).total).toBe(15);
  });

  test('counts as absent without a list that readers iterate', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const store = adapters.recordStore({
      ...{ name: 'trace', idOf: ({ id }: { id: string; steps: string[] }) => id, lists: ['steps'] },
      summarize: ({ id }: { id: string; steps: string[] }) => ({ id }),
    });
    await store.put({ id: 'a', steps: [] });
    expect(await store.get('a')).toEqual({ id: 'a', steps: [] });
    await server.command('HSET', `${prefix}trace:a`, 'record', '{"id": "a", "steps": {}}');
    expect(await store.get('a')).toBeUndefined();
    expect((await store.list(firstPage)).items).toEqual([]);
  });
});
