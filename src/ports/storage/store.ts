import type { StorageHealth } from './record-store.ts';

/**
 * A kind of rows: plain JSON, each with an id, found and ordered by its indexes. A row for which an index has null is
 * not in it.
 */
export interface Table<R extends object> {
  /**
   * Lower-case letters and `_`, as the names of indexes are: they are part of the source and never come from outside.
   */
  readonly name: string;
  /** Indexes of texts, which are compared for equality alone. */
  readonly texts: Readonly<Record<string, (row: R) => string | null>>;
  /** Indexes of integers, which are ordered. No index of numbers has the name of one of texts. */
  readonly numbers: Readonly<Record<string, (row: R) => number | null>>;
  /** When a row expires, in milliseconds since the epoch; null for never. An expired row is as if there were none. */
  readonly expiresAt: (row: R) => number | null;
  /**
   * True where a row has texts of a customer, which an engine that writes files must be able to erase from them: see
   * `Change.erases`. None has where it is absent. The ids of such a table may be texts of customers too, unless it has
   * indexes of numbers.
   */
  readonly isPrivate?: (row: R) => boolean;
}

/** The part of a table that an engine must know to keep it. */
export type TableShape = Pick<Table<never>, 'name' | 'texts' | 'numbers' | 'isPrivate'>;

/** A row as it is stored. It shares no object with what was written. */
export interface Stored<R> {
  readonly id: string;
  /** Another one after each commit that writes the row. No row of the same id ever has it again. */
  readonly version: number;
  /** Where it stands among all rows of its table, by the time of its first commit: a unique, growing integer. */
  readonly position: number;
  readonly row: R;
  /** Its body, where that was asked for and there is one. */
  readonly body?: string | undefined;
}

/** A write of one row in a commit, as {@link write} and {@link remove} make it. */
export interface Change {
  readonly table: string;
  readonly id: string;
  /** The version that the row must have; null where there must be none; absent where that does not matter. */
  readonly expects?: number | null | undefined;
  /** The row as it will be, which keeps its position; null removes it with its events. */
  readonly next: EncodedRow | null;
  /** True where a row that is there stays as it is, and the commit goes on without this change. */
  readonly ifAbsent?: boolean | undefined;
  /**
   * The events that it appends: JSON texts, of which the first gets the number `after + 1`. The row must have `after`
   * events, none where it is new.
   */
  readonly append?: { readonly after: number; readonly events: readonly string[] } | undefined;
  /**
   * True where nothing that the row had before, and has no longer, may stay readable in the files of the store once the
   * commit has resolved, if the row was private.
   */
  readonly erases?: boolean | undefined;
}

/** A row with what its table says of it. */
export interface EncodedRow {
  readonly json: string;
  /** A text beside it that is large and seldom read or changed. Where it is absent, what is stored stays. */
  readonly body?: string | undefined;
  readonly indexes: Readonly<Record<string, string | number | null>>;
  readonly expiresAt: number | null;
  /** See {@link Table.isPrivate}. */
  readonly isPrivate: boolean;
}

/** Something that other processes are told once a commit is written: see {@link Store.watch}. */
export interface Notice {
  readonly topic: string;
  /** Short: an id. */
  readonly text: string;
}

/**
 * A change of a store in this process, whose row and events may be objects. A row that is given so never changes, and
 * nothing that it holds does; of events that is not needed.
 */
export interface LocalChange extends Omit<Change, 'next' | 'append'> {
  readonly next: EncodedRow | LocalRow | null;
  readonly append?: { readonly after: number; readonly events: readonly (string | object)[] } | undefined;
}

/** A row that is kept as it is. */
export interface LocalRow extends Omit<EncodedRow, 'json' | 'isPrivate'> {
  readonly row: object;
  /** About how many bytes it takes, where it is large. */
  readonly bytes?: number | undefined;
}

/** A store of this process alone: see {@link Store.local}. */
export interface LocalStore {
  /** A row as it is kept, which nobody may change; undefined for one that is not there. */
  peek<R extends object>(table: Table<R>, id: string): Pick<Stored<R>, 'version' | 'row'> | undefined;
  /** The same as {@link Store.commit} at once. Throws where that rejects. */
  commit(changes: readonly LocalChange[], notices?: readonly Notice[]): readonly number[] | undefined;
}

/** Which rows a listing finds. */
export interface Selection {
  /** Rows that have one of the values, in every index that is named. An empty list finds none. */
  readonly where?: Readonly<Record<string, string | number | readonly (string | number)[]>> | undefined;
  /** Rows whose number is at least `from` and below `until`, in every index that is named. */
  readonly between?:
    | Readonly<Record<string, { readonly from?: number | undefined; readonly until?: number | undefined }>>
    | undefined;
}

/** A place in an order. */
export interface Place {
  readonly value: number;
  /** Of several rows with the same number those of greater ids are after it. */
  readonly id: string;
}

/** The part of a listing that is read. */
export interface RangeRequest extends Selection {
  /** The index of numbers by which it is ordered, and then by ids; by positions when absent. */
  readonly order?: string | undefined;
  /** Greatest first. */
  readonly descending?: boolean | undefined;
  /** Only what comes after this place in the order; by positions the id is not looked at. */
  readonly after?: Place | undefined;
  readonly limit: number;
  /** True where the bodies are read too. */
  readonly withBody?: boolean | undefined;
  /** The number of first rows that are left out. */
  readonly offset?: number | undefined;
}

/** Rows that are handed out, each to one caller: see {@link Store.take}. */
export interface TakeRequest extends Selection {
  /** The index of numbers that says from when a row may be taken. */
  readonly index: string;
  /** Rows whose number is at most this. */
  readonly until: number;
  /** The value that the index gets for a row that is taken. */
  readonly to: number;
  readonly limit: number;
}

/**
 * Rows in tables, with their events. What every record of the service is stored by: read, decide, and commit what was
 * decided where nothing has changed since. Every member rejects with `unavailable` within the command timeout while the
 * store cannot be reached, unless it says otherwise.
 */
export interface Store extends StorageHealth {
  /**
   * The time by the clock of the store, in milliseconds since the epoch: the same for all processes that share it,
   * within a second. What is compared with the times of other processes is told by it. Rows expire by it.
   */
  now(): number;
  /** Rows in the order of the ids; undefined for one that is not there. */
  read<R extends object>(
    table: Table<R>,
    ids: readonly string[],
    withBody?: boolean,
  ): Promise<readonly (Stored<R> | undefined)[]>;
  /**
   * Writes all changes, of different rows, in one atomic step, and resolves to the versions of their rows in that
   * order: 0 for a row that was removed, and for one that `ifAbsent` has left. New rows get positions in that order.
   * Resolves to undefined, with nothing written, where a row has not the version or the events that its change expects.
   * A commit that has resolved is written; one that has rejected may be written even so.
   */
  commit(changes: readonly Change[], notices?: readonly Notice[]): Promise<readonly number[] | undefined>;
  /**
   * Rows in an order. The time grows with `limit` and `offset`, not with the number of rows that one index excludes.
   */
  range<R extends object>(table: Table<R>, request: RangeRequest): Promise<readonly Stored<R>[]>;
  /** The number of rows. */
  count<R extends object>(table: Table<R>, selection: Selection): Promise<number>;
  /**
   * Hands out rows, the smallest number first: sets their number in the index, and nothing else, so that of several
   * callers each gets others. Their versions stay.
   */
  take<R extends object>(table: Table<R>, request: TakeRequest): Promise<readonly Stored<R>[]>;
  /** Sets the number of all rows that are selected in an index, and nothing else. Resolves to how many they are. */
  move<R extends object>(table: Table<R>, selection: Selection, index: string, to: number): Promise<number>;
  /** JSON texts of at most `limit` events after the event number `after`. */
  events<R extends object>(
    table: Table<R>,
    id: string,
    after: number,
    limit: number,
  ): Promise<readonly string[]>;
  /**
   * Calls `listener` with the texts of the notices of a topic, those of this process included, maybe more than once,
   * and with undefined where some may have been lost: then it must look itself. Returns what ends it. Never throws.
   */
  watch(topic: string, listener: (text: string | undefined) => void): () => void;
  /** Removes at most `limit` expired rows of a table. Resolves to how many were removed. */
  removeExpired(table: TableShape, limit: number): Promise<number>;
  /** Calls `callback` each time the store can be reached again. */
  onAvailable(callback: () => void): void;
  /**
   * Present in a store that belongs to this process alone, and ends with it: then nothing is kept for other processes,
   * and no work is done that tells them, or looks for them.
   */
  readonly local?: LocalStore | undefined;
}

/** The change that writes a row. */
export function write<R extends object>(
  table: Table<R>,
  id: string,
  row: R,
  more: Pick<Change, 'expects' | 'ifAbsent' | 'append' | 'erases'> & Pick<EncodedRow, 'body'> = {},
): Change {
  const { body, expects, ifAbsent, append, erases } = more;
  const next = {
    json: JSON.stringify(row),
    body,
    indexes: indexesOf(table, row),
    expiresAt: table.expiresAt(row),
    isPrivate: table.isPrivate?.(row) ?? false,
  };
  return { table: table.name, id, next, expects, ifAbsent, append, erases };
}

/** The change that writes a row which a store of this process may keep as it is: see {@link LocalChange}. */
export function writeKept<R extends object>(
  table: Table<R>,
  id: string,
  row: R,
  { expects, bytes }: Pick<Change, 'expects'> & Pick<LocalRow, 'bytes'>,
): Change {
  const next = {
    row,
    bytes,
    indexes: indexesOf(table, row),
    expiresAt: table.expiresAt(row),
    isPrivate: table.isPrivate?.(row) ?? false,
    get json() {
      return JSON.stringify(row);
    },
  };
  return { table: table.name, id, next, expects };
}

/** The change that removes a row with its events. It erases a private one. */
export function remove<R extends object>(table: Table<R>, id: string, expects?: number): Change {
  return { table: table.name, id, next: null, expects, erases: table.isPrivate !== undefined };
}

/** The values of a row in all indexes of its table. */
export function indexesOf<R extends object>(table: Table<R>, row: R): EncodedRow['indexes'] {
  const indexes: Record<string, string | number | null> = {};
  for (const name in table.texts) indexes[name] = table.texts[name]?.(row) ?? null;
  for (const name in table.numbers) indexes[name] = table.numbers[name]?.(row) ?? null;
  return indexes;
}
