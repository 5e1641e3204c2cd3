import { describe, expect, test } from 'vitest';
import { createMemoryDefinitionStore } from '../../../src/adapters/memory/definitions/definition-store.ts';
import { memoryStorage } from '../../../src/adapters/memory/storage.ts';
import { definitionStoreContract, sampleVersion, storeVersions } from '../../contracts/definition-store.ts';
import { runVersionsContract } from '../../contracts/run-versions.ts';

const page = { limit: 50, offset: 0 };

definitionStoreContract('memory', async () => createMemoryDefinitionStore({ maxRecords: 1_000 }));

runVersionsContract('memory', async () => memoryStorage());

describe('definitions in memory', () => {
  test('are rejected beyond the limit, until one is deleted; new versions are not', async () => {
    const store = createMemoryDefinitionStore({ maxRecords: 2 });
    for (const id of ['a', 'b']) await store.put(sampleVersion(id, 1));
    await expect(store.put(sampleVersion('c', 1))).rejects.toMatchObject({
      code: 'conflict',
      message: 'the store is full: the limit is 2 records, delete some first',
    });
    expect(await store.replace(sampleVersion('a', 2))).toBe('replaced');
    await store.put(sampleVersion('b', 1));
    await store.delete('a');
    await store.put(sampleVersion('c', 1));
    expect((await store.list(page)).items.map(({ id }) => id)).toEqual(['c', 'b']);
  });

  test('are rejected beyond the limit of bytes, also as new versions, until one is deleted', async () => {
    const large = (id: string, version: number, length: number) => ({
      ...sampleVersion(id, 1),
      version,
      description: 'x'.repeat(length),
    });
    const bytes = Buffer.byteLength(JSON.stringify(large('a', 1, 1_000)));
    const store = createMemoryDefinitionStore({ maxRecords: 9, maxNewestBytes: 2 * bytes });
    for (const id of ['a', 'b']) await store.put(large(id, 1, 1_000));
    const full = { code: 'conflict', message: expect.stringContaining(`${2 * bytes} bytes of definitions`) };
    await expect(store.put(large('c', 1, 1_000))).rejects.toMatchObject(full);
    await expect(store.replace(large('a', 2, 1_001))).rejects.toMatchObject(full);
    expect(await store.replace(large('a', 2, 999))).toBe('replaced');
    await store.delete('b');
    await store.put(large('c', 1, 1_000));
    expect((await store.list(page)).items.map(({ id }) => id)).toEqual(['c', 'a']);
  });

  test('lose the versions that were replaced first beyond the limit of bytes, never the newest one', async () => {
    const large = (id: string, version: number) => ({
      ...sampleVersion(id, 1),
      ...{ version, description: 'x'.repeat(1_000) },
    });
    const bytes = Buffer.byteLength(JSON.stringify(large('a', 1)));
    const store = createMemoryDefinitionStore({ maxRecords: 9, maxOldBytes: 2 * bytes });
    const kept = async (id: string) => (await store.versions(id, page))?.items.map(({ version }) => version);
    for (const id of ['a', 'b']) await store.put(large(id, 1));
    for (const id of ['a', 'b']) await store.replace(large(id, 2));
    expect([await kept('a'), await kept('b')]).toEqual([
      [2, 1],
      [2, 1],
    ]);
    await store.replace(large('b', 3));
    expect([await kept('a'), await kept('b')]).toEqual([[2], [3, 2, 1]]);
    await store.replace({ ...large('b', 4), description: 'x'.repeat(9_000) });
    expect([await kept('a'), await kept('b')]).toEqual([[2], [4, 3, 2]]);
    expect(await store.version('b', 1)).toBeUndefined();
    expect(await store.version('b', 2)).toEqual(large('b', 2));
    await store.replace(large('b', 5));
    expect([await kept('a'), await kept('b')]).toEqual([[2], [5]]);
    await store.delete('b');
    await store.replace(large('a', 3));
    expect(await kept('a')).toEqual([3, 2]);
  });

  test('have no field that a filter compares', async () => {
    const store = createMemoryDefinitionStore({ maxRecords: 9 });
    await storeVersions(store, 'a', 2);
    expect((await store.list(page, {})).total).toBe(1);
    expect(await store.list(page, { statuses: ['x'] })).toEqual({ total: 0, ...page, items: [] });
  });
});
