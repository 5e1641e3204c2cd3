import { describe, expect, test } from 'vitest';
import type { WorkflowDefinition } from '../../src/domain/workflow/definition.ts';
import { type DefinitionStore, MAX_VERSIONS } from '../../src/ports/storage/definition-store.ts';
import { sampleDefinition } from '../support/workflow/run-events.ts';

/** A version of a definition, which says its number in its name and in the number of its steps. */
export function sampleVersion(id: string, version: number): WorkflowDefinition {
  return { ...sampleDefinition(id, 1 + (version % 5)), version, name: `Version ${version} ☃` };
}

const firstPage = { limit: 50, offset: 0 };

const oddIds = ['*', 'a b', 'a\r\nb', '{x}', 'ä👍', '__proto__', ':', 'version:1', 'x'.repeat(512)];

/** Stores a workflow with so many versions. */
export async function storeVersions(store: DefinitionStore, id: string, count: number): Promise<void> {
  await store.put(sampleVersion(id, 1));
  for (let version = 2; version <= count; version++) {
    expect(await store.replace(sampleVersion(id, version))).toBe('replaced');
  }
}

async function versionsIn(store: DefinitionStore, id: string, page = firstPage): Promise<number[]> {
  return (await store.versions(id, page))?.items.map(({ version }) => version) ?? [];
}

/** The promises of every store of definitions. `make` creates an empty store. */
export function definitionStoreContract(name: string, make: () => Promise<DefinitionStore>): void {
  describe(`${name} as a store of definitions`, () => {
    test('finds nothing while it is empty', async () => {
      const store = await make();
      expect(await store.get('a')).toBeUndefined();
      expect(await store.has('a')).toBe(false);
      expect(await store.version('a', 1)).toBeUndefined();
      expect(await store.versions('a', firstPage)).toBeUndefined();
      expect(await store.replace(sampleVersion('a', 2))).toBe('missing');
      expect(await store.get('a')).toBeUndefined();
      expect(await store.delete('a')).toBe(false);
      expect(await store.list(firstPage)).toEqual({ total: 0, ...firstPage, items: [] });
    });

    test('has a new workflow as its first version', async () => {
      const store = await make();
      const first = sampleVersion('a', 1);
      await store.put(first);
      expect(await store.get('a')).toEqual(first);
      expect(await store.version('a', 1)).toEqual(first);
      expect(await store.versions('a', firstPage)).toEqual({ total: 1, ...firstPage, items: [first] });
    });

    test('keeps every version, and shows the newest one', async () => {
      const store = await make();
      await storeVersions(store, 'a', 3);
      await storeVersions(store, 'b', 2);
      const all = [3, 2, 1].map((version) => sampleVersion('a', version));
      expect(await store.get('a')).toEqual(all[0]);
      expect((await store.list(firstPage)).items).toEqual([sampleVersion('b', 2), all[0]]);
      for (const definition of all) expect(await store.version('a', definition.version)).toEqual(definition);
      for (const unknown of [0, 4, -1, 1.5, 1e15, Number.NaN]) {
        expect(await store.version('a', unknown)).toBeUndefined();
      }
      expect(await store.version('b', 3)).toBeUndefined();
      expect(await store.versions('a', firstPage)).toEqual({ total: 3, ...firstPage, items: all });
    });

    test('stores only the version after the newest one', async () => {
      const store = await make();
      await storeVersions(store, 'a', 2);
      for (const version of [1, 2, 4]) {
        expect(await store.replace({ ...sampleVersion('a', version), name: 'lost' })).toBe('conflict');
      }
      expect((await store.versions('a', firstPage))?.items).toEqual([
        sampleVersion('a', 2),
        sampleVersion('a', 1),
      ]);
    });

    test('stores one of 50 concurrent replacements by the same version, and those of 50 callers that try again', async () => {
      const store = await make();
      await store.put(sampleVersion('a', 1));
      const callers = Array.from({ length: 50 }, (_, caller) => `caller ${caller}`);
      const outcomes = await Promise.all(
        callers.map((caller) => store.replace({ ...sampleVersion('a', 2), name: caller })),
      );
      expect(outcomes.toSorted()).toEqual([...new Array(49).fill('conflict'), 'replaced']);
      const winner = callers[outcomes.indexOf('replaced')];
      expect(await store.get('a')).toEqual({ ...sampleVersion('a', 2), name: winner });

      const insist = async (caller: string): Promise<number> => {
        for (;;) {
          const { version = 0 } = (await store.get('a')) ?? {};
          const next = { ...sampleVersion('a', version + 1), name: caller };
          if ((await store.replace(next)) === 'replaced') return next.version;
        }
      };
      const stored = await Promise.all(callers.map(insist));
      expect(stored.toSorted((one, other) => one - other)).toEqual(callers.map((_, index) => index + 3));
      const { items = [] } = (await store.versions('a', firstPage)) ?? {};
      expect(items.map(({ version, description: _, name: caller }) => [version, caller])).toEqual(
        items.map(({ version }) => [version, callers[stored.indexOf(version)]]),
      );
    });

    test('lists versions page by page', async () => {
      const store = await make();
      await storeVersions(store, 'a', 5);
      const pages = [0, 2, 4, 5, 9].map((offset) => ({ limit: 2, offset }));
      const found = await Promise.all(pages.map((page) => store.versions('a', page)));
      expect(found.map((page) => page?.items.map(({ version }) => version))).toEqual([
        ...[[5, 4], [3, 2], [1], [], []],
      ]);
      for (const [index, page] of pages.entries()) expect(found[index]).toMatchObject({ ...page, total: 5 });
    });

    test(`keeps the newest ${MAX_VERSIONS} versions`, async () => {
      const store = await make();
      await storeVersions(store, 'a', MAX_VERSIONS + 3);
      expect(await store.versions('a', { limit: 2, offset: 0 })).toMatchObject({ total: MAX_VERSIONS });
      const last = { limit: 200, offset: MAX_VERSIONS - 2 };
      expect(await versionsIn(store, 'a', last)).toEqual([5, 4]);
      expect(await store.version('a', 3)).toBeUndefined();
      expect(await store.version('a', 4)).toEqual(sampleVersion('a', 4));
      expect(await store.replace(sampleVersion('a', MAX_VERSIONS + 4))).toBe('replaced');
      expect(await versionsIn(store, 'a', last)).toEqual([6, 5]);
    });

    test('leaves a workflow with a new version at its place in listings', async () => {
      const store = await make();
      for (const id of ['a', 'b', 'c']) await store.put(sampleVersion(id, 1));
      await store.replace(sampleVersion('b', 2));
      await store.replace(sampleVersion('a', 2));
      const listed = await store.list(firstPage);
      expect(listed.total).toBe(3);
      expect(listed.items.map(({ id, version }) => [id, version])).toEqual([
        ...[
          ['c', 1],
          ['b', 2],
          ['a', 2],
        ],
      ]);
      expect((await store.list({ limit: 1, offset: 1 })).items).toEqual([sampleVersion('b', 2)]);
    });

    test('deletes all versions together', async () => {
      const store = await make();
      await storeVersions(store, 'a', 3);
      await storeVersions(store, 'b', 2);
      expect(await store.delete('a')).toBe(true);
      expect(await store.delete('a')).toBe(false);
      expect([await store.has('a'), await store.has('b')]).toEqual([false, true]);
      for (const version of [1, 2, 3]) expect(await store.version('a', version)).toBeUndefined();
      expect(await store.versions('a', firstPage)).toBeUndefined();
      expect(await store.replace(sampleVersion('a', 4))).toBe('missing');
      expect(await versionsIn(store, 'b')).toEqual([2, 1]);
      await storeVersions(store, 'a', 2);
      expect(await versionsIn(store, 'a')).toEqual([2, 1]);
    });

    test('begins anew with a definition that is put again', async () => {
      const store = await make();
      await storeVersions(store, 'a', 3);
      await store.put(sampleVersion('b', 1));
      const again = { ...sampleVersion('a', 1), name: 'again' };
      await store.put(again);
      expect(await store.versions('a', firstPage)).toMatchObject({ total: 1, items: [again] });
      expect((await store.list(firstPage)).items.map(({ id }) => id)).toEqual(['b', 'a']);
      expect(await store.replace(sampleVersion('a', 2))).toBe('replaced');
      expect(await store.version('a', 1)).toEqual(again);
    });

    test('keeps versions under any id', async () => {
      const store = await make();
      for (const id of oddIds) await storeVersions(store, id, 2);
      for (const id of oddIds) {
        expect((await store.versions(id, firstPage))?.items).toEqual([
          sampleVersion(id, 2),
          sampleVersion(id, 1),
        ]);
      }
      for (const id of oddIds) expect(await store.has(id)).toBe(true);
      for (const id of oddIds) expect(await store.delete(id)).toBe(true);
      expect((await store.list(firstPage)).total).toBe(0);
    });

    test('finds a workflow by its key, whatever its version', async () => {
      const store = await make();
      await store.put({ ...sampleVersion('a', 1), key: 'one' });
      await store.put(sampleVersion('b', 1));
      expect(await store.idOfKey('one')).toBe('a');
      expect(await store.replace({ ...sampleVersion('a', 2), key: 'one' })).toBe('replaced');
      expect(await store.idOfKey('one')).toBe('a');
      expect(await store.get('a')).toEqual({ ...sampleVersion('a', 2), key: 'one' });
      for (const unknown of ['two', '', 'a', 'ONE', '*', '__proto__']) {
        expect(await store.idOfKey(unknown)).toBeUndefined();
      }
    });

    test('gives a key to one workflow only, and stores nothing of another one with it', async () => {
      const store = await make();
      const first = { ...sampleVersion('a', 1), key: 'one' };
      await store.put(first);
      await store.put({ ...sampleVersion('b', 1), key: 'two' });
      const taken = { code: 'conflict', message: 'the key "one" is that of another workflow' };
      await expect(store.put({ ...sampleVersion('c', 1), key: 'one' })).rejects.toMatchObject(taken);
      await expect(store.put({ ...sampleVersion('b', 1), key: 'one' })).rejects.toMatchObject(taken);
      expect(await store.replace({ ...sampleVersion('b', 2), key: 'one' })).toBe('key_taken');
      expect([await store.has('c'), await store.idOfKey('one'), await store.idOfKey('two')]).toEqual([
        ...[false, 'a', 'b'],
      ]);
      expect(await versionsIn(store, 'b')).toEqual([1]);
      expect((await store.list(firstPage)).items).toEqual([{ ...sampleVersion('b', 1), key: 'two' }, first]);
    });

    test('frees a key with its workflow, or with a version that has another one or none', async () => {
      const store = await make();
      const keyed = (id: string, version: number, key?: string) => ({
        ...sampleVersion(id, version),
        ...(key === undefined ? {} : { key }),
      });
      await store.put(keyed('a', 1, 'one'));
      expect(await store.delete('a')).toBe(true);
      expect(await store.idOfKey('one')).toBeUndefined();
      await store.put(keyed('b', 1, 'one'));
      expect(await store.replace(keyed('b', 2, 'two'))).toBe('replaced');
      expect([await store.idOfKey('one'), await store.idOfKey('two')]).toEqual([undefined, 'b']);
      await store.put(keyed('c', 1, 'one'));
      expect(await store.replace(keyed('b', 3))).toBe('replaced');
      expect(await store.replace(keyed('c', 2, 'two'))).toBe('replaced');
      expect([await store.idOfKey('one'), await store.idOfKey('two')]).toEqual([undefined, 'c']);
      await store.put(keyed('c', 1));
      expect(await store.idOfKey('two')).toBeUndefined();
      // A workflow without the key any more takes it from nobody when it is deleted.
      await store.put(keyed('d', 1, 'two'));
      expect(await store.delete('c')).toBe(true);
      expect(await store.delete('b')).toBe(true);
      expect(await store.idOfKey('two')).toBe('d');
    });

    test('gives a key to one of 20 workflows that are put at the same time', async () => {
      const store = await make();
      const ids = Array.from({ length: 20 }, (_, index) => `w${index}`);
      const puts = await Promise.allSettled(
        ids.map((id) => store.put({ ...sampleVersion(id, 1), key: 'same' })),
      );
      const stored = ids.filter((_, index) => puts[index]?.status === 'fulfilled');
      expect(stored).toHaveLength(1);
      expect(await store.idOfKey('same')).toBe(stored[0]);
      expect((await store.list(firstPage)).items.map(({ id }) => id)).toEqual(stored);
    });

    test('shares no object with what was stored or read', async () => {
      const store = await make();
      await store.put(sampleVersion('a', 1));
      const second = { ...sampleVersion('a', 2), warnings: ['one'] };
      const pending = store.replace(second);
      second.warnings.push('two');
      await pending;
      for (const version of [1, 2]) Object.assign((await store.version('a', version)) ?? {}, { name: 'x' });
      const [newest, first] = (await store.versions('a', firstPage))?.items ?? [];
      expect(newest).toEqual({ ...sampleVersion('a', 2), warnings: ['one'] });
      expect(first).toEqual(sampleVersion('a', 1));
    });
  });
}
