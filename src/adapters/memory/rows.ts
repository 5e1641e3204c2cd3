import type { Place, RangeRequest, Selection } from '../../ports/storage/store.ts';
import type { Entry, Indexes } from './entry.ts';
import { createSorted, type Sorted } from './sorted.ts';

/** The rows of a table, found by their ids and in every order. An order is made when it is asked for first. */
export interface Rows {
  readonly size: number;
  get(id: string): Entry | undefined;
  add(entry: Entry): void;
  remove(entry: Entry): void;
  /** Sets the values of a row in the indexes. */
  reindex(entry: Entry, next: Indexes): void;
  /** The rows of a range in its order, before its offset and limit. The rows must not change meanwhile. */
  inOrder(request: Omit<RangeRequest, 'limit'>): Iterable<Entry>;
  /** The number of rows of a selection, where that is known without looking at each. */
  sizeOf(selection: Selection): number | undefined;
  all(): Iterable<Entry>;
}

/** Where a row stands, or a place between rows. */
type Placed = Pick<Entry, 'id' | 'position' | 'indexes'>;

/** An order, or the rows by the values of an index. */
interface Index {
  /** True where a row that has one of these values in the other's place stands elsewhere. */
  isMoved(before: Indexes, after: Indexes): boolean;
  add(entry: Entry): void;
  remove(entry: Entry): void;
}

/** Rows are sorted, not walked over, where they are fewer than this part of the order. */
const FEW = 1 / 16;

const byPosition = (one: Placed, other: Placed): number => one.position - other.position;

/** Creates {@link Rows} without rows. */
export function createRows(): Rows {
  const byId = new Map<string, Entry>();
  const built: Index[] = [];
  const values = new Map<string, ReadonlyMap<string | number, Sorted<Entry>>>();
  const orders = new Map<string, Sorted<Entry>>();
  let positions: Sorted<Entry> | undefined;

  function build(index: Index): void {
    for (const entry of byId.values()) index.add(entry);
    built.push(index);
  }

  function inPositions(): Sorted<Entry> {
    if (positions !== undefined) return positions;
    const sorted = createSorted<Entry>(byPosition);
    positions = sorted;
    build({ isMoved: () => false, add: sorted.add, remove: sorted.remove });
    return sorted;
  }

  /** Rows by an index of texts, or by the exact values of one of numbers, each in the order of their positions. */
  function byValue(name: string): ReadonlyMap<string | number, Sorted<Entry>> {
    const known = values.get(name);
    if (known !== undefined) return known;
    const lists = new Map<string | number, Sorted<Entry>>();
    values.set(name, lists);
    build({
      isMoved: (before, after) => before[name] !== after[name],
      add(entry) {
        const value = entry.indexes[name];
        if (value == null) return;
        const list = lists.get(value) ?? createSorted<Entry>(byPosition);
        lists.set(value, list);
        list.add(entry);
      },
      remove(entry) {
        const value = entry.indexes[name];
        const list = value == null ? undefined : lists.get(value);
        list?.remove(entry);
        if (value != null && list?.size === 0) lists.delete(value);
      },
    });
    return lists;
  }

  /** Rows by an index of numbers, and then by their ids. */
  function inNumbers(name: string): Sorted<Entry> {
    const known = orders.get(name);
    if (known !== undefined) return known;
    const sorted = createSorted<Entry>((one, other) =>
      comparePlaces(placeOf(one, name), placeOf(other, name)),
    );
    orders.set(name, sorted);
    const has = ({ indexes }: Entry): boolean => typeof indexes[name] === 'number';
    build({
      isMoved: (before, after) => before[name] !== after[name],
      add: (entry) => has(entry) && sorted.add(entry),
      remove: (entry) => has(entry) && sorted.remove(entry),
    });
    return sorted;
  }

  /** The rows with the values of the clause of a selection that fewest have; undefined where there is no clause. */
  function fewest({
    where = {},
  }: Selection): { readonly lists: Sorted<Entry>[]; readonly size: number } | undefined {
    let found: { readonly lists: Sorted<Entry>[]; readonly size: number } | undefined;
    for (const [name, wanted] of Object.entries(where)) {
      const byThis = byValue(name);
      const unique = isList(wanted) ? [...new Set(wanted)] : [wanted];
      const lists = unique.flatMap((value) => byThis.get(value) ?? []);
      const size = lists.reduce((sum, list) => sum + list.size, 0);
      if (found === undefined || size < found.size) found = { lists, size };
    }
    return found;
  }

  function byPositions({ descending, after, ...selection }: Omit<RangeRequest, 'limit'>): Iterable<Entry> {
    const start = after && entryOf({ position: after.value });
    const lists = fewest(selection)?.lists ?? [inPositions()];
    const [only] = lists;
    if (lists.length <= 1) return only?.values(descending, start) ?? [];
    const sign = descending === true ? -1 : 1;
    return merge(
      lists.map((list) => list.values(descending, start)),
      (one, other) => sign * byPosition(one, other),
    );
  }

  function byNumbers(request: Omit<RangeRequest, 'limit'>, order: string): Iterable<Entry> {
    const { descending = false, after, between = {} } = request;
    const numbers = inNumbers(order);
    const few = fewest(request);
    if (few !== undefined && few.size <= numbers.size * FEW) {
      const sign = descending ? -1 : 1;
      return few.lists
        .flatMap((list) => [...list.values()])
        .filter((entry) => {
          const place = placeOf(entry, order);
          return (
            typeof entry.indexes[order] === 'number' &&
            (after === undefined || sign * comparePlaces(place, after) > 0)
          );
        })
        .sort((one, other) => sign * comparePlaces(placeOf(one, order), placeOf(other, order)));
    }
    const { from, until } = between[order] ?? {};
    const bound = descending ? until : from;
    const start = after ?? (bound === undefined ? undefined : { value: bound, id: '' });
    const found = numbers.values(
      descending,
      start && entryOf({ id: start.id, indexes: { [order]: start.value } }),
    );
    const isBeyond = (value: number): boolean =>
      descending ? from !== undefined && value < from : until !== undefined && value >= until;
    return takeWhile(found, (entry) => !isBeyond(placeOf(entry, order).value));
  }

  return {
    get size() {
      return byId.size;
    },
    get: (id) => byId.get(id),
    add(entry) {
      byId.set(entry.id, entry);
      for (const index of built) index.add(entry);
    },
    remove(entry) {
      byId.delete(entry.id);
      for (const index of built) index.remove(entry);
    },
    reindex(entry, next) {
      const before = entry.indexes;
      if (before === next) return;
      for (const index of built) if (index.isMoved(before, next)) index.remove(entry);
      entry.indexes = next;
      for (const index of built) if (index.isMoved(before, next)) index.add(entry);
    },
    *inOrder(request) {
      const { order } = request;
      const found = order === undefined ? byPositions(request) : byNumbers(request, order);
      for (const entry of found) if (fits(entry, request)) yield entry;
    },
    sizeOf(selection) {
      if (Object.keys(selection.between ?? {}).length > 0) return undefined;
      const clauses = Object.keys(selection.where ?? {}).length;
      return clauses === 0 ? byId.size : clauses === 1 ? fewest(selection)?.size : undefined;
    },
    all: () => byId.values(),
  };
}

function isList(
  wanted: string | number | readonly (string | number)[],
): wanted is readonly (string | number)[] {
  return typeof wanted === 'object';
}

/** A row that has only these members: a new one, or a place between rows, which is never stored. */
export function entryOf(place: Partial<Placed & Pick<Entry, 'version'>>): Entry {
  return {
    id: '',
    position: 0,
    version: 0,
    content: '',
    body: undefined,
    bodyBytes: 0,
    indexes: {},
    expiresAt: null,
    events: undefined,
    bytes: 0,
    counted: undefined,
    ...place,
  };
}

function placeOf({ id, indexes }: Placed, order: string): Place {
  const value = indexes[order];
  return { value: typeof value === 'number' ? value : Number.NaN, id };
}

function comparePlaces(one: Place, other: Place): number {
  if (one.value !== other.value) return one.value - other.value;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

function fits({ indexes }: Entry, { where = {}, between = {} }: Selection): boolean {
  for (const index in where) {
    const wanted = where[index];
    const value = indexes[index] ?? null;
    if (wanted === undefined) continue;
    if (value === null || !(isList(wanted) ? wanted.includes(value) : wanted === value)) return false;
  }
  for (const index in between) {
    const { from, until } = between[index] ?? {};
    const value = indexes[index];
    if (typeof value !== 'number') return false;
    if ((from !== undefined && value < from) || (until !== undefined && value >= until)) return false;
  }
  return true;
}

function* takeWhile<T>(values: Iterable<T>, isWanted: (value: T) => boolean): Generator<T> {
  for (const value of values) {
    if (!isWanted(value)) return;
    yield value;
  }
}

/** The values of several lists, each in the order, in one. */
function* merge<T>(lists: readonly Iterable<T>[], compare: (one: T, other: T) => number): Generator<T> {
  const heads = lists.flatMap((list) => {
    const iterator = list[Symbol.iterator]();
    const { value, done } = iterator.next();
    return done === true ? [] : [{ iterator, value }];
  });
  while (heads.length > 0) {
    const first = heads.reduce((least, head) => (compare(head.value, least.value) < 0 ? head : least));
    yield first.value;
    const { value, done } = first.iterator.next();
    if (done === true) heads.splice(heads.indexOf(first), 1);
    else first.value = value;
  }
}
