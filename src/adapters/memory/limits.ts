import type { Counted, Entry, Indexes } from './entry.ts';
import { createNewestFirst, type NewestFirst } from './newest-first.ts';

/** The most rows that a table may have. */
export interface Limit {
  /** The rows that it counts; all that no limit before it does when absent. */
  readonly counts?: (indexes: Indexes) => boolean;
  /** No limit when absent. */
  readonly maxRows?: number | undefined;
  /** About how many bytes the rows may take; no limit when absent. */
  readonly maxBytes?: number | undefined;
  /**
   * When a row is removed for others: all of turn 0 before those of turn 1, and within a turn the one first that has
   * come into it first. Null for a row that stays. All rows have turn 0 when absent.
   */
  readonly turn?: (indexes: Indexes) => number | null;
  /** True where a row that is written again goes to the end of its turn. */
  readonly lastWrittenLast?: boolean;
  /**
   * The error of a commit of a row for which there is no room, and of which none can be made: nothing of it is written.
   * When absent, and for a row of turn 0, the limit is exceeded for a moment.
   */
  readonly full?: (used: { readonly rows: number; readonly bytes: number }) => Error;
}

/** The limits of the rows of one table. */
export interface Limits {
  /** True where one of them has an error. */
  readonly refuses: boolean;
  /** Bytes of the rows that a limit counts, and of what they refer to. */
  bytes(limit: number): number;
  /**
   * Removes rows, but not those that are `busy`, until a row has room that takes the place of `before`. Throws the
   * error of its limit where it gets none.
   */
  makeRoom(
    next: Pick<Entry, 'indexes' | 'bytes'>,
    before: Entry | undefined,
    busy: ReadonlySet<string>,
  ): void;
  /** Counts a row as it is now, and removes those that are too many. */
  count(entry: Entry): void;
  /** Counts a row no more that was removed. */
  release(entry: Entry): void;
  /** The first rows that may be removed, at most `count` of each turn. */
  oldest(): Iterable<Entry>;
}

/** Rows that others refer to by an index: each is counted once for all of them, and removed with the last one. */
export interface Reference {
  readonly index: string;
  bytesOf(id: string): number;
  remove(id: string): void;
}

interface State {
  readonly limit: Limit;
  rows: number;
  bytes: number;
  readonly turns: NewestFirst<Entry>[];
}

/** Something that rows refer to, with the number of those that each limit counts. */
interface Referred {
  readonly bytes: number;
  readonly uses: number[];
}

/** Creates {@link Limits}. `remove` removes a row, and calls `release`. */
export function createLimits(
  limits: readonly Limit[],
  remove: (entry: Entry) => void,
  reference?: Reference,
): Limits {
  const states = limits.map((limit): State => ({ limit, rows: 0, bytes: 0, turns: [] }));
  const referred = new Map<string, Referred>();

  function numberFor(indexes: Indexes): number {
    return limits.findIndex(({ counts }) => counts === undefined || counts(indexes));
  }

  const turnOf = ({ turn }: Limit, indexes: Indexes): number | null =>
    turn === undefined ? 0 : turn(indexes);

  function listOf({ turns }: State, turn: number): NewestFirst<Entry> {
    turns[turn] ??= createNewestFirst();
    return turns[turn];
  }

  /** Rows that are referred to count for the last limit that counts one of those that refer to them. */
  function refer({ indexes }: Entry, number: number, change: 1 | -1): void {
    const id = reference === undefined ? null : indexes[reference.index];
    if (reference === undefined || typeof id !== 'string') return;
    const known = referred.get(id) ?? { bytes: reference.bytesOf(id), uses: limits.map(() => 0) };
    const before = known.uses.findLastIndex((count) => count > 0);
    known.uses[number] = (known.uses[number] ?? 0) + change;
    const after = known.uses.findLastIndex((count) => count > 0);
    if (before === after) return;
    const [from, to] = [states[before], states[after]];
    if (from !== undefined) from.bytes -= known.bytes;
    if (to !== undefined) to.bytes += known.bytes;
    if (before < 0) referred.set(id, known);
    if (after < 0) {
      referred.delete(id);
      reference.remove(id);
    }
  }

  /** The row that goes first of those that are not busy. */
  function firstOf({ turns }: State, busy?: ReadonlySet<string>): Entry | undefined {
    for (const turn of turns) {
      for (let node = turn?.oldest(); node !== undefined; node = node.newer) {
        if (busy?.has(node.value.id) !== true) return node.value;
      }
    }
    return undefined;
  }

  const isOver = ({ limit, rows, bytes }: State): boolean =>
    rows > (limit.maxRows ?? Number.POSITIVE_INFINITY) ||
    bytes > (limit.maxBytes ?? Number.POSITIVE_INFINITY);

  function evict(state: State, entry: Entry): void {
    // For one that is too large itself no other one goes.
    if (state.limit.full === undefined && entry.bytes > (state.limit.maxBytes ?? Number.POSITIVE_INFINITY)) {
      if (entry.counted?.turn != null) remove(entry);
      return;
    }
    while (isOver(state)) {
      const first = firstOf(state);
      if (first === undefined) return;
      remove(first);
    }
  }

  function release(entry: Entry): void {
    const { counted } = entry;
    const state = counted && states[counted.limit];
    if (counted === undefined || state === undefined) return;
    entry.counted = undefined;
    state.rows -= 1;
    state.bytes -= counted.bytes;
    if (counted.node !== undefined && counted.turn !== null) listOf(state, counted.turn).remove(counted.node);
    refer(entry, counted.limit, -1);
  }

  /** The node of a row in its turn, where it is already or added now. */
  function nodeIn(state: State, turn: number | null, entry: Entry): Counted['node'] {
    const { counted } = entry;
    const isThere = counted !== undefined && states[counted.limit] === state && counted.turn === turn;
    if (isThere && (state.limit.lastWrittenLast !== true || turn === null)) return counted.node;
    const from = counted && states[counted.limit];
    if (counted?.node !== undefined && counted.turn !== null && from !== undefined)
      listOf(from, counted.turn).remove(counted.node);
    return turn === null ? undefined : listOf(state, turn).add(entry);
  }

  return {
    refuses: limits.some(({ full }) => full !== undefined),
    bytes: (limit) => states[limit]?.bytes ?? 0,
    makeRoom({ indexes, bytes }, before, busy) {
      const state = states[numberFor(indexes)];
      if (state?.limit.full === undefined) return;
      const { maxRows = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = state.limit;
      const wasHere = before?.counted !== undefined && states[before.counted.limit] === state;
      const addedRows = wasHere ? 0 : 1;
      const added = bytes - (wasHere ? (before?.counted?.bytes ?? 0) : 0);
      while ((addedRows > 0 && state.rows >= maxRows) || (added > 0 && state.bytes + added > maxBytes)) {
        const first = firstOf(state, busy);
        // One that may be removed first has room always: it is removed for the next one.
        if (first === undefined && turnOf(state.limit, indexes) === 0) return;
        if (first === undefined) throw state.limit.full(state);
        remove(first);
      }
    },
    count(entry) {
      const known = entry.counted;
      const same = known?.indexes === entry.indexes ? states[known.limit] : undefined;
      if (known !== undefined && same !== undefined && same.limit.lastWrittenLast !== true) {
        same.bytes += entry.bytes - known.bytes;
        known.bytes = entry.bytes;
        if (isOver(same)) evict(same, entry);
        return;
      }
      const number = numberFor(entry.indexes);
      const state = states[number];
      if (state === undefined) return;
      const { counted: before, bytes } = entry;
      const turn = turnOf(state.limit, entry.indexes);
      const node = nodeIn(state, turn, entry);
      if (before?.limit !== number) {
        const from = before && states[before.limit];
        if (before !== undefined && from !== undefined) {
          from.rows -= 1;
          from.bytes -= before.bytes;
        }
        state.rows += 1;
        state.bytes += bytes;
        refer(entry, number, 1);
        if (before !== undefined) refer(entry, before.limit, -1);
      } else state.bytes += bytes - before.bytes;
      entry.counted = { limit: number, bytes, indexes: entry.indexes, turn, node };
      evict(state, entry);
    },
    release,
    *oldest() {
      for (const { turns } of states) {
        for (const turn of turns) {
          const first = turn?.oldest();
          if (first !== undefined) yield first.value;
        }
      }
    },
  };
}
