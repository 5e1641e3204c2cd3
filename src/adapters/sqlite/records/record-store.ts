import { type FilterFields, noFilterFields, type RecordFilter } from '../../../domain/record-filter.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { PageRequest, RecordStore } from '../../../ports/storage/record-store.ts';
import type { Connection } from '../connection.ts';
import { createPadding } from '../private-values.ts';
import { numberOf, optionalTextOf, parseOwn, textOf } from '../rows.ts';
import { type Found, scanTable } from '../scan.ts';
import { type FilterColumns, filterColumns, toColumns, toConditions } from './record-filter.ts';

/** A collection of records in the file. */
export interface Collection<R, S> {
  /** The name of its table. */
  readonly name: 'traces' | 'workflows' | 'routes';
  readonly idOf: (record: R) => string;
  /** What a listing shows of a record; may return the record itself. */
  readonly summarize: (record: R) => S;
  /** What filters compare of a record. No field when absent. */
  readonly filterFields?: (summary: S) => FilterFields;
  /** Retention of a record from its first put, in milliseconds; unlimited when absent. */
  readonly retentionMs?: number;
  /** Whether nothing readable of a deleted record may stay in the file, which takes more room; false when absent. */
  readonly isErasable?: boolean;
}

/** What is written in one transaction with a record, after it. */
export interface WrittenTogether {
  readonly write: () => void;
  /** About what it writes. */
  readonly bytes: number;
}

/** A record in its stored form. */
export interface EncodedRecord {
  readonly id: string;
  readonly json: string;
  /** The summary as JSON; null for a small record, which is summarized when it is listed. */
  readonly summaryJson: string | null;
  readonly columns: FilterColumns;
}

/** A collection in the file. */
export interface StoredRecords<R, S> extends Omit<RecordStore<R, S>, 'put'> {
  /** Converts a record to its stored form. */
  encode(record: R): EncodedRecord;
  /** Writes a record within a transaction of `Connection.write`. */
  writeNow(record: EncodedRecord): void;
  /** Stores a record, see `RecordStore.put`, and what is written together with it. */
  write(record: EncodedRecord, together?: WrittenTogether): Promise<void>;
  /** Removes at most `limit` expired records. Resolves to their number. */
  removeExpired(limit: number): Promise<number>;
}

/** Records of up to this many characters are summarized when they are listed; larger ones have a stored summary. */
const SMALL_RECORD = 4_096;

/** Size of a row without its texts, in bytes. */
const ROW_BYTES = 256;

/** Creates {@link StoredRecords} of a collection. */
export function createStoredRecords<R, S>(
  collection: Collection<R, S>,
  connection: Connection,
): StoredRecords<R, S> {
  const {
    name,
    idOf,
    summarize,
    filterFields = noFilterFields,
    retentionMs,
    isErasable = false,
  } = collection;
  const { prepare, read, write, erase } = connection;
  const paddingFor = createPadding(connection);
  const columns = 'created_at, status, intent, escalated, customer';
  const find = prepare(`SELECT position FROM ${name} WHERE id = ?`);
  const add = prepare(`INSERT INTO ${name} (position, id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const change = prepare(`UPDATE ${name} SET (${columns}) = (?, ?, ?, ?, ?) WHERE position = ?`);
  const addJson = prepare(`INSERT OR REPLACE INTO ${name}_json VALUES (?, zeroblob(?), ?, ?)`);
  const remove = prepare(`DELETE FROM ${name} WHERE position = ?`);
  const removeJson = prepare(`DELETE FROM ${name}_json WHERE position = ?`);
  const getJson = prepare(
    `SELECT record FROM ${name} JOIN ${name}_json USING (position) WHERE id = ? AND position > ?`,
  );
  const getSummary = prepare(
    `SELECT iif(summary IS NULL, record, NULL) AS record, summary FROM ${name}_json WHERE position = ?`,
  );
  const getTotal = prepare('SELECT records FROM totals WHERE name = ?');
  const getExpired = prepare(`SELECT position FROM ${name} WHERE position <= ? ORDER BY position LIMIT ?`);

  const expiredUpTo = (): number => (retentionMs === undefined ? 0 : connection.expiredUpTo(retentionMs));

  function removeAt(position: number): void {
    remove.run(position);
    removeJson.run(position);
  }

  function writeNow({ id, json, summaryJson, columns: own }: EncodedRecord): void {
    const values = [own.createdAt, own.status, own.intent, own.escalated, own.customer];
    const found = find.get(id);
    let position = found === undefined ? undefined : numberOf(found, 'position');
    if (position !== undefined && position <= expiredUpTo()) {
      removeAt(position);
      position = undefined;
    }
    if (position === undefined) {
      position = connection.nextPosition();
      add.run(position, id, ...values);
    } else change.run(...values, position);
    addJson.run(position, isErasable ? paddingFor(json, summaryJson) : 0, json, summaryJson);
  }

  async function findPage({ limit, offset }: PageRequest, filter: RecordFilter | undefined): Promise<Found> {
    const scan = { table: name, columns: filter === undefined ? '' : filterColumns };
    if (filter !== undefined) {
      const conditions = toConditions(filter, expiredUpTo());
      return scanTable(connection, { ...scan, ...conditions }, { limit, offset, counts: true });
    }
    const expired = expiredUpTo();
    const seek = { text: 'position > ?', values: [expired] };
    const old = { text: 'position <= ?', values: [expired] };
    const all = read(() => numberOf(getTotal.get(name), 'records'));
    const gone = await scanTable(connection, { ...scan, seek: old }, { limit: 0, offset: 0, counts: true });
    const total = all - gone.total;
    if (offset >= total) return { positions: [], total };
    const { positions } = await scanTable(connection, { ...scan, seek }, { limit, offset, counts: false });
    return { positions, total };
  }

  function readSummary(position: number): S | undefined {
    const row = read(() => getSummary.get(position));
    if (row === undefined) return undefined;
    const summary = optionalTextOf(row, 'summary');
    return summary === undefined ? summarize(parseOwn<R>(textOf(row, 'record'))) : parseOwn<S>(summary);
  }

  return {
    encode(record) {
      const json = JSON.stringify(record);
      const summary = summarize(record);
      const isSmall = json.length <= SMALL_RECORD || Object.is(summary, record);
      const summaryJson = isSmall ? null : JSON.stringify(summary);
      return { id: idOf(record), json, summaryJson, columns: toColumns(filterFields(summary)) };
    },
    writeNow,
    write: (record, together) =>
      write(
        () => {
          writeNow(record);
          together?.write();
        },
        bytesOf(record) + (together?.bytes ?? 0),
      ),
    async get(id) {
      const row = read(() => getJson.get(id, expiredUpTo()));
      return row === undefined ? undefined : parseOwn<R>(textOf(row, 'record'));
    },
    async list({ limit, offset }, filter) {
      const { positions, total } = await findPage({ limit, offset }, filter);
      const items: S[] = [];
      for (const position of positions) {
        const summary = readSummary(position);
        if (summary !== undefined) items.push(summary);
        await yieldIfDue();
      }
      return { total, limit, offset, items };
    },
    delete: (id) =>
      erase(() => {
        const found = find.get(id);
        if (found === undefined) return false;
        const position = numberOf(found, 'position');
        removeAt(position);
        return position > expiredUpTo();
      }, ROW_BYTES),
    async removeExpired(limit) {
      const cutoff = expiredUpTo();
      return write(() => {
        const rows = getExpired.all(cutoff, limit);
        for (const row of rows) removeAt(numberOf(row, 'position'));
        return rows.length;
      }, ROW_BYTES * limit);
    },
  };
}

/** About what a record takes in the file, in bytes. */
export function bytesOf({ json, summaryJson }: EncodedRecord): number {
  return ROW_BYTES + json.length + (summaryJson?.length ?? 0);
}

/** Creates a record store whose `put` rejects while the file cannot be written. */
export function createRecordStore<R, S>(records: StoredRecords<R, S>): RecordStore<R, S> {
  const { encode, write, get, list, delete: remove } = records;
  return { put: async (record) => write(encode(record)), get, list, delete: remove };
}
