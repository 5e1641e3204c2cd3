import { type FilterFields, noFilterFields } from '../../../domain/record-filter.ts';
import type { RecordStore } from '../../../ports/storage/record-store.ts';
import type { Connection } from '../client/connection.ts';
import { ignoreWrongType } from '../client/errors.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import { parseStored } from '../client/stored-json.ts';
import type { Keys } from '../keys.ts';
import { listFiltered } from './filtered-records.ts';

/** A collection of records in the store. */
export interface Collection<R, S> {
  /** The name in the keys of its records: `<prefix><name>:<id>`. */
  readonly name: string;
  readonly idOf: (record: R) => string;
  /** What a listing shows of a record; may return the record itself. */
  readonly summarize: (record: R) => S;
  /** What filters compare of a record: members of its summary, under the same names. No field when absent. */
  readonly filterFields?: (summary: S) => FilterFields;
  /** Retention of a record from its first put, in milliseconds; unlimited when absent. */
  readonly retentionMs?: number;
  /** Properties of a record that must be arrays; a stored value without them counts as absent. */
  readonly lists: readonly (keyof R & string)[];
}

/** Records of up to this many characters are summarized when they are listed; larger ones have a stored summary. */
const SMALL_RECORD = 4_096;

/** Maximum number of reads of a page. After each read, records that cannot be parsed are removed from the index. */
const LIST_ATTEMPTS = 3;

/** A record in its stored form. */
export interface EncodedRecord {
  readonly id: string;
  readonly json: string;
  /** The summary as JSON; empty for a small record, which is summarized when it is listed. */
  readonly summaryJson: string;
}

/** What a script is called with. */
export interface ScriptArguments {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** A collection in the store, one round trip for each member. Every member rejects with `StoreError`. */
export interface StoredRecords<R, S> extends Omit<RecordStore<R, S>, 'put'> {
  /** Converts a record to its stored form. */
  encode(record: R): EncodedRecord;
  /** Converts back; undefined for JSON of another program. */
  decode(record: EncodedRecord): R | undefined;
  /** The keys and values, but for the deadline, of a script that stores a record: see `storeRecord`. */
  scriptArguments(record: EncodedRecord): ScriptArguments;
  /** Stores a record, see `RecordStore.put`. */
  write(record: EncodedRecord): Promise<void>;
}

/** Creates {@link StoredRecords} of a collection. */
export function createStoredRecords<R, S>(
  collection: Collection<R, S>,
  keys: Keys,
  connection: Pick<Connection, 'run'>,
  writes: FencedWrites,
): StoredRecords<R, S> {
  const { idOf, summarize, filterFields = noFilterFields, lists } = collection;
  const recordKeyPrefix = keys.records(collection.name);
  const index = keys.index(collection.name);
  const retentionUs = String((collection.retentionMs ?? 0) * 1_000);

  const decode = (id: string, json: string): R | undefined =>
    parseStored<R>(json, lists, (record) => idOf(record) === id);

  /** The summary of a record; undefined where neither string was stored under that id by this service. */
  function decodeSummary(id: string, summaryJson: string, json: string): S | undefined {
    if (summaryJson !== '') return parseStored<S>(summaryJson, [], () => true);
    const record = decode(id, json);
    return record === undefined ? undefined : summarize(record);
  }

  const scriptArguments = ({ id, json, summaryJson }: EncodedRecord): ScriptArguments => ({
    keys: [recordKeyPrefix + id, index],
    values: [id, retentionUs, json, summaryJson],
  });

  return {
    encode(record) {
      const json = JSON.stringify(record);
      return { id: idOf(record), json, summaryJson: encodeSummary(record, json, summarize) };
    },
    decode: ({ id, json }) => decode(id, json),
    scriptArguments,
    async write(record) {
      const args = scriptArguments(record);
      await writes.run((client, deadline) => client.putRecord(args.keys, [deadline, ...args.values]));
    },
    async get(id) {
      const json = await connection
        .run('HGET', (client) => client.hGet(recordKeyPrefix + id, 'record'))
        .catch(ignoreWrongType);
      return typeof json === 'string' ? decode(id, json) : undefined;
    },
    async list({ limit, offset }, filter) {
      if (filter !== undefined) {
        const scan = { retentionUs, index, recordKeyPrefix, connection, decodeSummary, filterFields };
        return listFiltered(scan, { limit, offset }, filter);
      }
      const values = [retentionUs, String(offset), String(limit), recordKeyPrefix];
      for (let attempt = 1; ; attempt++) {
        const page = await connection.run('EVALSHA', (client) => client.listRecords([index], values));
        const read = page.items.map(([id, ...strings]) => ({ id, summary: decodeSummary(id, ...strings) }));
        const corrupt = read.filter(({ summary }) => summary === undefined).map(({ id }) => id);
        if (corrupt.length === 0 || attempt === LIST_ATTEMPTS) {
          return { total: page.total, limit, offset, items: read.flatMap(({ summary }) => summary ?? []) };
        }
        await connection.run('ZREM', (client) => client.zRem(index, corrupt));
      }
    },
    async delete(id) {
      const deleted = await writes.run((client, deadline) =>
        client.deleteRecord([recordKeyPrefix + id, index], [deadline, id]),
      );
      return deleted > 0;
    },
  };
}

function encodeSummary<R, S>(record: R, json: string, summarize: (record: R) => S): string {
  if (json.length <= SMALL_RECORD) return '';
  const summary: unknown = summarize(record);
  return summary === record ? '' : JSON.stringify(summary);
}
