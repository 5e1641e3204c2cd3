import { OrchestrationError } from '../../domain/errors.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import { createNewestFirst, type Place } from './newest-first.ts';
import { createTextSlabs, type KeptText } from './text-arena.ts';

/** What a collection in memory is bounded by, and how it reads its records. */
export interface MemoryRecordStoreOptions<R, S> {
  readonly idOf: (record: R) => string;
  /** What a listing shows of a record; may return the record itself. */
  readonly summarize: (record: R) => S;
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

/** Bytes that the texts of several records share, where the oldest record always goes first. */
const SLAB_BYTES = 1_024 * 1_024;

interface Entry {
  readonly id: string;
  record: KeptText;
  /** The summary; the record itself where that is shown whole, undefined where it is quickly read. */
  summary: KeptText | undefined;
}

/**
 * A collection of records in memory, kept as JSON text: aliased to nothing, exact in size and no burden to the
 * collector. Full, it evicts its oldest records, or refuses new ones. A single record larger than all of `maxBytes`
 * is not kept at all.
 */
export function createMemoryRecordStore<R, S>(options: MemoryRecordStoreOptions<R, S>): RecordStore<R, S> {
  const { idOf, summarize, maxRecords, maxBytes = DEFAULT_MAX_BYTES, refuseWhenFull = false } = options;
  const texts = createTextSlabs(refuseWhenFull ? 0 : SLAB_BYTES);
  const places = new Map<string, Place<Entry>>();
  const order = createNewestFirst<Entry>();
  let bytes = 0;

  function toEntry(id: string, record: R): Entry {
    const json = JSON.stringify(record);
    const kept = texts.keep(json);
    if (json.length <= SMALL_RECORD) return { id, record: kept, summary: undefined };
    const summary: unknown = summarize(record);
    return { id, record: kept, summary: summary === record ? kept : texts.keep(JSON.stringify(summary)) };
  }

  /** Takes what a listing shows of a record, for {@link readListed}: it stays, even if the record goes meanwhile. */
  function takeListed({ record, summary }: Entry): Pick<Entry, 'record' | 'summary'> {
    texts.keepOn(summary ?? record);
    return { record, summary };
  }

  function readListed({ record, summary }: Pick<Entry, 'record' | 'summary'>): S {
    const json = texts.read(summary ?? record);
    texts.drop(summary ?? record);
    return summary === undefined ? summarize(readJson<R>(json)) : readJson<S>(json);
  }

  function drop({ record, summary }: Entry): void {
    texts.drop(record);
    if (summary !== undefined && summary !== record) texts.drop(summary);
  }

  function remove(place: Place<Entry>): void {
    places.delete(place.value.id);
    order.remove(place);
    bytes -= bytesOf(place.value);
    drop(place.value);
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
      const entry = toEntry(idOf(record), record);
      const place = places.get(entry.id);
      const added = bytesOf(entry) - (place === undefined ? 0 : bytesOf(place.value));
      if (refuseWhenFull) refuse(place === undefined ? 1 : 0, added);
      else if (bytesOf(entry) > maxBytes) {
        drop(entry);
        if (place !== undefined) remove(place);
        return;
      }
      bytes += added;
      if (place === undefined) places.set(entry.id, order.add(entry));
      else {
        drop(place.value);
        Object.assign(place.value, entry);
      }
      makeRoom();
    },
    async get(id) {
      const place = places.get(id);
      return place === undefined ? undefined : readJson<R>(texts.read(place.value.record));
    },
    async list({ limit, offset }) {
      const total = order.size;
      const items: S[] = [];
      for (const listed of order.page(offset, limit).map(takeListed)) {
        items.push(readListed(listed));
        await yieldIfDue();
      }
      return { total, limit, offset, items };
    },
    async delete(id) {
      const place = places.get(id);
      if (place !== undefined) remove(place);
      return place !== undefined;
    },
  };
}

function bytesOf({ record, summary }: Entry): number {
  return record.bytes + (summary === undefined || summary === record ? 0 : summary.bytes);
}

/** Reads back what this store has written itself: the one place where its word for the type is taken. */
function readJson<T>(json: string): T {
  return JSON.parse(json);
}
