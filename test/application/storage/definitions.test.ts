import { describe, expect, test } from 'vitest';
import { createDefinitions } from '../../../src/application/storage/definitions.ts';
import { sampleVersion, storeVersions } from '../../contracts/definition-store.ts';
import { sharedParts, storageParts } from '../../support/storage.ts';

const page = { limit: 200, offset: 0 };

describe('definitions in rows', () => {
  test('have a key in one of several processes only', async () => {
    const stores = sharedParts(4).map(createDefinitions);
    const puts = await Promise.allSettled(
      stores.map((store, index) => store.put({ ...sampleVersion(`w${index}`, 1), key: 'same' })),
    );
    const winner = puts.findIndex(({ status }) => status === 'fulfilled');
    expect(puts.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect(await stores[0]?.idOfKey('same')).toBe(`w${winner}`);
    for (const [index, store] of stores.entries())
      expect(await store.has(`w${index}`)).toBe(index === winner);
  });

  test('that are put by several processes at the same time have the key of the last one', async () => {
    const stores = sharedParts(4).map(createDefinitions);
    await Promise.all(
      stores.map((store, index) => store.put({ ...sampleVersion('a', 1), key: `k${index}` })),
    );
    const last = (await stores[0]?.get('a'))?.key;
    for (const index of stores.keys()) {
      expect(await stores[0]?.idOfKey(`k${index}`)).toBe(`k${index}` === last ? 'a' : undefined);
    }
  });

  test('get one new version from several processes that replace the same one', async () => {
    const stores = sharedParts(4).map(createDefinitions);
    await stores[0]?.put(sampleVersion('a', 1));
    const outcomes = await Promise.all(
      stores.map((store, index) => store.replace({ ...sampleVersion('a', 2), name: `by ${index}` })),
    );
    const winner = outcomes.indexOf('replaced');
    expect(outcomes.toSorted()).toEqual(['conflict', 'conflict', 'conflict', 'replaced']);
    expect(await stores[0]?.version('a', 2)).toMatchObject({ name: `by ${winner}` });
  });

  test('leave no version behind that a new workflow of the same id would show', async () => {
    const store = createDefinitions(storageParts());
    await storeVersions(store, 'a', 120);
    await store.delete('a');
    await storeVersions(store, 'a', 30);
    expect((await store.versions('a', page))?.items).toHaveLength(30);
    await store.put(sampleVersion('a', 1));
    expect(await store.version('a', 2)).toBeUndefined();
  });

  test('have no field that a filter compares', async () => {
    const store = createDefinitions(storageParts());
    await store.put(sampleVersion('a', 1));
    expect((await store.list(page, {})).total).toBe(1);
    expect(await store.list(page, { statuses: ['x'] })).toEqual({ total: 0, ...page, items: [] });
  });

  test('are rejected while the store is away', async () => {
    const parts = storageParts();
    const store = createDefinitions(parts);
    parts.store.leave();
    const works = [store.put(sampleVersion('a', 1)), store.replace(sampleVersion('a', 2)), store.has('a')];
    await Promise.all(works.map((work) => expect(work).rejects.toMatchObject({ code: 'unavailable' })));
  });
});
