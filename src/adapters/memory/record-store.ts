import {
  type FilterFields,
  fitsFilter,
  noFilterFields,
  type RecordFilter,
} from '../../domain/record-filter.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { PageRequest, RecordStore } from '../../ports/storage/record-store.ts';
import { createNewestFirst, type ListNode } from './newest-first.ts';
import { createTextArena, type StoredText } from './text-arena.ts';

/** The limits of a collection in memory, and how its records are read. */
export interface MemoryRecordStoreOptions<R, S> {
  readonly idOf: (record: R) => string;
  /** What a listing shows of a record; may return the record itself. */
  readonly summarize: (record: R) => S;
  /** What filters compare of a record, kept beside its text, so that a filter parses nothing; no field when absent. */
  readonly filterFields?: (record: R) => FilterFields;
  readonly maxRecords: number;
  /** Maximum size of all records, in bytes of JSON; 64 MiB when absent. */
  readonly maxBytes?: number;
}

/** The default limit of a collection in memory, in bytes (decisions, section 7). */
export const DEFAULT_MAX_BYTES = 64 * 1_024 * 1_024;

/** Records of up to this many characters are summarized when they are listed; larger ones when they are put. */
const SMALL_RECORD = 4_096;

/** The size of the blocks of texts of a collection that evicts its oldest record first. */
const BLOCK_BYTES = 1_024 * 1_024;

interface Entry {
  readonly id: string;
  record: StoredText;
  /** The same as `record` where a listing shows the complete record; undefined for a small record. */
  summary: StoredText | undefined;
  fields: FilterFields;
}

/** A part of the entries, newest first, and the number of all that belong to the listing. */
interface Selection {
  readonly total: number;
  readonly entries: readonly Entry[];
}

/**
 * Creates a collection of records in memory, as JSON text: what is read shares no object with what was put, and its
 * size is exact. When full it evicts its oldest records. A record that is larger than `maxBytes`
 * is not stored.
 */
export function createMemoryRecordStore<R, S>(options: MemoryRecordStoreOptions<R, S>): RecordStore<R, S> {
  const { idOf, summarize, filterFields = noFilterFields } = options;
  const { maxRecords, maxBytes = DEFAULT_MAX_BYTES } = options;
  const texts = createTextArena(BLOCK_BYTES);
  const nodes = new Map<string, ListNode<Entry>>();
  const order = createNewestFirst<Entry>();
  let bytes = 0;

  function toEntry(record: R): Entry {
    const id = idOf(record);
    const json = JSON.stringify(record);
    const stored = texts.store(json);
    const fields = filterFields(record);
    if (json.length <= SMALL_RECORD) return { id, record: stored, summary: undefined, fields };
    const summary: unknown = summarize(record);
    return {
      id,
      record: stored,
      summary: summary === record ? stored : texts.store(JSON.stringify(summary)),
      fields,
    };
  }

  function release({ record, summary }: Entry): void {
    texts.release(record);
    if (summary !== undefined && summary !== record) texts.release(summary);
  }

  function remove(node: ListNode<Entry>): void {
    nodes.delete(node.value.id);
    order.remove(node);
    bytes -= bytesOf(node.value);
    release(node.value);
  }

  function evict(): void {
    while (order.size > maxRecords || bytes > maxBytes) {
      const oldest = order.oldest();
      if (oldest === undefined) return;
      remove(oldest);
    }
  }

  /** In one turn of the event loop: the entries may change in the next one. */
  function select({ limit, offset }: PageRequest, filter: RecordFilter | undefined): Selection {
    if (filter === undefined) return { total: order.size, entries: order.page(offset, limit) };
    const entries: Entry[] = [];
    let total = 0;
    for (const entry of order.values()) {
      if (!fitsFilter(entry.fields, filter)) continue;
      if (total >= offset && entries.length < limit) entries.push(entry);
      total += 1;
    }
    return { total, entries };
  }

  /** Retains what a listing reads of a record: the record may be removed while the page is read. */
  function retainListed({ record, summary }: Entry): Pick<Entry, 'record' | 'summary'> {
    texts.retain(summary ?? record);
    return { record, summary };
  }

  function readListed({ record, summary }: Pick<Entry, 'record' | 'summary'>): S {
    const json = texts.read(summary ?? record);
    texts.release(summary ?? record);
    return summary === undefined ? summarize(parseOwn<R>(json)) : parseOwn<S>(json);
  }

  return {
    async put(record) {
      const entry = toEntry(record);
      const node = nodes.get(entry.id);
      const added = bytesOf(entry) - (node === undefined ? 0 : bytesOf(node.value));
      if (bytesOf(entry) > maxBytes) {
        release(entry);
        if (node !== undefined) remove(node);
        return;
      }
      bytes += added;
      if (node === undefined) nodes.set(entry.id, order.add(entry));
      else {
        release(node.value);
        Object.assign(node.value, entry);
      }
      evict();
    },
    async get(id) {
      const node = nodes.get(id);
      return node === undefined ? undefined : parseOwn<R>(texts.read(node.value.record));
    },
    async list({ limit, offset }, filter) {
      const { total, entries } = select({ limit, offset }, filter);
      const items: S[] = [];
      for (const listed of entries.map(retainListed)) {
        items.push(readListed(listed));
        await yieldIfDue();
      }
      return { total, limit, offset, items };
    },
    async delete(id) {
      const node = nodes.get(id);
      if (node !== undefined) remove(node);
      return node !== undefined;
    },
  };
}

function bytesOf({ record, summary }: Entry): number {
  return record.bytes + (summary === undefined || summary === record ? 0 : summary.bytes);
}

/** Parses JSON that this store has written itself, so its type is known. */
function parseOwn<T>(json: string): T {
  return JSON.parse(json);
}
