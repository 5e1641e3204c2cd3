import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/store.ts';
import { memoryStorage } from '../../../src/adapters/memory-storage.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createRecords, recordTable } from '../../../src/application/storage/records.ts';
import {
  recordStoreContract,
  type SampleRecord,
  sample,
  sampleFilterFields,
  summarizeSample,
} from '../../contracts/record-store.ts';

const collection = {
  name: 'samples',
  idOf: ({ id }: SampleRecord) => id,
  summarize: summarizeSample,
  filterFields: sampleFilterFields,
};

/** Creates records in memory, about as many as these bounds allow. */
function makeStore({ maxRows = 1_000, maxBytes = 1_000_000_000 } = {}) {
  const rules = { samples: { limits: [{ maxRows, maxBytes }], isQueue: true } };
  const store = createMemoryStore(systemClock, { rules });
  const parts = { store, clock: systemClock, random: Math.random };
  return createRecords(parts, collection, recordTable(collection));
}

async function idsIn(store: ReturnType<typeof makeStore>): Promise<string[]> {
  return (await store.list({ limit: 200, offset: 0 })).items.map(({ id }) => id);
}

recordStoreContract('memory', async () => makeStore());

describe('a record store in memory', () => {
  test('evicts its oldest records beyond its limit', async () => {
    const store = makeStore({ maxRows: 3 });
    for (const number of [1, 2, 3, 4, 5]) await store.put(sample(number));
    expect(await idsIn(store)).toEqual(['sample-5', 'sample-4', 'sample-3']);
    expect(await store.get('sample-2')).toBeUndefined();
    expect((await store.list({ limit: 1, offset: 0 })).total).toBe(3);
  });

  test('evicts by the time of the first put, even if a record was replaced', async () => {
    const store = makeStore({ maxRows: 2 });
    for (const number of [1, 2, 1, 3]) await store.put(sample(number));
    expect(await idsIn(store)).toEqual(['sample-3', 'sample-2']);
  });

  test('does not count deleted records', async () => {
    const store = makeStore({ maxRows: 2 });
    for (const number of [1, 2]) await store.put(sample(number));
    await store.delete('sample-2');
    await store.put(sample(3));
    expect(await idsIn(store)).toEqual(['sample-3', 'sample-1']);
  });

  test('keeps records up to its limit of bytes', async () => {
    const records = [1, 2, 3].map((number) => sample(number, { body: '☃'.repeat(10_000) }));
    const bytes = (value: object) => Buffer.byteLength(JSON.stringify(value));
    // A row takes some bytes beside its JSON.
    const all = records.reduce((sum, record) => sum + bytes(record) + 256, 0);
    const enough = makeStore({ maxBytes: all });
    const short = makeStore({ maxBytes: all - 1 });
    for (const record of records) {
      await enough.put(record);
      await short.put(record);
    }
    expect(await idsIn(enough)).toEqual(['sample-3', 'sample-2', 'sample-1']);
    expect(await idsIn(short)).toEqual(['sample-3', 'sample-2']);
  });

  test('counts only the latest bytes of a replaced record', async () => {
    const store = makeStore({ maxBytes: 5_000 });
    await store.put(sample(1));
    for (const length of [3_000, 10, 3_000, 10]) await store.put(sample(2, { body: 'x'.repeat(length) }));
    expect(await idsIn(store)).toEqual(['sample-2', 'sample-1']);
    await store.put(sample(3, { body: 'x'.repeat(4_500) }));
    expect(await idsIn(store)).toEqual(['sample-3']);
    await store.delete('sample-3');
    await store.put(sample(4, { body: 'x'.repeat(4_500) }));
    expect(await idsIn(store)).toEqual(['sample-4']);
  });

  test('does not keep a record that is larger than its limit, and evicts no other for it', async () => {
    const store = makeStore({ maxBytes: 5_000 });
    for (const number of [1, 2]) await store.put(sample(number));
    await store.put(sample(2, { body: 'x'.repeat(6_000) }));
    expect(await idsIn(store)).toEqual(['sample-1']);
    expect(await store.get('sample-2')).toBeUndefined();
  });

  test('yields to the event loop while it reads a long page, which is a snapshot of the call', async () => {
    const body = Array.from({ length: 200_000 }, (_, place) => [place]);
    const heavy = (number: number) => sample(number, { body });
    const store = makeStore();
    for (let number = 1; number <= 12; number++) await store.put(heavy(number));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (turns === 1) void store.delete('sample-1').then(() => store.put(heavy(13)));
      ticking = setImmediate(count);
    };
    let ticking = setImmediate(count);
    const page = await store.list({ limit: 12, offset: 0 });
    clearImmediate(ticking);
    expect(turns).toBeGreaterThan(1);
    expect(page.total).toBe(12);
    expect(page.items.map(({ id }) => id).toSorted()).toEqual(
      Array.from({ length: 12 }, (_, place) => `sample-${place + 1}`).toSorted(),
    );
    expect(await store.get('sample-1')).toBeUndefined();
  });

  test('is always available', () => {
    expect(() => memoryStorage().storage.assertAvailable()).not.toThrow();
  });
});
