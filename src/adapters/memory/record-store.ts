import { OrchestrationError } from '../../domain/errors.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import { createNewestFirst, type Place } from './newest-first.ts';

/** What a collection in memory is bounded by, and how it reads its records. */
export interface MemoryRecordStoreOptions<R, S> {
  readonly idOf: (record: R) => string;
  /** What a listing shows of a record; may return the record itself. */
  readonly summarise: (record: R) => S;
  readonly maxRecords: number;
  /** Bytes of JSON that are kept at most, 64 MiB when absent. */
  readonly maxBytes?: number;
  /** Refuse a further record with `conflict` rather than evict the oldest; false when absent. */
  readonly refuseWhenFull?: boolean;
}

/** What a store in memory keeps at most, in bytes, unless told otherwise (decisions, section 7). */
export const DEFAULT_MAX_BYTES = 64 * 1_024 * 1_024;

/** Up to this many characters a record is summarised when it is listed; larger ones once, when they are put. */
const SMALL_RECORD = 4_096;

interface Entry {
  readonly id: string;
  json: string;
  /** The summary as JSON, or undefined where the record itself is quickly read. */
  summaryJson: string | undefined;
  bytes: number;
}

/**
 * A collection of records in memory, kept as JSON text: aliased to nothing, exact in size and cheap to collect.
 * Full, it evicts its oldest records, or refuses new ones. A single record larger than all of `maxBytes` is not
 * kept at all.
 */
export function createMemoryRecordStore<R, S>(options: MemoryRecordStoreOptions<R, S>): RecordStore<R, S> {
  const { idOf, summarise, maxRecords, maxBytes = DEFAULT_MAX_BYTES, refuseWhenFull = false } = options;
  const places = new Map<string, Place<Entry>>();
  const order = createNewestFirst<Entry>();
  let bytes = 0;

  function remove(place: Place<Entry>): void {
    places.delete(place.value.id);
    order.remove(place);
    bytes -= place.value.bytes;
  }

  function makeRoom(): void {
    while (order.size > maxRecords || bytes > maxBytes) {
      const oldest = order.oldest();
      if (oldest === undefined) return;
      remove(oldest);
    }
  }

  function refuse(addedRecords: number, addedBytes: number): void {
    const tooMany = order.size + addedRecords > maxRecords;
    if (!tooMany && bytes + addedBytes <= maxBytes) return;
    const most = tooMany ? `${maxRecords} records` : `${maxBytes} bytes`;
    throw new OrchestrationError(
      'conflict',
      `the store is full: it holds at most ${most}, delete something first`,
    );
  }

  return {
    async put(record) {
      const entry = toEntry(idOf(record), record, summarise);
      const present = places.get(entry.id);
      const added = entry.bytes - (present?.value.bytes ?? 0);
      if (refuseWhenFull) refuse(present === undefined ? 1 : 0, added);
      else if (entry.bytes > maxBytes) {
        if (present !== undefined) remove(present);
        return;
      }
      bytes += added;
      if (present === undefined) places.set(entry.id, order.add(entry));
      else Object.assign(present.value, entry);
      makeRoom();
    },
    async get(id) {
      const place = places.get(id);
      return place === undefined ? undefined : readJson<R>(place.value.json);
    },
    async list({ limit, offset }) {
      const items = order.page(offset, limit).map((entry) => {
        if (entry.summaryJson !== undefined) return readJson<S>(entry.summaryJson);
        return summarise(readJson<R>(entry.json));
      });
      return { total: order.size, limit, offset, items };
    },
    async delete(id) {
      const place = places.get(id);
      if (place !== undefined) remove(place);
      return place !== undefined;
    },
  };
}

function toEntry<R, S>(id: string, record: R, summarise: (record: R) => S): Entry {
  const json = JSON.stringify(record);
  const summaryJson = json.length <= SMALL_RECORD ? undefined : summaryOf(record, json, summarise);
  const summaryBytes = summaryJson === undefined || summaryJson === json ? 0 : Buffer.byteLength(summaryJson);
  return { id, json, summaryJson, bytes: Buffer.byteLength(json) + summaryBytes };
}

function summaryOf<R, S>(record: R, json: string, summarise: (record: R) => S): string {
  const summary: unknown = summarise(record);
  return summary === record ? json : JSON.stringify(summary);
}

/** Reads back what this store has written itself: the one place where its word for the type is taken. */
function readJson<T>(json: string): T {
  return JSON.parse(json);
}
