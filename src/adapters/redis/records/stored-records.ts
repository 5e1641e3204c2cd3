import type { RecordStore } from '../../../ports/record-store.ts';
import type { Connection } from '../client/connection.ts';
import { toFault } from '../client/errors.ts';
import { asNumber, asOneOf, asPage } from '../client/replies.ts';
import type { ScriptRunner } from '../client/script-runner.ts';
import { readStored } from '../client/stored-json.ts';
import type { Keys } from '../keys.ts';
import { deleteRecord, listRecords, putRecord } from './record-scripts.ts';

/** A collection of records in the store. */
export interface Collection<R, S> {
  /** The word in the keys of its records: `orchestration:<name>:<id>`. */
  readonly name: string;
  readonly idOf: (record: R) => string;
  /** What a listing shows of a record; may return the record itself. */
  readonly summarise: (record: R) => S;
  /** How long a record is kept from its first put, in milliseconds; for ever when absent. */
  readonly retentionMs?: number;
  /** Members of a record that must be lists for it to be one. */
  readonly lists: readonly (keyof R & string)[];
}

/** Up to this many characters a record is summarised when it is listed; of larger ones a summary is stored. */
const SMALL_RECORD = 4_096;

/** A page with corrupt records is read again without them, so often at most. */
const LIST_ATTEMPTS = 3;

/** A record as it is written. */
export interface EncodedRecord {
  readonly id: string;
  readonly json: string;
  /** What is listed of it, as JSON; empty where the record itself is as quickly read. */
  readonly summaryJson: string;
}

/** Records in the store. Every member rejects with a `StoreFault` where the store does not serve. */
export interface StoredRecords<R, S> extends Omit<RecordStore<R, S>, 'put'> {
  encode(record: R): EncodedRecord;
  /** The record that was encoded. */
  decode(record: EncodedRecord): R | undefined;
  write(record: EncodedRecord): Promise<void>;
}

/** One round trip for each member, whatever the size of the collection. */
export function createStoredRecords<R, S>(
  collection: Collection<R, S>,
  keys: Keys,
  connection: Pick<Connection, 'send'>,
  scripts: ScriptRunner,
): StoredRecords<R, S> {
  const { idOf, summarise, lists } = collection;
  const recordKey = keys.records(collection.name);
  const index = keys.index(collection.name);
  const retention = String((collection.retentionMs ?? 0) * 1_000);

  const decode = (id: string, json: string): R | undefined =>
    readStored<R>(json, lists, (record) => idOf(record) === id);

  /** What is shown of a listed item; undefined where neither text is what was stored under that id. */
  function readItem(id: string, summaryJson: string, json: string): S | undefined {
    if (summaryJson !== '') return readStored<S>(summaryJson, [], () => true);
    const record = decode(id, json);
    return record === undefined ? undefined : summarise(record);
  }

  return {
    encode(record) {
      const json = JSON.stringify(record);
      return { id: idOf(record), json, summaryJson: summaryOf(record, json, summarise) };
    },
    decode: ({ id, json }) => decode(id, json),
    async write({ id, json, summaryJson }) {
      const reply = await scripts.write(
        putRecord,
        [recordKey + id, index],
        [id, retention, json, summaryJson],
      );
      asOneOf([1], reply);
    },
    async get(id) {
      const json = await connection.send(['HGET', recordKey + id, 'record']).catch(absentWhereForeign);
      return typeof json === 'string' ? decode(id, json) : undefined;
    },
    async list({ limit, offset }) {
      const values = [retention, String(offset), String(limit), recordKey];
      for (let attempt = 1; ; attempt++) {
        const page = asPage(await scripts.run(listRecords, [index], values));
        const read = page.items.map(([id, ...texts]) => ({ id, summary: readItem(id, ...texts) }));
        const corrupt = read.filter(({ summary }) => summary === undefined).map(({ id }) => id);
        if (corrupt.length === 0 || attempt === LIST_ATTEMPTS) {
          return { total: page.total, limit, offset, items: read.flatMap(({ summary }) => summary ?? []) };
        }
        await connection.send(['ZREM', index, ...corrupt]);
      }
    },
    async delete(id) {
      return asNumber(await scripts.write(deleteRecord, [recordKey + id, index], [id])) > 0;
    },
  };
}

function summaryOf<R, S>(record: R, json: string, summarise: (record: R) => S): string {
  if (json.length <= SMALL_RECORD) return '';
  const summary: unknown = summarise(record);
  return summary === record ? '' : JSON.stringify(summary);
}

/** A key under which something else lies holds no record. */
function absentWhereForeign(error: unknown): undefined {
  if (toFault(error).reason === 'WRONGTYPE') return undefined;
  throw error;
}
