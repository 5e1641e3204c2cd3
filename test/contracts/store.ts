import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import {
  type Change,
  type RangeRequest,
  remove,
  type Store,
  type Stored,
  type Table,
  type TableShape,
  write,
} from '../../src/ports/storage/store.ts';
import { hostileIds, hostileObject, hostileText } from './inbox-store-samples.ts';

/** A row of the samples. Members that are absent are in no index. */
export interface Job {
  readonly owner?: string;
  readonly kind?: string;
  readonly due?: number;
  readonly size?: number;
  readonly until?: number;
  readonly count?: number;
  readonly note?: unknown;
}

/** Rows of jobs, with two indexes of each type. */
export const jobs: Table<Job> = {
  name: 'jobs',
  texts: { owner: ({ owner }) => owner ?? null, kind: ({ kind }) => kind ?? null },
  numbers: { due: ({ due }) => due ?? null, size: ({ size }) => size ?? null },
  expiresAt: ({ until }) => until ?? null,
};

/** Rows of another table with the same ids. */
const notes: Table<{ readonly text: string }> = {
  name: 'notes',
  texts: { text: ({ text }) => text },
  numbers: {},
  expiresAt: () => null,
};

/** The tables of the samples. */
export const storeTables: readonly TableShape[] = [jobs, notes];

/** Creates an empty store of {@link storeTables}, which can be used. The tests of the adapter clean up. */
export type MakeStore = () => Promise<Store>;

const first = { expects: null } as const;

async function readOne(store: Store, id: string): Promise<Stored<Job> | undefined> {
  const [found] = await store.read(jobs, [id]);
  return found;
}

async function versionOf(store: Store, id: string): Promise<number> {
  return (await readOne(store, id))?.version ?? 0;
}

/** Writes rows one after the other, so that their positions have the order of the list. */
async function fill(store: Store, rows: Readonly<Record<string, Job>>): Promise<void> {
  for (const [id, row] of Object.entries(rows)) await store.commit([write(jobs, id, row)]);
}

async function idsOf(store: Store, request: Partial<RangeRequest>): Promise<string[]> {
  const found = await store.range(jobs, { limit: 100, ...request });
  return found.map(({ id }) => id);
}

async function allEvents(store: Store, id: string): Promise<readonly string[]> {
  return store.events(jobs, id, 0, 1_000);
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

/** Reads, adds one, and commits, again while somebody else was quicker. */
async function addOne(store: Store, id: string, extra: readonly Change[] = []): Promise<void> {
  for (;;) {
    const stored = await readOne(store, id);
    const { count = 0 } = stored?.row ?? {};
    const event = { after: count, events: [JSON.stringify(count)] };
    const change = write(jobs, id, { count: count + 1 }, { expects: stored?.version ?? null, append: event });
    if ((await store.commit([change, ...extra])) !== undefined) return;
  }
}

/** The promises of every engine of the port `Store`. */
export function storeContract(name: string, make: MakeStore): void {
  describe(`${name} as a store of rows`, () => {
    reading(make);
    expecting(make);
    racing(make);
    appending(make);
    expiring(make);
    listing(make);
    selecting(make);
    taking(make);
    watching(make);
    storingAnything(make);
  });
}

function reading(make: MakeStore): void {
  test('reads rows in the order of the ids, those that are not there as undefined', async () => {
    const store = await make();
    expect(await store.commit([write(jobs, 'a', { count: 1 }), write(jobs, 'b', { count: 2 })])).toHaveLength(
      2,
    );
    const found = await store.read(jobs, ['b', 'none', 'a', 'b']);
    expect(found.map((stored) => stored?.row)).toEqual([{ count: 2 }, undefined, { count: 1 }, { count: 2 }]);
    expect(await store.read(jobs, [])).toEqual([]);
  });

  test('keeps rows of two tables with the same id apart', async () => {
    const store = await make();
    await store.commit([write(jobs, 'a', { count: 1 }), write(notes, 'a', { text: 'x' })]);
    await store.commit([remove(jobs, 'a')]);
    expect(await store.read(jobs, ['a'])).toEqual([undefined]);
    expect(await store.read(notes, ['a'])).toMatchObject([{ row: { text: 'x' } }]);
  });

  test('shares no object with what was written or read', async () => {
    const store = await make();
    const row = { note: { deep: [1] } };
    const change = write(jobs, 'a', row, { append: { after: 0, events: ['1'] } });
    await store.commit([change]);
    row.note.deep.push(2);
    const [one, other] = await store.read(jobs, ['a', 'a']);
    expect(one?.row).toEqual({ note: { deep: [1] } });
    expect(one?.row).not.toBe(other?.row);
    const [listed] = await store.range(jobs, { limit: 1 });
    expect(listed?.row).toEqual(one?.row);
    expect(listed?.row).not.toBe(one?.row);
  });

  test('tells the time of now', async () => {
    const store = await make();
    expect(Math.abs(store.now() - Date.now())).toBeLessThan(1_000);
    expect(Number.isInteger(store.now())).toBe(true);
  });
}

function expecting(make: MakeStore): void {
  test('gives another version to a row with each commit', async () => {
    const store = await make();
    const versions = [];
    for (const count of numbers(5)) versions.push(await store.commit([write(jobs, 'a', { count })]));
    expect(new Set(versions.flat()).size).toBe(5);
    expect([await versionOf(store, 'a')]).toEqual(versions.at(-1));
  });

  test('never repeats a version of an id, not even after the row was removed', async () => {
    const store = await make();
    const seen = [];
    for (const _ of numbers(3)) {
      seen.push(await store.commit([write(jobs, 'a', {}, first)]));
      seen.push(await store.commit([write(jobs, 'a', { count: 1 })]));
      await store.commit([remove(jobs, 'a')]);
    }
    expect(new Set(seen.map((versions) => versions?.[0])).size).toBe(6);
  });

  test('writes only a row of the version that is expected', async () => {
    const store = await make();
    expect(await store.commit([write(jobs, 'a', { count: 1 }, { expects: 1 })])).toBeUndefined();
    const [version = 0] = (await store.commit([write(jobs, 'a', { count: 1 }, first)])) ?? [];
    expect(await store.commit([write(jobs, 'a', { count: 2 }, first)])).toBeUndefined();
    expect(await store.commit([write(jobs, 'a', { count: 2 }, { expects: version + 1 })])).toBeUndefined();
    expect((await readOne(store, 'a'))?.row).toEqual({ count: 1 });
    expect(await store.commit([write(jobs, 'a', { count: 2 }, { expects: version })])).toHaveLength(1);
    expect(await store.commit([write(jobs, 'a', { count: 3 }, { expects: version })])).toBeUndefined();
    expect((await readOne(store, 'a'))?.row).toEqual({ count: 2 });
  });

  test('removes only a row of the version that is expected, and any when none is', async () => {
    const store = await make();
    expect(await store.commit([remove(jobs, 'a', 1)])).toBeUndefined();
    expect(await store.commit([remove(jobs, 'a')])).toEqual([0]);
    const [version = 0] = (await store.commit([write(jobs, 'a', {})])) ?? [];
    expect(await store.commit([remove(jobs, 'a', version + 1)])).toBeUndefined();
    expect(await store.commit([{ ...remove(jobs, 'a'), expects: null }])).toBeUndefined();
    expect(await readOne(store, 'a')).toBeDefined();
    expect(await store.commit([remove(jobs, 'a', version)])).toEqual([0]);
    expect(await store.commit([{ ...remove(jobs, 'a'), expects: null }])).toEqual([0]);
    expect(await readOne(store, 'a')).toBeUndefined();
  });

  test('leaves a row that is there with `ifAbsent`, and goes on with the other changes', async () => {
    const store = await make();
    await store.commit([write(jobs, 'a', { count: 1 }, { append: { after: 0, events: ['1'] } })]);
    const more = { ifAbsent: true, append: { after: 0, events: ['2'] } };
    const versions = await store.commit([
      write(jobs, 'b', { count: 2 }, more),
      write(jobs, 'a', { count: 2 }, more),
      write(jobs, 'c', { count: 2 }),
    ]);
    expect(versions).toEqual([await versionOf(store, 'b'), 0, await versionOf(store, 'c')]);
    expect(versions?.[0]).toBeGreaterThan(0);
    expect((await readOne(store, 'a'))?.row).toEqual({ count: 1 });
    expect([await allEvents(store, 'a'), await allEvents(store, 'b')]).toEqual([['1'], ['2']]);
  });

  test('returns versions in the order of the changes, not of the ids', async () => {
    const store = await make();
    const ids = ['z', 'a', 'm', 'b'];
    const changes = [...ids.map((id) => write(jobs, id, {})), write(notes, 'z', { text: 'x' })];
    const versions = await store.commit(changes);
    const found = await store.read(jobs, ids);
    const [note] = await store.read(notes, ['z']);
    expect(versions).toEqual([...found.map((stored) => stored?.version), note?.version]);
  });

  test('writes nothing at all when one of several rows is not as expected', async () => {
    const store = await make();
    await store.commit([write(jobs, 'b', { count: 1 }, { append: { after: 0, events: ['1'] } })]);
    const append = { after: 0, events: ['2'] };
    const bad: readonly Change[] = [
      write(jobs, 'b', { count: 9 }, first),
      write(jobs, 'b', { count: 9 }, { expects: 1_000_000 }),
      write(jobs, 'b', { count: 9 }, { append }),
      remove(jobs, 'b', 1_000_000),
      write(jobs, 'x', { count: 9 }, { expects: 1 }),
    ];
    const version = await versionOf(store, 'b');
    for (const change of bad) {
      const around = [write(jobs, 'a', {}, { append }), change, write(notes, 'z', { text: '' })];
      expect(await store.commit(around)).toBeUndefined();
      expect(
        await store.commit([remove(jobs, 'b'), ...around.slice(0, 1), write(jobs, 'x', {}, { expects: 1 })]),
      ).toBeUndefined();
    }
    expect(await store.read(jobs, ['a', 'x'])).toEqual([undefined, undefined]);
    expect(await store.read(notes, ['z'])).toEqual([undefined]);
    expect(await allEvents(store, 'a')).toEqual([]);
    expect(await readOne(store, 'b')).toMatchObject({ version, row: { count: 1 } });
    expect(await allEvents(store, 'b')).toEqual(['1']);
  });

  test('keeps the position of a row that is replaced, and gives a new one to a row that is made again', async () => {
    const store = await make();
    await fill(store, { a: {}, b: {}, c: {} });
    const before = await store.range(jobs, { limit: 10 });
    await fill(store, { a: { count: 1 } });
    await store.commit([write(jobs, 'b', { count: 1 }, { expects: before[1]?.version })]);
    const after = await store.range(jobs, { limit: 10 });
    expect(after.map(({ position }) => position)).toEqual(before.map(({ position }) => position));
    await store.commit([remove(jobs, 'a')]);
    await fill(store, { a: {} });
    expect(await idsOf(store, {})).toEqual(['b', 'c', 'a']);
  });

  test('commits nothing, and notices alone', async () => {
    const store = await make();
    expect(await store.commit([])).toEqual([]);
    expect(await store.commit([], [{ topic: 'a', text: 'b' }])).toEqual([]);
  });

  test('commits many rows at once', async () => {
    const store = await make();
    const changes = numbers(200).map((count) =>
      write(jobs, `row-${count}`, { count }, { append: { after: 0, events: [`${count}`] } }),
    );
    expect(new Set(await store.commit(changes)).size).toBe(200);
    expect(await store.count(jobs, {})).toBe(200);
    expect(await allEvents(store, 'row-77')).toEqual(['77']);
  });
}

function racing(make: MakeStore): void {
  test('loses no change of 50 writers who decide again', async () => {
    const store = await make();
    await Promise.all(numbers(50).map(() => addOne(store, 'a')));
    expect((await readOne(store, 'a'))?.row).toEqual({ count: 50 });
    expect(await allEvents(store, 'a')).toEqual(numbers(50).map(String));
  });

  test('loses no change of writers of several rows, in whatever order they name them', async () => {
    const store = await make();
    await fill(store, { shared: {} });
    const ids = ['a', 'b', 'c'];
    await Promise.all(
      numbers(24).map(async (number) => {
        const own = ids[number % 3] ?? 'a';
        await addOne(store, own, number % 2 === 0 ? [write(jobs, 'shared', { count: number })] : []);
      }),
    );
    const found = await store.read(jobs, ids);
    expect(found.map((stored) => stored?.row.count)).toEqual([8, 8, 8]);
  });

  test('lets one of many insert a row', async () => {
    const store = await make();
    const inserts = numbers(20).map((count) => store.commit([write(jobs, 'a', { count }, first)]));
    const written = (await Promise.all(inserts)).filter((versions) => versions !== undefined);
    expect(written).toEqual([[await versionOf(store, 'a')]]);
  });

  test('lets one of many insert a row with `ifAbsent`, and the others leave it', async () => {
    const store = await make();
    const inserts = numbers(20).map((count) =>
      store.commit([write(jobs, 'a', { count }, { ifAbsent: true, append: { after: 0, events: ['1'] } })]),
    );
    const versions = (await Promise.all(inserts)).flat();
    expect(versions.filter((version) => version !== 0)).toEqual([await versionOf(store, 'a')]);
    expect(await allEvents(store, 'a')).toEqual(['1']);
  });

  test('lets one of many remove a row', async () => {
    const store = await make();
    await fill(store, { a: {} });
    const version = await versionOf(store, 'a');
    const removals = await Promise.all(numbers(20).map(() => store.commit([remove(jobs, 'a', version)])));
    expect(removals.filter((versions) => versions !== undefined)).toEqual([[0]]);
  });

  test('writes every row of writers who expect nothing, while others remove it', async () => {
    const store = await make();
    const outcomes = await Promise.all(
      numbers(60).map((count) =>
        store.commit([count % 3 === 0 ? remove(jobs, 'a') : write(jobs, 'a', { count })]),
      ),
    );
    expect(outcomes.filter((versions) => versions === undefined)).toEqual([]);
    const versions = outcomes.flat().filter((version) => version !== 0);
    expect(new Set(versions).size).toBe(40);
  });

  test('never has events of a row that was removed while others appended to it', async () => {
    const store = await make();
    for (const _ of numbers(8)) {
      await store.commit([write(jobs, 'a', {}, { append: { after: 0, events: ['1'] } })]);
      const append = { after: 1, events: ['2'] };
      await Promise.all([
        store.commit([write(jobs, 'a', {}, { append })]),
        store.commit([remove(jobs, 'a')]),
      ]);
      await store.commit([remove(jobs, 'a')]);
      await store.commit([write(jobs, 'a', {}, first)]);
      expect(await allEvents(store, 'a')).toEqual([]);
      await store.commit([remove(jobs, 'a')]);
    }
  });

  test('shows either all rows of a commit or none', async () => {
    const store = await make();
    const both = (count: number) => [write(jobs, 'a', { count }), write(jobs, 'b', { count })];
    await store.commit(both(0));
    const writers = numbers(20).map((count) => store.commit(both(count)));
    const readers = numbers(20).map(async () => {
      const [a, b] = await store.read(jobs, ['a', 'b']);
      expect(a?.row).toEqual(b?.row);
    });
    await Promise.all([...writers, ...readers]);
  });
}

function appending(make: MakeStore): void {
  const append = (after: number, ...events: readonly unknown[]) => ({
    append: { after, events: events.map((event) => JSON.stringify(event)) },
  });

  test('gives events in their order, after a number and up to a limit', async () => {
    const store = await make();
    await store.commit([write(jobs, 'a', {}, append(0, 1, 2, 3))]);
    await store.commit([write(jobs, 'a', {}, append(3, 4))]);
    await store.commit([write(jobs, 'a', {}, { expects: await versionOf(store, 'a'), ...append(4, 5, 6) })]);
    expect(await allEvents(store, 'a')).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(await store.events(jobs, 'a', 1, 3)).toEqual(['2', '3', '4']);
    expect(await store.events(jobs, 'a', 3, 1)).toEqual(['4']);
    expect(await store.events(jobs, 'a', 6, 10)).toEqual([]);
    expect(await store.events(jobs, 'a', 0, 0)).toEqual([]);
    expect(await allEvents(store, 'none')).toEqual([]);
  });

  test('keeps events when the row is written without new ones', async () => {
    const store = await make();
    await store.commit([write(jobs, 'a', {}, append(0, 1))]);
    await store.commit([write(jobs, 'a', { count: 1 })]);
    await store.commit([write(jobs, 'a', { count: 2 }, append(1))]);
    expect(await allEvents(store, 'a')).toEqual(['1']);
  });

  test('appends to as many events as the change says, and else writes nothing', async () => {
    const store = await make();
    expect(await store.commit([write(jobs, 'a', {}, append(1, 2))])).toBeUndefined();
    expect(await store.commit([write(jobs, 'a', {}, { ...first, ...append(1, 2) })])).toBeUndefined();
    expect(await store.commit([write(jobs, 'a', {}, { ifAbsent: true, ...append(1, 2) })])).toBeUndefined();
    expect(await readOne(store, 'a')).toBeUndefined();
    await store.commit([write(jobs, 'a', {}, append(0, 1, 2))]);
    const version = await versionOf(store, 'a');
    for (const after of [0, 1, 3]) {
      expect(await store.commit([write(jobs, 'a', { count: 1 }, append(after, 9))])).toBeUndefined();
      const change = write(jobs, 'a', { count: 1 }, { expects: version, ...append(after, 9) });
      expect(await store.commit([change])).toBeUndefined();
    }
    expect(await store.commit([write(jobs, 'a', {}, { ifAbsent: true, ...append(1, 9) })])).toEqual([0]);
    expect(await readOne(store, 'a')).toMatchObject({ version, row: {} });
    expect(await allEvents(store, 'a')).toEqual(['1', '2']);
  });

  test('removes the events with the row', async () => {
    const store = await make();
    await store.commit([write(jobs, 'a', {}, append(0, 1)), write(jobs, 'b', {}, append(0, 2))]);
    await store.commit([remove(jobs, 'a')]);
    expect(await allEvents(store, 'a')).toEqual([]);
    await store.commit([write(jobs, 'a', {}, append(0, 3))]);
    expect(await allEvents(store, 'a')).toEqual(['3']);
    expect(await allEvents(store, 'b')).toEqual(['2']);
  });

  test('gives events as the same texts', async () => {
    const store = await make();
    const texts = ['{"a" : 1.0}', JSON.stringify(hostileText), JSON.stringify(hostileObject), '[]', 'null'];
    await store.commit([write(jobs, 'a', {}, { append: { after: 0, events: texts } })]);
    expect(await allEvents(store, 'a')).toEqual(texts);
  });
}

function expiring(make: MakeStore): void {
  test('has no row that has expired', async () => {
    const store = await make();
    const gone = { owner: 'ann', due: 1, until: store.now() };
    await fill(store, { gone, kept: { owner: 'ann', due: 1, until: store.now() + 60_000 } });
    await store.commit([write(jobs, 'with events', gone, { append: { after: 0, events: ['1'] } })]);
    expect(await readOne(store, 'gone')).toBeUndefined();
    expect(await idsOf(store, {})).toEqual(['kept']);
    expect(await idsOf(store, { order: 'due' })).toEqual(['kept']);
    expect(await idsOf(store, { where: { owner: ['ann', 'bob'] } })).toEqual(['kept']);
    expect(await store.count(jobs, { where: { owner: 'ann' } })).toBe(1);
    expect(await allEvents(store, 'with events')).toEqual([]);
    expect(await store.move(jobs, {}, 'size', 1)).toBe(1);
    const taken = await store.take(jobs, { index: 'due', until: 9, to: 9, limit: 9 });
    expect(taken.map(({ id }) => id)).toEqual(['kept']);
  });

  test('has a row until it expires', async () => {
    const store = await make();
    await fill(store, { a: { until: store.now() + 300 } });
    expect(await readOne(store, 'a')).toBeDefined();
    await vi.waitFor(async () => expect(await readOne(store, 'a')).toBeUndefined(), { timeout: 15_000 });
  });

  test('takes a row that has expired for none, in every change', async () => {
    const store = await make();
    const until = store.now();
    const append = { after: 0, events: ['1'] };
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    await store.commit(ids.map((id) => write(jobs, id, { until }, { append })));
    const [next] = (await store.commit([write(jobs, 'probe', {})])) ?? [];
    const again = { after: 0, events: ['2'] };
    expect(await store.commit([write(jobs, 'a', {}, { ...first, append: again })])).toHaveLength(1);
    expect(await store.commit([write(jobs, 'b', {}, { append: again })])).toHaveLength(1);
    expect(await store.commit([write(jobs, 'c', {}, { ifAbsent: true })])).not.toEqual([0]);
    expect(
      await store.commit([write(jobs, 'd', {}, { append: { after: 1, events: ['2'] } })]),
    ).toBeUndefined();
    for (const version of numbers((next ?? 0) + 1)) {
      expect(await store.commit([write(jobs, 'e', {}, { expects: version })])).toBeUndefined();
      expect(await store.commit([remove(jobs, 'e', version)])).toBeUndefined();
    }
    expect(await store.commit([remove(jobs, 'f')])).toEqual([0]);
    expect(await store.commit([{ ...remove(jobs, 'e'), expects: null }])).toEqual([0]);
    expect(await allEvents(store, 'a')).toEqual(['2']);
    expect(await allEvents(store, 'b')).toEqual(['2']);
    expect(await allEvents(store, 'c')).toEqual([]);
    expect(await idsOf(store, {})).toEqual(['probe', 'a', 'b', 'c']);
  });

  test('removes expired rows with their events, up to a limit', async () => {
    const store = await make();
    const until = store.now();
    const append = { after: 0, events: ['1'] };
    await store.commit(numbers(5).map((count) => write(jobs, `gone-${count}`, { until }, { append })));
    await fill(store, { kept: { until: until + 60_000 }, forever: {} });
    expect(await store.removeExpired(jobs, 3)).toBe(3);
    expect(await store.removeExpired(jobs, 3)).toBe(2);
    expect(await store.removeExpired(jobs, 3)).toBe(0);
    expect(await store.removeExpired(notes, 3)).toBe(0);
    expect(await idsOf(store, {})).toEqual(['kept', 'forever']);
    await store.commit([write(jobs, 'gone-1', {}, first)]);
    expect(await allEvents(store, 'gone-1')).toEqual([]);
  });
}

function listing(make: MakeStore): void {
  const rows = {
    d: { due: 1, owner: 'ann' },
    b: { due: 3, owner: 'bob' },
    e: { due: 2, owner: 'ann' },
    a: { owner: 'ann' },
    c: { due: 2, owner: 'cat' },
    f: { due: -5 },
  } satisfies Record<string, Job>;

  test('lists rows by their positions, in both directions', async () => {
    const store = await make();
    await fill(store, rows);
    expect(await idsOf(store, {})).toEqual(['d', 'b', 'e', 'a', 'c', 'f']);
    expect(await idsOf(store, { descending: true })).toEqual(['f', 'c', 'a', 'e', 'b', 'd']);
    const positions = (await store.range(jobs, { limit: 10 })).map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((one, other) => one - other));
    expect(new Set(positions).size).toBe(6);
  });

  test('lists the rows of an index by their numbers and then by their ids, in both directions', async () => {
    const store = await make();
    await fill(store, rows);
    expect(await idsOf(store, { order: 'due' })).toEqual(['f', 'd', 'c', 'e', 'b']);
    expect(await idsOf(store, { order: 'due', descending: true })).toEqual(['b', 'e', 'c', 'd', 'f']);
    expect(await idsOf(store, { order: 'size' })).toEqual([]);
  });

  test('goes on after a place, which no row needs to have', async () => {
    const store = await make();
    await fill(store, rows);
    const byDue = (value: number, id: string, descending = false) =>
      idsOf(store, { order: 'due', descending, after: { value, id } });
    expect(await byDue(2, 'c')).toEqual(['e', 'b']);
    expect(await byDue(2, 'd')).toEqual(['e', 'b']);
    expect(await byDue(2, '')).toEqual(['c', 'e', 'b']);
    expect(await byDue(2, 'e', true)).toEqual(['c', 'd', 'f']);
    expect(await byDue(2, 'd', true)).toEqual(['c', 'd', 'f']);
    expect(await byDue(9, 'a')).toEqual([]);
    const [, second] = await store.range(jobs, { limit: 2 });
    const after = { value: second?.position ?? 0, id: 'zzz' };
    expect(await idsOf(store, { after })).toEqual(['e', 'a', 'c', 'f']);
    expect(await idsOf(store, { after, descending: true })).toEqual(['d']);
  });

  test('gives every row once in pages, after a place or by offsets', async () => {
    const store = await make();
    const many = numbers(60).map((count) =>
      write(jobs, `row-${count % 7}-${count}`, { due: count % 3, owner: 'ann' }),
    );
    await store.commit(many);
    for (const order of [undefined, 'due']) {
      for (const descending of [false, true]) {
        const all = await idsOf(store, { order, descending });
        const byPlace: string[] = [];
        const byOffset: string[] = [];
        let after: RangeRequest['after'];
        for (;;) {
          const page = await store.range(jobs, {
            order,
            descending,
            after,
            limit: 7,
            where: { owner: ['ann', 'x'] },
          });
          byOffset.push(...(await idsOf(store, { order, descending, offset: byOffset.length, limit: 7 })));
          const last = page.at(-1);
          if (last === undefined) break;
          byPlace.push(...page.map(({ id }) => id));
          after = { value: order === undefined ? last.position : (last.row.due ?? 0), id: last.id };
        }
        expect(byPlace).toEqual(all);
        expect(byOffset).toEqual(all);
        expect(new Set(all).size).toBe(60);
      }
    }
  });

  test('leaves out the first rows, and gives no more than the limit', async () => {
    const store = await make();
    await fill(store, rows);
    expect(await idsOf(store, { offset: 1, limit: 2 })).toEqual(['b', 'e']);
    expect(await idsOf(store, { offset: 5 })).toEqual(['f']);
    expect(await idsOf(store, { offset: 6 })).toEqual([]);
    expect(await idsOf(store, { limit: 0 })).toEqual([]);
    expect(await idsOf(store, { order: 'due', offset: 1, limit: 2 })).toEqual(['d', 'c']);
    expect(await idsOf(store, { where: { owner: ['ann', 'bob'] }, offset: 1, limit: 2 })).toEqual(['b', 'e']);
  });
}

function selecting(make: MakeStore): void {
  const rows = {
    a: { owner: 'ann', kind: 'x', due: 1, size: 10 },
    b: { owner: 'bob', kind: 'x', due: 2, size: 20 },
    c: { owner: 'ann', kind: 'y', due: 3, size: 30 },
    d: { owner: 'cat', due: 4 },
    e: { kind: 'x', size: 10 },
  } satisfies Record<string, Job>;

  test('finds the rows that have one of the values in every index', async () => {
    const store = await make();
    await fill(store, rows);
    const found = (where: RangeRequest['where']) => idsOf(store, { where });
    expect(await found({ owner: 'ann' })).toEqual(['a', 'c']);
    expect(await found({ owner: ['cat', 'ann', 'nobody', 'ann'] })).toEqual(['a', 'c', 'd']);
    expect(await found({ owner: ['ann', 'bob'], kind: 'x' })).toEqual(['a', 'b']);
    expect(await found({ owner: ['ann', 'bob'], kind: ['x', 'y'] })).toEqual(['a', 'b', 'c']);
    expect(await found({ size: 10 })).toEqual(['a', 'e']);
    expect(await found({ size: [10, 30], owner: 'ann' })).toEqual(['a', 'c']);
    expect(await found({ owner: 'Ann' })).toEqual([]);
    expect(await found({ owner: [] })).toEqual([]);
    expect(await found({ owner: 'ann', kind: [] })).toEqual([]);
    expect(await found({ size: '10', owner: 'ann' })).toEqual([]);
    expect(await found({ owner: 10 })).toEqual([]);
  });

  test('finds the rows whose numbers are between two, the first included', async () => {
    const store = await make();
    await fill(store, rows);
    const found = (between: RangeRequest['between']) => idsOf(store, { between });
    expect(await found({ due: { from: 2, until: 4 } })).toEqual(['b', 'c']);
    expect(await found({ due: { from: 3 } })).toEqual(['c', 'd']);
    expect(await found({ due: { until: 2 } })).toEqual(['a']);
    expect(await found({ due: {} })).toEqual(['a', 'b', 'c', 'd']);
    expect(await found({ due: { from: 2 }, size: { until: 30 } })).toEqual(['b']);
    expect(await found({ due: { from: 1.5, until: 2.5 } })).toEqual(['b']);
    expect(await found({ due: { from: -Infinity, until: Infinity } })).toEqual(['a', 'b', 'c', 'd']);
    expect(
      await idsOf(store, { order: 'size', where: { kind: 'x' }, between: { due: { from: 0 } } }),
    ).toEqual(['a', 'b']);
  });

  test('counts the rows that a selection finds', async () => {
    const store = await make();
    expect(await store.count(jobs, {})).toBe(0);
    await fill(store, rows);
    expect(await store.count(jobs, {})).toBe(5);
    expect(await store.count(jobs, { where: { owner: ['ann', 'cat'] } })).toBe(3);
    expect(await store.count(jobs, { where: { owner: [] } })).toBe(0);
    expect(await store.count(jobs, { where: { kind: 'x' }, between: { size: { from: 20 } } })).toBe(1);
    expect(await store.count(notes, {})).toBe(0);
  });

  test('finds a row by what it was last written with, and no longer once it was removed', async () => {
    const store = await make();
    await fill(store, rows);
    await fill(store, { a: { owner: 'bob' } });
    await store.commit([remove(jobs, 'c')]);
    expect(await idsOf(store, { where: { owner: 'ann' } })).toEqual([]);
    expect(await idsOf(store, { where: { owner: 'bob' } })).toEqual(['a', 'b']);
    expect(await idsOf(store, { order: 'due' })).toEqual(['b', 'd']);
  });
}

function taking(make: MakeStore): void {
  test('hands out rows, the smallest number first, and sets their number alone', async () => {
    const store = await make();
    await fill(store, { a: { due: 3 }, c: { due: 1 }, b: { due: 1 }, d: { due: 9 }, e: {} });
    const before = await store.read(jobs, ['b', 'c']);
    const taken = await store.take(jobs, { index: 'due', until: 3, to: 50, limit: 2 });
    expect(taken).toEqual(before);
    const ids = async (limit: number) =>
      (await store.take(jobs, { index: 'due', until: 3, to: 50, limit })).map(({ id }) => id);
    expect(await ids(0)).toEqual([]);
    expect(await ids(9)).toEqual(['a']);
    expect(await ids(9)).toEqual([]);
    expect(await store.read(jobs, ['b', 'c'])).toEqual(before);
    expect(await idsOf(store, { order: 'due' })).toEqual(['d', 'a', 'b', 'c']);
    expect(await idsOf(store, { between: { due: { from: 50, until: 51 } } })).toEqual(['a', 'c', 'b']);
  });

  test('hands out only rows that are selected', async () => {
    const store = await make();
    await fill(store, {
      a: { due: 1, owner: 'ann' },
      b: { due: 2, owner: 'bob' },
      c: { due: 3, owner: 'ann' },
    });
    const request = { index: 'due', until: 9, to: 50, limit: 9 };
    expect(await store.take(jobs, { ...request, where: { owner: [] } })).toEqual([]);
    const later = await store.take(jobs, {
      ...request,
      where: { owner: 'ann' },
      between: { due: { from: 2 } },
    });
    expect(later.map(({ id }) => id)).toEqual(['c']);
    const taken = await store.take(jobs, { ...request, where: { owner: ['ann', 'x'] } });
    expect(taken.map(({ id }) => id)).toEqual(['a']);
  });

  test('hands each row to one of many callers', async () => {
    const store = await make();
    await store.commit(numbers(100).map((count) => write(jobs, `row-${count}`, { due: count })));
    const taken: string[] = [];
    const takeAll = async (): Promise<void> => {
      for (let misses = 0; misses < 3; ) {
        const rows = await store.take(jobs, { index: 'due', until: 100, to: 1_000, limit: 7 });
        taken.push(...rows.map(({ id }) => id));
        misses = rows.length === 0 ? misses + 1 : 0;
      }
    };
    await Promise.all(numbers(8).map(takeAll));
    expect(taken).toHaveLength(100);
    expect(new Set(taken).size).toBe(100);
  });

  test('moves the number of all rows that are selected, and nothing else', async () => {
    const store = await make();
    await fill(store, { a: { due: 1, owner: 'ann' }, b: { owner: 'ann' }, c: { due: 1, owner: 'bob' } });
    const before = await store.read(jobs, ['a', 'b', 'c']);
    expect(await store.move(jobs, { where: { owner: 'ann' } }, 'due', 7)).toBe(2);
    expect(await store.move(jobs, { where: { owner: [] } }, 'due', 8)).toBe(0);
    expect(await store.move(jobs, { where: { owner: 'nobody' } }, 'due', 8)).toBe(0);
    expect(await store.read(jobs, ['a', 'b', 'c'])).toEqual(before);
    expect(await idsOf(store, { between: { due: { from: 7 } } })).toEqual(['a', 'b']);
    expect(await store.commit([write(jobs, 'a', {}, { expects: before[0]?.version })])).toHaveLength(1);
  });

  test('moves, takes and commits at the same time', async () => {
    const store = await make();
    const ids = numbers(20).map((count) => `row-${count}`);
    await store.commit(ids.map((id) => write(jobs, id, { owner: 'ann', due: 1 })));
    const work = numbers(12).flatMap((count): Promise<unknown>[] => [
      store.move(jobs, { where: { owner: 'ann' } }, 'due', count),
      store.take(jobs, { index: 'due', until: 20, to: count, limit: 5 }),
      store.commit([...ids].reverse().map((id) => write(jobs, id, { owner: 'ann', due: 1 }))),
    ]);
    const settled = await Promise.allSettled(work);
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await store.move(jobs, { where: { owner: 'ann' } }, 'due', 1)).toBe(20);
  });
}

function watching(make: MakeStore): void {
  /** Listens until it is told nothing new, so that it misses nothing from then on. */
  async function listen(store: Store, topic: string) {
    const texts: (string | undefined)[] = [];
    const stop = store.watch(topic, (text) => texts.push(text));
    const mark = `begins-${topic}`;
    const begins = async () => {
      await store.commit([], [{ topic, text: mark }]);
      await vi.waitFor(() => expect(texts).toContain(mark), { timeout: 500 });
    };
    await vi.waitFor(begins, { timeout: 15_000 });
    // A text may come more than once.
    const told = () => [...new Set(texts)].filter((text) => text !== undefined && text !== mark);
    return { told, stop };
  }

  test('tells the listeners of a topic what was committed, and nobody else', async () => {
    const store = await make();
    const one = await listen(store, 'one');
    const other = await listen(store, 'other');
    await store.commit([write(jobs, 'a', {})], [{ topic: 'one', text: 'a' }]);
    await store.commit([write(jobs, 'b', {})], [{ topic: 'other', text: 'b' }]);
    await vi.waitFor(() => expect([one.told(), other.told()]).toEqual([['a'], ['b']]), { timeout: 15_000 });
    one.stop();
    other.stop();
  });

  test('tells nothing of a commit that was not written', async () => {
    const store = await make();
    const { told, stop } = await listen(store, 'one');
    const never = [{ topic: 'one', text: 'never' }];
    await store.commit([write(jobs, 'a', {}, { expects: 1 })], never);
    await store.commit([write(jobs, 'b', {}), write(jobs, 'a', {}, { expects: 1 })], never);
    await store.commit([write(jobs, 'a', {})], [{ topic: 'one', text: 'last' }]);
    await vi.waitFor(() => expect(told()).toContain('last'), { timeout: 15_000 });
    await sleep(100);
    expect(told()).not.toContain('never');
    stop();
  });

  test('tells nothing to a listener that has stopped', async () => {
    const store = await make();
    const one = await listen(store, 'one');
    one.stop();
    one.stop();
    const other = await listen(store, 'one');
    one.stop();
    await store.commit([], [{ topic: 'one', text: 'a' }]);
    await vi.waitFor(() => expect(other.told()).toEqual(['a']), { timeout: 15_000 });
    expect(one.told()).toEqual([]);
    other.stop();
  });

  test('tells any text', async () => {
    const store = await make();
    for (const topic of ['plain', hostileText, '__proto__']) {
      const { told, stop } = await listen(store, topic);
      await store.commit([], [{ topic, text: hostileText }]);
      await vi.waitFor(() => expect(told()).toContain(hostileText), { timeout: 15_000 });
      stop();
    }
  });
}

function storingAnything(make: MakeStore): void {
  test('keeps rows of any id apart', async () => {
    const store = await make();
    const append = (id: string) => ({ append: { after: 0, events: [JSON.stringify(id)] } });
    await store.commit(hostileIds.map((id) => write(jobs, id, { note: id, due: 1 }, append(id))));
    const found = await store.read(jobs, hostileIds);
    expect(found.map((stored) => [stored?.id, stored?.row.note])).toEqual(hostileIds.map((id) => [id, id]));
    expect(await idsOf(store, {})).toEqual(hostileIds);
    for (const id of hostileIds) expect(await allEvents(store, id)).toEqual([JSON.stringify(id)]);
    const pages: string[] = [];
    for (let last: string | undefined; ; ) {
      const after = last === undefined ? undefined : { value: 1, id: last };
      const page = await idsOf(store, { order: 'due', after, limit: 5 });
      if (page.length === 0) break;
      pages.push(...page);
      last = page.at(-1);
    }
    expect(pages.sort()).toEqual([...hostileIds].sort());
    await store.commit(hostileIds.map((id) => remove(jobs, id)));
    expect(await store.count(jobs, {})).toBe(0);
  });

  test('finds no row of an id that is like another', async () => {
    const store = await make();
    await fill(store, { a: {} });
    expect(await store.read(jobs, ['A', 'a ', 'a\u0000', '%', 'a'.repeat(100_000)])).toEqual(
      Array.from({ length: 5 }),
    );
  });

  test('finds rows by any text of an index', async () => {
    const store = await make();
    const texts = [...hostileIds, hostileText, '', 'x'.repeat(10_000), `${'x'.repeat(10_000)}y`];
    await store.commit(texts.map((owner, number) => write(jobs, `row-${number}`, { owner })));
    for (const [number, owner] of texts.entries())
      expect(await idsOf(store, { where: { owner } })).toEqual([`row-${number}`]);
    expect(await store.count(jobs, { where: { owner: texts } })).toBe(texts.length);
  });

  test('reads any JSON as it was written', async () => {
    const store = await make();
    const note = [hostileText, hostileObject, 'x'.repeat(300_000), 1e300, -0.1, true, null, ''];
    await fill(store, { a: { note } });
    const read = await readOne(store, 'a');
    expect(JSON.stringify(read?.row)).toBe(JSON.stringify({ note }));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('keeps the numbers of times, and the greatest ones', async () => {
    const store = await make();
    const now = Date.now();
    const greatest = Number.MAX_SAFE_INTEGER;
    await fill(store, { a: { due: now }, b: { due: greatest }, c: { due: -greatest }, d: { due: 0 } });
    expect(await idsOf(store, { order: 'due' })).toEqual(['c', 'd', 'a', 'b']);
    expect(await idsOf(store, { where: { due: [now, -greatest] } })).toEqual(['a', 'c']);
  });
}
