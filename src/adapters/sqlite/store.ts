import { backup } from 'node:sqlite';
import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Change, Store, Stored, Table, TableShape } from '../../ports/storage/store.ts';
import { createConnection } from './connection.ts';
import { openSqliteFile, type SqliteFile } from './file.ts';
import { createLayout, decodeId, expiryIndexOf } from './layout.ts';
import { type Columns, createReads } from './reads.ts';
import { tableOf } from './selection.ts';
import { createWrites } from './writes.ts';

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions {
  /** The file. It is created with its folder when it does not exist. */
  readonly path: string;
  readonly tables: readonly TableShape[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A store in a file that belongs to this process alone. */
export interface SqliteStore {
  /**
   * The rows. Of those of tables with private rows nothing readable stays in the file and the files beside it once a
   * commit has resolved that erases them (while the file is copied, a second after the copy is done); of expired ones,
   * once `removeExpired` finds no more. Of rows of these tables that are not private short texts may stay in unused
   * parts of pages. Not erased are digests in unused parts of pages, copies of the file, and what the file system
   * itself keeps.
   */
  readonly store: Store;
  readonly file: SqliteFile;
  /** True where the file can be written, as far as is known. */
  readonly probe: HealthProbe;
  /** Copies the file to another one while it is in use. Rejects when the copy cannot be written. */
  backup(path: string): Promise<void>;
  /** Writes what waits, and closes the file. */
  close(): void;
}

/** A transaction removes no further expired row after this time, in milliseconds. */
const MAX_REMOVAL_MS = 10;

/** About the bytes of a row beside its texts. */
const ROW_BYTES = 256;

/**
 * Opens a file of this service, or creates it, and locks it until it is closed. Throws `SqliteFileError` for a file
 * that cannot be used, which is left as it is.
 */
export function openSqliteStore({ path, tables, clock, logger }: SqliteStoreOptions): SqliteStore {
  const layout = createLayout(tables);
  const file = openSqliteFile(path, { logger, layout });
  const connection = createConnection(file, clock, logger);
  const { prepare, write } = connection;
  const now = (): number => Math.floor(clock.now());
  const reads = createReads(connection, now);
  const writes = createWrites(connection, layout);
  const listeners = new Map<string, Set<(text: string | undefined) => void>>();
  /** The tables of which expired rows are in the write-ahead log. */
  const removedFrom = new Set<string>();

  const store: Store = {
    assertAvailable: connection.assertAvailable,
    now,
    async read(table, ids, withBody = false) {
      const known = tableOf(layout, table.name);
      return ids.map((id) => toStored(table, reads.get(known, id, withBody)));
    },
    async commit(changes, notices = []) {
      connection.assertAvailable();
      if (changes.length > 0) {
        const written = await write(() => writes.commit(changes, now()), bytesOf(changes));
        if (written === undefined) return undefined;
        if (written.hasErased) await connection.emptyLog();
        tell();
        return written.versions;
      }
      tell();
      return [];

      function tell(): void {
        for (const { topic, text } of notices)
          for (const listener of [...(listeners.get(topic) ?? [])]) listener(text);
      }
    },
    async range(table, request) {
      const found = await reads.range(tableOf(layout, table.name), request);
      return found.flatMap((columns) => toStored(table, columns) ?? []);
    },
    count: async (table, selection) => reads.count(tableOf(layout, table.name), selection),
    async take(table, { index, until, to, limit, ...selection }) {
      const known = tableOf(layout, table.name);
      const { from, until: before = Number.POSITIVE_INFINITY } = selection.between?.[index] ?? {};
      const bounds = {
        ...selection.between,
        [index]: { from, until: Math.min(before, Math.floor(until) + 1) },
      };
      const find = (most: number): readonly number[] =>
        reads.positions(known, { ...selection, between: bounds }, { order: index, limit: most });
      connection.assertAvailable();
      // Nothing is written where there is nothing to take.
      if (limit <= 0 || find(1).length === 0) return [];
      const taken = await write(() => {
        const positions = find(limit);
        writes.setNumber(known, index, to, positions);
        return positions.map((position) => reads.at(known, position, false));
      }, limit * ROW_BYTES);
      return taken.flatMap((columns) => toStored(table, columns) ?? []);
    },
    async move(table, selection, index, to) {
      const known = tableOf(layout, table.name);
      const find = (limit: number): readonly number[] => reads.positions(known, selection, { limit });
      connection.assertAvailable();
      if (find(1).length === 0) return 0;
      return write(() => {
        const positions = find(-1);
        writes.setNumber(known, index, to, positions);
        return positions.length;
      }, ROW_BYTES);
    },
    events: async (table, id, after, limit) => reads.events(tableOf(layout, table.name), id, after, limit),
    watch(topic, listener) {
      const watching = listeners.get(topic) ?? new Set();
      listeners.set(topic, watching.add(listener));
      return () => {
        watching.delete(listener);
        if (watching.size === 0 && listeners.get(topic) === watching) listeners.delete(topic);
      };
    },
    async removeExpired({ name }, limit) {
      const table = tableOf(layout, name);
      const some = `SELECT position FROM ${table.rows} INDEXED BY ${expiryIndexOf(table)}
        WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`;
      const find = (most: number) => connection.read(() => prepare(some).all(now(), most));
      let removed = 0;
      while (removed < limit && find(1).length > 0) {
        removed += await write(() => {
          const startedAt = performance.now();
          let count = 0;
          for (const { position } of find(limit - removed)) {
            if (performance.now() - startedAt > MAX_REMOVAL_MS) break;
            writes.remove(table, Number(position));
            count += 1;
          }
          return count;
        }, ROW_BYTES);
        if (table.hasPrivateRows) removedFrom.add(name);
      }
      if (removed < limit && removedFrom.delete(name)) await connection.emptyLog();
      return removed;
    },
    onAvailable: connection.onAvailable,
  };

  return {
    store,
    file,
    probe: async () => (connection.isAvailable && file.isInPlace() ? 'ok' : 'error'),
    backup: (to) => copyDatabase(() => backup(file.database, to)),
    close: connection.close,
  };
}

function bytesOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { next, append }) => {
    const events = append?.events.reduce((length, event) => length + event.length, 0) ?? 0;
    return sum + ROW_BYTES + (next?.json.length ?? 0) + (next?.body?.length ?? 0) + events;
  }, 0);
}

function toStored<R extends object>(_: Table<R>, columns: Columns | undefined): Stored<R> | undefined {
  if (columns === undefined) return undefined;
  const { id, private_id: privateId, version, position, json, body } = columns;
  return {
    id: decodeId(String(privateId ?? id)),
    version: Number(version),
    position: Number(position),
    row: JSON.parse(String(json)),
    ...(typeof body === 'string' ? { body } : {}),
  };
}

/** The number of times that a copy is tried in all. */
const MAX_COPIES = 5;

/** Copies a database. Node rejects a copy with the code of a success now and then while something is written. */
async function copyDatabase(copy: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await copy();
      return;
    } catch (error) {
      if (!isFalseAlarm(error) || attempt === MAX_COPIES) throw error;
    }
  }
}

function isFalseAlarm(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 0;
}
