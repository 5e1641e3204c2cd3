import type { StatementSync } from 'node:sqlite';
import type { Change, EncodedRow } from '../../ports/storage/store.ts';
import type { Connection } from './connection.ts';
import { createPadding, digestOf, encodeId, keyOf, type Layout, type SqliteTable } from './layout.ts';
import { bounded, columnOf, tableOf } from './selection.ts';

/** The outcome of a commit. */
export interface Written {
  /** The versions of the rows, in the order of the changes; 0 for one that was removed or left. */
  readonly versions: readonly number[];
  /** True where something was removed or replaced that must not stay in the files. */
  readonly hasErased: boolean;
}

/** Writes of rows, each to be called in a transaction. */
export interface Writes {
  /** Writes all changes; undefined, with nothing written, where one does not fit. `now`: rows expire by it. */
  commit(changes: readonly Change[], now: number): Written | undefined;
  /** Removes a row with everything that belongs to it. */
  remove(table: SqliteTable, position: number): void;
  /** Sets the numbers of rows in an index. */
  setNumber(table: SqliteTable, index: string, to: number, positions: readonly number[]): void;
}

/** The value of an index as its column has it. */
type Value = Uint8Array | number | null;

/** The part of a row that decides about its change: its columns as they are stored. */
interface Head {
  readonly position: number;
  readonly version: number;
  readonly events: number;
  readonly expiresAt: number | null;
  /** Those of the indexes, in the order of the table. */
  readonly values: readonly Value[];
}

/** A change, with the row that it finds. */
interface Found {
  readonly change: Change;
  readonly known: KnownTable;
  readonly head: Head | undefined;
  /** True where the row has not expired. */
  readonly isLive: boolean;
}

/** A table with the statements that write it. */
interface KnownTable {
  readonly table: SqliteTable;
  /** The rows that were written last, by their ids: nobody else writes them. */
  readonly heads: Map<string, Head>;
  /** Statements that set some columns of a row, by the bits of these columns. */
  readonly updates: Map<number, StatementSync>;
  readonly find: StatementSync;
  readonly insert: StatementSync;
  readonly insertText: StatementSync;
  readonly updateText: StatementSync;
  readonly remove: StatementSync;
  readonly removeText: StatementSync;
}

/** The rows of a table that are remembered. */
const MAX_HEADS = 4_000;

/** Joins the JSON texts of events, none of which has it. */
export const EVENT_SEPARATOR = '\x1e';

/** Numbers that are written as used at a time, before any of them is. */
const NUMBERS_AT_ONCE = 1_000_000;

/** Creates {@link Writes}. */
export function createWrites({ prepare, read, onRollback }: Connection, layout: Layout): Writes {
  const paddingFor = createPadding(numberIn('PRAGMA page_size'));
  const deleteEvents = prepare('DELETE FROM events WHERE position = ?');
  const deleteBody = prepare('DELETE FROM bodies WHERE position = ?');
  const insertEvents = prepare('INSERT INTO events VALUES (?, ?, zeroblob(?), ?)');
  const putBody = prepare('INSERT OR REPLACE INTO bodies VALUES (?, zeroblob(?), ?)');
  const mark = prepare('INSERT OR REPLACE INTO counter VALUES (1, ?)');
  const tables = new Map<string, KnownTable>();
  let number = numberIn('SELECT coalesce(max(value), 0) FROM counter');
  /** Numbers up to this one are marked as used in the file. */
  let marked = number;

  onRollback(() => {
    marked = 0;
    for (const { heads } of tables.values()) heads.clear();
  });

  function numberIn(sql: string): number {
    return read(() => Number(Object.values(prepare(sql).get() ?? {})[0]));
  }

  function know(name: string): KnownTable {
    const known = tables.get(name);
    if (known !== undefined) return known;
    const table = tableOf(layout, name);
    const { rows, texts, columns } = table;
    const marks = [...columns].map(() => ', ?').join('');
    const created: KnownTable = {
      table,
      heads: new Map(),
      updates: new Map(),
      find: prepare(
        `SELECT position, version, events, expires_at${table.selected} FROM ${rows} WHERE id = ?`,
      ),
      insert: prepare(
        `INSERT INTO ${rows} (position, id, version, events, expires_at${table.selected})
          VALUES (?, ?, ?, ?, ?${marks})`,
      ),
      insertText: prepare(`INSERT INTO ${texts} VALUES (?, zeroblob(?), ?, ?)`),
      updateText: prepare(`UPDATE ${texts} SET padding = zeroblob(?), json = ? WHERE position = ?`),
      remove: prepare(`DELETE FROM ${rows} WHERE position = ?`),
      removeText: prepare(`DELETE FROM ${texts} WHERE position = ?`),
    };
    tables.set(name, created);
    return created;
  }

  /** A number that no row had before as its position or version. */
  function nextNumber(): number {
    number += 1;
    if (number > marked) {
      marked = number + NUMBERS_AT_ONCE;
      mark.run(marked);
    }
    return number;
  }

  function remember({ heads }: KnownTable, id: string, head: Head): void {
    if (heads.size >= MAX_HEADS) heads.clear();
    heads.set(id, head);
  }

  function findHead({ table, heads, find }: KnownTable, id: string): Head | undefined {
    const remembered = heads.get(id);
    if (remembered !== undefined) return remembered;
    const found = find.get(keyOf(table, id));
    if (found === undefined) return undefined;
    const valueIn = (value: unknown): Value =>
      value instanceof Uint8Array ? value : value == null ? null : Number(value);
    return {
      position: Number(found['position']),
      version: Number(found['version']),
      events: Number(found['events']),
      expiresAt: found['expires_at'] === null ? null : Number(found['expires_at']),
      values: [...table.columns.values()].map(({ name }) => valueIn(found[name])),
    };
  }

  function find(change: Change, now: number): Found {
    const known = know(change.table);
    const head = findHead(known, change.id);
    const isLive = head !== undefined && (head.expiresAt === null || head.expiresAt > now);
    return { change, known, head, isLive };
  }

  function isAsExpected({ change, head, isLive }: Found): boolean {
    const { expects, next, ifAbsent = false, append } = change;
    const live = isLive ? head : undefined;
    if (ifAbsent && live !== undefined) return true;
    if (next !== null && append !== undefined && append.after !== (live?.events ?? 0)) return false;
    return ifAbsent || expects === undefined || (live?.version ?? null) === expects;
  }

  function remove({ remove: removeRow, removeText }: KnownTable, position: number): void {
    removeRow.run(position);
    removeText.run(position);
    deleteBody.run(position);
    deleteEvents.run(position);
  }

  /** The version of the row; 0 where there is none, or it was left. */
  function apply({ change, known, head, isLive }: Found): number {
    const { id, next, ifAbsent = false, append } = change;
    if (isLive && ifAbsent) return 0;
    if (head !== undefined && (!isLive || next === null)) {
      known.heads.delete(id);
      remove(known, head.position);
    }
    if (next === null) return 0;
    const version = nextNumber();
    const events = append?.events ?? [];
    const before = isLive ? head : undefined;
    const written: Head = {
      position: before?.position ?? version,
      version,
      events: (before?.events ?? 0) + events.length,
      expiresAt: bounded(next.expiresAt),
      values: valuesOf(known.table, next),
    };
    if (before === undefined) insert(known, id, next, written);
    else update(known, before, next, written);
    remember(known, id, written);
    const hidden = (text: string): number => (next.isPrivate ? paddingFor(text) : 0);
    if (next.body !== undefined) putBody.run(written.position, hidden(next.body), next.body);
    if (events.length > 0) {
      const json = events.join(EVENT_SEPARATOR);
      insertEvents.run(written.position, written.events, hidden(json), json);
    }
    return version;
  }

  function insert(known: KnownTable, id: string, next: EncodedRow, written: Head): void {
    const { table } = known;
    const { position, version, events, expiresAt, values } = written;
    known.insert.run(position, keyOf(table, id), version, events, expiresAt, ...values);
    const privateId = table.hasPrivateIds ? encodeId(id) : null;
    const padding = next.isPrivate ? paddingFor(privateId, next.json) : 0;
    known.insertText.run(position, padding, privateId, next.json);
  }

  /** Sets only what has changed: SQLite writes an index again wherever its column is named. */
  function update(known: KnownTable, before: Head, next: EncodedRow, written: Head): void {
    const { table, updates, updateText } = known;
    const values: Value[] = [written.version, written.events];
    let bits = 0;
    if (written.expiresAt !== before.expiresAt) {
      bits = 1;
      values.push(written.expiresAt);
    }
    for (const [place, value] of written.values.entries()) {
      if (!isOther(value, before.values[place] ?? null)) continue;
      bits += 2 ** (place + 1);
      values.push(value);
    }
    const statement = updates.get(bits) ?? prepare(updateOf(table, bits));
    updates.set(bits, statement);
    statement.run(...values, before.position);
    updateText.run(next.isPrivate ? paddingFor(next.json) : 0, next.json, before.position);
  }

  return {
    commit(changes, now) {
      const found = changes.map((change) => find(change, now));
      if (!found.every(isAsExpected)) return undefined;
      const hasErased = found.some(
        ({ change, known, head }) =>
          change.erases === true && known.table.hasPrivateRows && head !== undefined && !change.ifAbsent,
      );
      return { versions: found.map(apply), hasErased };
    },
    remove({ name }, position) {
      const known = know(name);
      known.heads.clear();
      remove(known, position);
    },
    setNumber({ name }, index, to, positions) {
      const { table, heads } = know(name);
      heads.clear();
      const column = columnOf(table, index, 'number').name;
      const set = prepare(`UPDATE ${table.rows} SET ${column} = ? WHERE position = ?`);
      for (const position of positions) set.run(bounded(to), position);
    },
  };
}

function valuesOf({ columns }: SqliteTable, { indexes }: EncodedRow): readonly Value[] {
  return [...columns.keys()].map((index) => {
    const value = indexes[index] ?? null;
    return typeof value === 'string' ? digestOf(value) : bounded(value);
  });
}

function isOther(one: Value, other: Value): boolean {
  if (one === other) return false;
  return !(one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0);
}

/** The statement that sets the columns of an update: bit 0 is the expiry, and the others are the indexes. */
function updateOf({ rows, columns }: SqliteTable, bits: number): string {
  const names = ['expires_at', ...[...columns.values()].map(({ name }) => name)];
  const changed = names.filter((_, bit) => Math.floor(bits / 2 ** bit) % 2 === 1);
  const set = ['version', 'events', ...changed].map((name) => `${name} = ?`).join(', ');
  return `UPDATE ${rows} SET ${set} WHERE position = ?`;
}
