import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FilterFields, fitsFilter, type RecordFilter } from '../../src/domain/record-filter.ts';
import type { JsonValue } from '../../src/lib/json/json.ts';
import type { RecordStore } from '../../src/ports/storage/record-store.ts';

/** A record like those of every collection: an id, a time, what filters compare, and other JSON. */
export interface SampleRecord extends FilterFields {
  readonly id: string;
  readonly createdAt: string;
  readonly title: string;
  readonly body: JsonValue;
}

export type SampleSummary = Omit<SampleRecord, 'body'>;

/** The part of a sample that listings show. */
export function summarizeSample({ body: _, ...summary }: SampleRecord): SampleSummary {
  return summary;
}

/** The part of a sample that filters compare. */
export function sampleFilterFields(sample: SampleSummary): FilterFields {
  const { createdAt, status, intent, escalated, customerId } = sample;
  return {
    createdAt,
    ...(status === undefined ? {} : { status }),
    ...(intent === undefined ? {} : { intent }),
    ...(escalated === undefined ? {} : { escalated }),
    ...(customerId === undefined ? {} : { customerId }),
  };
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
 * The promises of every record store. `makeStore` creates an empty store with room for at least 300 records; the tests
 * of its adapter clean up.
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

    describe('with a filter', () => {
      const noon = Date.parse('2026-01-01T12:00:00.000Z');
      const at = (ms: number) => new Date(noon + ms).toISOString();

      /** Samples of all kinds, small and large, oldest first; some are older than those put before them. */
      const mixed = Array.from({ length: 24 }, (_, number) =>
        sample(number, {
          createdAt: at(((number * 7) % 24) * 10),
          status: number % 3 === 0 ? 'FAILED' : 'COMPLETED',
          escalated: number % 2 === 0,
          intent: ['refund', 'billing', 'unknown'][number % 5] ?? 'refund',
          customerId: `c-${number % 4}`,
          body: number % 6 === 0 ? 'x'.repeat(5_000) : number,
        }),
      );

      const filters: readonly RecordFilter[] = [
        {},
        { statuses: ['FAILED'] },
        { statuses: ['FAILED', 'COMPLETED'] },
        { statuses: ['PARTIAL', 'FAILED'] },
        { statuses: [] },
        { intent: 'refund' },
        { intent: 'ref' },
        { escalated: true },
        { escalated: false },
        { customerId: 'c-1' },
        { customerId: '' },
        { since: noon + 100 },
        { until: noon + 100 },
        { since: noon + 50, until: noon + 200 },
        { since: noon + 51, until: noon + 199 },
        { since: noon + 200, until: noon + 50 },
        { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY },
        { since: Number.NaN },
        { statuses: ['COMPLETED'], escalated: true, intent: 'billing', customerId: 'c-2', since: noon },
      ];

      test.each(filters)('lists and counts exactly what fits: %j', async (filter) => {
        const store = await makeStore();
        for (const record of mixed) await store.put(record);
        const fitting = mixed.filter((record) => fitsFilter(record, filter)).toReversed();
        for (const page of [firstPage, { limit: 2, offset: 0 }, { limit: 3, offset: 4 }]) {
          expect(await store.list(page, filter)).toEqual({
            total: fitting.length,
            ...page,
            items: fitting.slice(page.offset, page.offset + page.limit).map(summarizeSample),
          });
        }
      });

      test('includes the first millisecond of a range and not the last', async () => {
        const store = await makeStore();
        for (const ms of [0, 1, 2, 3]) await store.put(sample(ms, { createdAt: at(ms) }));
        const { total, items } = await store.list(firstPage, { since: noon + 1, until: noon + 3 });
        expect([total, items.map(({ id }) => id)]).toEqual([2, ['sample-2', 'sample-1']]);
      });

      test.each(['"', '\\', '","status":"FAILED', 'é☃𝔘', '\u0000', '%s', '[a-z]+', '\ud800', '__proto__'])(
        'compares texts literally: %j',
        async (customerId) => {
          const store = await makeStore();
          const others = [`${customerId}x`, `x${customerId}`, 'a', customerId.repeat(2)];
          for (const [number, other] of others.entries())
            await store.put(sample(number, { customerId: other }));
          await store.put(sample(9, { customerId }));
          const { total, items } = await store.list(firstPage, { customerId });
          expect([total, items.map(({ id }) => id)]).toEqual([1, ['sample-9']]);
        },
      );

      test('looks at the fields of the record, not at what is nested in it', async () => {
        const store = await makeStore();
        const nested = { status: 'FAILED', escalated: true, intent: 'refund', customerId: 'c-1' };
        await store.put(sample(1, { status: 'COMPLETED', escalated: false, intent: 'x', body: nested }));
        await store.put(sample(2, { title: JSON.stringify(nested), body: [nested] }));
        for (const filter of [{ statuses: ['FAILED'] }, { escalated: true }, { customerId: 'c-1' }]) {
          expect(await store.list(firstPage, filter)).toMatchObject({ total: 0, items: [] });
        }
      });

      test('follows records that are replaced and deleted', async () => {
        const store = await makeStore();
        for (const number of [1, 2, 3]) await store.put(sample(number, { status: 'FAILED' }));
        await store.put(sample(1, { status: 'COMPLETED' }));
        await store.delete('sample-3');
        const { total, items } = await store.list(firstPage, { statuses: ['FAILED'] });
        expect([total, items.map(({ id }) => id)]).toEqual([1, ['sample-2']]);
      });

      test('pages through many records, each once, also while others are put', async () => {
        const store = await makeStore();
        for (let number = 0; number < 250; number++)
          await store.put(sample(number, { escalated: number < 225 }));
        const seen: string[] = [];
        for (const offset of [0, 100, 200]) {
          const listing = store.list({ limit: 100, offset }, { escalated: true });
          await store.put(sample(1_000 + offset, { escalated: false }));
          const page = await listing;
          expect(page.total).toBe(225);
          seen.push(...page.items.map(({ id }) => id));
        }
        expect(seen).toEqual(Array.from({ length: 225 }, (_, place) => `sample-${224 - place}`));
      });
    });
  });
}
