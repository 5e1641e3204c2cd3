import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/store.ts';
import { systemClock } from '../../src/adapters/shared/system.ts';
import { type Change, remove, type Store, write } from '../../src/ports/storage/store.ts';
import { type Job, jobs } from './store.ts';

/** A change before its row is known: what it expects is a version that the row has or had, by its age. */
interface Draft {
  readonly id: string;
  readonly row: Job | null;
  readonly expects: 'none' | 'newest' | 'older' | 'anything';
  readonly ifAbsent: boolean;
  readonly events: number | null;
  readonly missing: number;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  row: fc.option(
    fc.record({
      owner: fc.constantFrom('ann', 'bob'),
      due: fc.integer({ min: 0, max: 3 }),
      until: fc.constantFrom(0, 10 ** 15, 10 ** 15),
    }),
    { freq: 4 },
  ),
  expects: fc.constantFrom('none', 'newest', 'older', 'anything', 'anything'),
  ifAbsent: fc.boolean(),
  events: fc.option(fc.nat(3)),
  missing: fc.constantFrom(0, 0, 0, 1),
});

/** Runs commits on a store, and tells all that can be seen after each: versions by the order in which they came. */
async function observe(store: Store, commits: readonly (readonly Draft[])[]): Promise<unknown[]> {
  const ids = ['a', 'b', 'c', 'd'];
  const seen: number[] = [];
  const told: unknown[] = [];
  const place = (version: number) => (version === 0 ? 0 : seen.indexOf(version) + 1);
  for (const [count, drafts] of commits.entries()) {
    const before = await store.read(jobs, ids);
    const changes: Change[] = [];
    for (const { id, row, expects, ifAbsent, events, missing } of drafts) {
      const newest = before[ids.indexOf(id)]?.version ?? null;
      const version = { none: null, newest, older: seen[0] ?? 0, anything: undefined }[expects];
      if (row === null) changes.push({ ...remove(jobs, id), expects: version, ifAbsent });
      else {
        const stored = await store.events(jobs, id, 0, 1_000);
        const texts = Array.from({ length: events ?? 0 }, (_, number) => `"${count}-${number}"`);
        const append = events === null ? undefined : { after: stored.length + missing, events: texts };
        changes.push(write(jobs, id, { ...row, count }, { expects: version, ifAbsent, append }));
      }
    }
    const versions = await store.commit(changes);
    for (const version of versions ?? []) if (version !== 0) seen.push(version);
    const rows = await store.read(jobs, ids);
    told.push(versions?.map(place));
    told.push(rows.map((stored) => stored && [place(stored.version), stored.row]));
    for (const id of ids) told.push(await store.events(jobs, id, 1, 4));
    for (const request of [{}, { descending: true }, { order: 'due' }, { where: { owner: ['ann', 'x'] } }]) {
      const found = await store.range(jobs, { limit: 3, ...request });
      told.push(found.map(({ id }) => id));
    }
    told.push(await store.count(jobs, { where: { owner: 'bob' }, between: { due: { from: 1 } } }));
    if (count % 3 === 0) told.push(await store.move(jobs, { where: { owner: 'ann' } }, 'due', 2));
    const taken = await store.take(jobs, { index: 'due', until: 1, to: 3, limit: 1 });
    told.push(taken.map(({ id, version }) => [id, place(version)]));
    // Their number is not told: a change that expects no row may have removed one.
    if (count % 4 === 3) await store.removeExpired(jobs, 100);
  }
  return told;
}

/** Compares an engine with memory over random commits. `make` creates a store, which the caller closes. */
export function randomCommitsContract(name: string, make: () => Promise<Store>): void {
  test(`${name} does what memory does, whatever is committed`, async () => {
    const commit = fc.uniqueArray(draft, { minLength: 1, maxLength: 3, selector: ({ id }) => id });
    const store = await make();
    await fc.assert(
      fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 12 }), async (commits) => {
        await store.commit(['a', 'b', 'c', 'd'].map((id) => remove(jobs, id)));
        const memory = createMemoryStore(systemClock);
        expect(await observe(store, commits)).toEqual(await observe(memory, commits));
      }),
      { numRuns: 60 },
    );
  });
}
