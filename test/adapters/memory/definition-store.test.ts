import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../src/adapters/memory-storage.ts';
import { sampleVersion, storeVersions } from '../../contracts/definition-store.ts';

const page = { limit: 50, offset: 0 };

/** The bytes that a row takes beside its JSON. */
const ROW_BYTES = 256;

function definitions({ maxRows = 1_000, maxBytes = 1_000_000_000, oldVersionBytes = 1_000_000_000 } = {}) {
  return createMemoryStorage({ limits: { workflows: { maxRows, maxBytes }, oldVersionBytes } }).workflows;
}

describe('definitions in memory', () => {
  test('are rejected beyond the limit, until one is deleted; new versions are not', async () => {
    const store = definitions({ maxRows: 2 });
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
    const bytes = ROW_BYTES + Buffer.byteLength(JSON.stringify(large('a', 1, 1_000)));
    const store = definitions({ maxBytes: 2 * bytes });
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
      version,
      description: 'x'.repeat(1_000),
    });
    const bytes = ROW_BYTES + Buffer.byteLength(JSON.stringify(large('a', 1)));
    const store = definitions({ oldVersionBytes: 2 * bytes });
    const kept = async (id: string) => (await store.versions(id, page))?.items.map(({ version }) => version);
    for (const id of ['a', 'b']) await store.put(large(id, 1));
    for (const id of ['a', 'b']) await store.replace(large(id, 2));
    expect([await kept('a'), await kept('b')]).toEqual([
      [2, 1],
      [2, 1],
    ]);
    await store.replace(large('b', 3));
    expect([await kept('a'), await kept('b')]).toEqual([[2], [3, 2, 1]]);
    expect(await store.version('a', 1)).toBeUndefined();
    expect(await store.version('b', 2)).toEqual(large('b', 2));
    await store.delete('b');
    await store.replace(large('a', 3));
    expect(await kept('a')).toEqual([3, 2]);
  });

  test('have no field that a filter compares', async () => {
    const store = definitions();
    await storeVersions(store, 'a', 2);
    expect((await store.list(page, {})).total).toBe(1);
    expect(await store.list(page, { statuses: ['x'] })).toEqual({ total: 0, ...page, items: [] });
  });
});
