import { describe, expect, test } from 'vitest';
import type { DatasetExample } from '../../src/domain/inbox/example.ts';
import type { ExampleFilter } from '../../src/ports/storage/example-store.ts';
import {
  at,
  hostileIds,
  hostileText,
  type MakePeopleStores,
  type PeopleStores,
  resolved,
  sampleExample,
  sampleItem,
} from './inbox-store-samples.ts';

/** Stores an example as decisions about items do. */
async function learn({ inbox }: Pick<PeopleStores, 'inbox'>, example: DatasetExample): Promise<void> {
  const item = sampleItem(`${example.datasetId}/${example.exampleId}`);
  await inbox.create(item);
  await inbox.update({ item: resolved(item), expectedVersion: 1, example });
}

/** All examples of a listing, read page by page; `between` is called after each page. */
async function listAll(
  { examples }: PeopleStores,
  filter: ExampleFilter,
  limit: number,
  between = async (_page: number) => {},
) {
  const seen: DatasetExample[] = [];
  let cursor: number | undefined;
  for (let page = 0; page < 1_000; page++) {
    const listed = await examples.list('inbox', filter, { limit, cursor });
    expect(listed.examples.length).toBeLessThanOrEqual(limit);
    seen.push(...listed.examples);
    if (listed.nextCursor === null) return seen;
    cursor = listed.nextCursor;
    await between(page);
  }
  throw new Error('the listing does not end');
}

const none = { proposed: 0, accepted: 0, rejected: 0 };
const numbered = (number: number, changes: Partial<DatasetExample> = {}) =>
  sampleExample(`example-${number}`, changes);

/** The promises of every store of examples. It has room for at least 300 examples. */
export function exampleStoreContract(name: string, make: MakePeopleStores): void {
  describe(`${name} as a store of examples`, () => {
    test('finds nothing while it is empty', async () => {
      const { examples } = await make();
      expect(await examples.counts('inbox')).toEqual(none);
      expect(await examples.list('inbox', {}, { limit: 9 })).toEqual({ examples: [], nextCursor: null });
      expect(await examples.get('inbox', 'example-1')).toBeUndefined();
      expect(await examples.update(numbered(1))).toBe(false);
      expect(await examples.delete('inbox', 'example-1')).toBe(false);
      expect(await examples.get('inbox', 'example-1')).toBeUndefined();
    });

    test('returns what was stored, and shares no object with it', async () => {
      const stores = await make();
      const { examples } = stores;
      const example = numbered(1, { message: hostileText, intent: hostileText, customerId: hostileText });
      await learn(stores, example);
      const read = await examples.get('inbox', 'example-1');
      expect(JSON.stringify(read)).toBe(JSON.stringify(example));
      Object.assign(read ?? {}, { message: 'changed' });
      const [listed] = (await examples.list('inbox', {}, { limit: 1 })).examples;
      expect(listed).toEqual(example);
      Object.assign(listed ?? {}, { message: 'changed' });
      expect(await examples.get('inbox', 'example-1')).toEqual(example);
    });

    test.each([1, 4, 15, 30, 200])(
      'lists each example once, the first stored first, in pages of %i',
      async (limit) => {
        const stores = await make();
        const all = Array.from({ length: 30 }, (_, index) =>
          numbered((index * 7) % 30, { createdAt: at(-index) }),
        );
        for (const example of all) await learn(stores, example);
        expect(await listAll(stores, {}, limit)).toEqual(all);
      },
    );

    test('lists each example that stays once while others come and go', async () => {
      const stores = await make();
      for (let number = 0; number < 60; number++) await learn(stores, numbered(number));
      const seen = await listAll(stores, {}, 7, async (page) => {
        await stores.examples.delete('inbox', `example-${3 * page}`);
        await learn(stores, numbered(100 + page));
      });
      const ids = seen.map(({ exampleId }) => exampleId);
      expect(new Set(ids).size).toBe(ids.length);
      const staying = ids.filter((id) => Number(id.slice(8)) < 60 && Number(id.slice(8)) % 3 !== 0);
      expect(staying).toHaveLength(40);
    });

    test('filters by status and customer, and counts by status', async () => {
      const stores = await make();
      const all = Array.from({ length: 36 }, (_, number) =>
        numbered(number, {
          status: (['proposed', 'accepted', 'rejected'] as const)[number % 3] ?? 'proposed',
          customerId: `customer-${number % 4}`,
        }),
      );
      for (const example of all) await learn(stores, example);
      const filters: readonly ExampleFilter[] = [
        ...([{}, { status: 'accepted' }, { customerId: 'customer-1' }, { customerId: 'customer' }] as const),
        ...([{ status: 'rejected', customerId: 'customer-3' }, { customerId: '%' }] as const),
      ];
      for (const filter of filters) {
        const { status, customerId } = filter;
        const fitting = all.filter(
          (example) =>
            (status ?? example.status) === example.status &&
            (customerId ?? example.customerId) === example.customerId,
        );
        for (const limit of [2, 200]) expect(await listAll(stores, filter, limit)).toEqual(fitting);
      }
      expect(await stores.examples.counts('inbox')).toEqual({ proposed: 12, accepted: 12, rejected: 12 });
    });

    test('replaces an example in its place', async () => {
      const stores = await make();
      const { examples } = stores;
      for (const number of [1, 2, 3]) await learn(stores, numbered(number));
      const decided = numbered(1, { status: 'accepted', decidedBy: hostileText, decidedAt: at(2_000) });
      expect(await examples.update(decided)).toBe(true);
      expect(await examples.get('inbox', 'example-1')).toEqual(decided);
      expect(await listAll(stores, {}, 2)).toEqual([decided, numbered(2), numbered(3)]);
      expect(await listAll(stores, { status: 'proposed' }, 2)).toEqual([numbered(2), numbered(3)]);
      expect(await examples.counts('inbox')).toEqual({ proposed: 2, accepted: 1, rejected: 0 });
    });

    test('deletes an example for exactly one of several callers', async () => {
      const stores = await make();
      const { examples } = stores;
      for (const number of [1, 2, 3]) await learn(stores, numbered(number));
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => examples.delete('inbox', 'example-2')),
      );
      expect(outcomes.filter((isDeleted) => isDeleted)).toHaveLength(1);
      expect(await examples.get('inbox', 'example-2')).toBeUndefined();
      expect(await examples.update(numbered(2))).toBe(false);
      expect(await listAll(stores, {}, 1)).toEqual([numbered(1), numbered(3)]);
      expect(await examples.counts('inbox')).toEqual({ ...none, proposed: 2 });
    });

    test('keeps examples of any id, customer and dataset apart', async () => {
      const stores = await make();
      const { examples } = stores;
      for (const id of hostileIds) await learn(stores, sampleExample(id, { customerId: id }));
      for (const id of hostileIds) await learn(stores, sampleExample('same', { datasetId: `set ${id}` }));
      expect((await listAll(stores, {}, 10)).map(({ exampleId }) => exampleId)).toEqual(hostileIds);
      for (const id of hostileIds) {
        expect(await examples.get('inbox', id)).toEqual(sampleExample(id, { customerId: id }));
        expect(await listAll(stores, { customerId: id }, 10)).toHaveLength(1);
        expect(await examples.counts(`set ${id}`)).toEqual({ ...none, proposed: 1 });
        expect(await examples.get(`set ${id}`, 'same')).toMatchObject({ datasetId: `set ${id}` });
        expect(await examples.delete('inbox', id)).toBe(true);
      }
      expect(await examples.counts('inbox')).toEqual(none);
    });
  });
}
