import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/lib/json/json.ts';
import type { RecordStore } from '../../src/ports/record-store.ts';

/** A record like those of every collection: an id, a time, and other JSON. */
export interface SampleRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly title: string;
  readonly body: JsonValue;
}

export type SampleSummary = Omit<SampleRecord, 'body'>;

/** What a listing shows of a sample. */
export function summarizeSample({ id, createdAt, title }: SampleRecord): SampleSummary {
  return { id, createdAt, title };
}

/** A sample whose id and content follow from its number. */
export function sample(number: number, changes: Partial<SampleRecord> = {}): SampleRecord {
  return {
    id: `sample-${number}`,
    createdAt: new Date().toISOString(),
    title: `Sample ${number}`,
    body: { number },
    ...changes,
  };
}

const awkwardBody: JsonValue = JSON.parse(
  '{"__proto__": {"polluted": true}, "constructor": 1, "": null, "a\\u0000b": "\\ud800 \\u2028 \\r\\n", ' +
    '"emoji": "👩‍👩‍👧 שלום", "deep": [[[{"__proto__": []}]]], "number": 1e-7, "big": 9007199254740991}',
);

const awkwardIds = [
  '*',
  'a b',
  'a\r\nb',
  '../x',
  '{x}',
  'ä👍',
  '__proto__',
  'constructor',
  'x'.repeat(512),
  ':',
];

/**
 * What every record store promises. `makeStore` creates an empty store with room for at least 300 records; the tests of
 * its adapter clean up.
 */
export function recordStoreContract(
  name: string,
  makeStore: () => Promise<RecordStore<SampleRecord, SampleSummary>>,
): void {
  const firstPage = { limit: 50, offset: 0 };

  describe(`${name} as a record store`, () => {
    test('finds nothing while it is empty', async () => {
      const store = await makeStore();
      expect(await store.get('sample-1')).toBeUndefined();
      expect(await store.delete('sample-1')).toBe(false);
      expect(await store.list(firstPage)).toEqual({ total: 0, limit: 50, offset: 0, items: [] });
    });

    test('returns what was put, with keys such as `__proto__` and odd characters', async () => {
      const store = await makeStore();
      const record = sample(1, { title: 'lone \ud800 and ☃ and 𝔘', body: awkwardBody });
      await store.put(record);
      const found = await store.get(record.id);
      expect(JSON.stringify(found)).toBe(JSON.stringify(record));
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    });

    test('returns any JSON as it was put', async () => {
      const store = await makeStore();
      const bodies = fc.jsonValue({ maxDepth: 6 });
      await fc.assert(
        fc.asyncProperty(bodies, fc.string({ unit: 'binary' }), async (body, title) => {
          const record = sample(1, { title, body: JSON.parse(JSON.stringify(body)) });
          await store.put(record);
          expect(await store.get(record.id)).toEqual(record);
          expect((await store.list(firstPage)).items).toEqual([summarizeSample(record)]);
        }),
        { numRuns: 50 },
      );
    });

    test('keeps records under any id', async () => {
      const store = await makeStore();
      for (const [number, id] of awkwardIds.entries()) await store.put(sample(number, { id }));
      for (const [number, id] of awkwardIds.entries()) {
        expect(await store.get(id)).toMatchObject({ id, title: `Sample ${number}` });
      }
      const listed = await store.list(firstPage);
      expect(listed.items.map(({ id }) => id)).toEqual(awkwardIds.toReversed());
      for (const id of awkwardIds) expect(await store.delete(id)).toBe(true);
      expect((await store.list(firstPage)).total).toBe(0);
    });

    test('keeps a record of 1 MiB', async () => {
      const store = await makeStore();
      const record = sample(1, { body: '☃ '.repeat(262_144) });
      await store.put(record);
      expect(await store.get(record.id)).toEqual(record);
    });

    test('shares no object with what was put or read', async () => {
      const store = await makeStore();
      const body = { list: [1, 2] };
      const pending = store.put(sample(1, { body }));
      body.list.push(3);
      await pending;
      const found = await store.get('sample-1');
      expect(found?.body).toEqual({ list: [1, 2] });
      Object.assign(found ?? {}, { title: 'changed', body: null });
      expect(await store.get('sample-1')).toMatchObject({ title: 'Sample 1', body: { list: [1, 2] } });
      const [listed] = (await store.list(firstPage)).items;
      Object.assign(listed ?? {}, { title: 'changed' });
      expect((await store.list(firstPage)).items[0]?.title).toBe('Sample 1');
    });

    test('lists summaries, newest first', async () => {
      const store = await makeStore();
      const createdAt = new Date().toISOString();
      for (const number of [1, 2, 3]) await store.put(sample(number, { createdAt }));
      expect(await store.list(firstPage)).toEqual({
        total: 3,
        ...firstPage,
        items: [3, 2, 1].map((number) => summarizeSample(sample(number, { createdAt }))),
      });
    });

    test('summarizes large records like small ones', async () => {
      const store = await makeStore();
      const record = sample(1, { body: 'x'.repeat(10_000) });
      await store.put(record);
      expect((await store.list(firstPage)).items).toEqual([summarizeSample(record)]);
    });

    test('pages through all records, each once', async () => {
      const store = await makeStore();
      const numbers = Array.from({ length: 25 }, (_, index) => index);
      for (const number of numbers) await store.put(sample(number));
      const seen: string[] = [];
      for (const offset of [0, 10, 20, 30]) {
        const page = await store.list({ limit: 10, offset });
        expect(page).toMatchObject({ total: 25, limit: 10, offset });
        seen.push(...page.items.map(({ id }) => id));
      }
      expect(seen).toEqual(numbers.toReversed().map((number) => `sample-${number}`));
    });

    test('returns an empty page for any offset beyond the end', async () => {
      const store = await makeStore();
      await store.put(sample(1));
      for (const offset of [1, 1_000, 999_999_999_999_999]) {
        expect(await store.list({ limit: 200, offset })).toEqual({ total: 1, limit: 200, offset, items: [] });
      }
    });

    test('replaces a record in its place', async () => {
      const store = await makeStore();
      for (const number of [1, 2, 3]) await store.put(sample(number));
      await store.put(sample(1, { title: 'Replaced' }));
      expect(await store.get('sample-1')).toMatchObject({ title: 'Replaced' });
      const { total, items } = await store.list(firstPage);
      expect(total).toBe(3);
      expect(items.map(({ title }) => title)).toEqual(['Sample 3', 'Sample 2', 'Replaced']);
    });

    test('forgets a deleted record, once', async () => {
      const store = await makeStore();
      for (const number of [1, 2, 3]) await store.put(sample(number));
      expect(await store.delete('sample-2')).toBe(true);
      expect(await store.delete('sample-2')).toBe(false);
      expect(await store.get('sample-2')).toBeUndefined();
      const { total, items } = await store.list(firstPage);
      expect(total).toBe(2);
      expect(items.map(({ id }) => id)).toEqual(['sample-3', 'sample-1']);
      await store.put(sample(2));
      expect((await store.list(firstPage)).items[0]?.id).toBe('sample-2');
    });

    test('keeps all of many records that are put at the same time', async () => {
      const store = await makeStore();
      const numbers = Array.from({ length: 200 }, (_, index) => index);
      await Promise.all(numbers.map((number) => store.put(sample(number))));
      const { total, items } = await store.list({ limit: 200, offset: 0 });
      expect(total).toBe(200);
      expect(new Set(items.map(({ id }) => id)).size).toBe(200);
    });

    test('deletes a record for exactly one of several callers at the same time', async () => {
      const store = await makeStore();
      await store.put(sample(1));
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.delete('sample-1')));
      expect(outcomes.filter((deleted) => deleted)).toHaveLength(1);
    });
  });
}
