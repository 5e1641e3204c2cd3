import type { FilterFields, RecordFilter } from '../../domain/record-filter.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { RecordStore } from '../../ports/storage/record-store.ts';
import { type Change, remove, type Selection, type Table, write } from '../../ports/storage/store.ts';
import { type StorageParts, update } from './update.ts';
import type { WriteBuffer } from './write-buffer.ts';

/** A kind of finished records, such as `traceRecords`. */
export interface RecordCollection<R extends object, S> {
  /** The name of its table. */
  readonly name: string;
  readonly idOf: (record: R) => string;
  /** The part of a record that listings show; may return the record itself. */
  readonly summarize: (record: R) => S;
  /** The fields of a record that filters compare. */
  readonly filterFields: (record: R) => FilterFields;
  /** Retention of a record from its creation, in milliseconds; unlimited when absent. */
  readonly retentionMs?: number | undefined;
}

/** A {@link RecordStore} whose records can be stored together with others. */
export interface Records<R, S> extends RecordStore<R, S> {
  /** The change that stores a record. */
  change(record: R): Change;
  /** Stores a record as `put` does, by `write`: that commits {@link change} of it, with what belongs to it. */
  store(change: Change, write: () => Promise<unknown>): Promise<void>;
}

/** The table of a collection. A record expires by the time at which it was created, however often it is replaced. */
export function recordTable<R extends object, S>({
  name,
  filterFields,
  retentionMs,
}: RecordCollection<R, S>): Table<R> {
  const createdAt = (record: R): number | null => {
    const at = Date.parse(filterFields(record).createdAt ?? '');
    return Number.isNaN(at) ? null : at;
  };
  return {
    name,
    texts: {
      status: (record) => filterFields(record).status ?? null,
      intent: (record) => filterFields(record).intent ?? null,
      customer: (record) => filterFields(record).customerId ?? null,
    },
    numbers: {
      created: createdAt,
      escalated(record) {
        const { escalated } = filterFields(record);
        return escalated === undefined ? null : Number(escalated);
      },
    },
    expiresAt(record) {
      const at = createdAt(record);
      return at === null || retentionMs === undefined ? null : at + retentionMs;
    },
    isPrivate: () => true,
  };
}

/**
 * Creates the store of a collection. With a buffer, records wait there while the store is away: `get` finds them, and
 * listings have them once they are written.
 */
export function createRecords<R extends object, S>(
  parts: StorageParts,
  { idOf, summarize }: Pick<RecordCollection<R, S>, 'idOf' | 'summarize'>,
  table: Table<R>,
  buffer?: WriteBuffer<Change>,
): Records<R, S> {
  const { store } = parts;
  const change = (record: R): Change => write(table, idOf(record), record);

  async function storeBy(made: Change, commit: () => Promise<unknown>): Promise<void> {
    if (buffer === undefined) await commit();
    else await buffer.put(made.id, bytesOf(made), commit, made);
  }

  return {
    change,
    store: storeBy,
    async put(record) {
      const made = change(record);
      await storeBy(made, () => store.commit([made]));
    },
    async get(id) {
      const waiting = buffer?.get(id)?.next;
      if (waiting != null) return JSON.parse(waiting.json);
      const [found] = await store.read(table, [id]);
      return found?.row;
    },
    async list({ limit, offset }, filter = {}) {
      // A listing for an erasure must show what has waited.
      if (buffer !== undefined && buffer.size > 0) await buffer.flush();
      const selection = toSelection(filter);
      if (selection === undefined) return { total: 0, limit, offset, items: [] };
      const [found, total] = await Promise.all([
        store.range(table, { ...selection, descending: true, limit, offset }),
        store.count(table, selection),
      ]);
      const items: S[] = [];
      for (const { row } of found) {
        items.push(summarize(row));
        await yieldIfDue();
      }
      return { total, limit, offset, items };
    },
    async delete(id) {
      const hasWaited = (await buffer?.discard(id)) ?? false;
      const isDeleted = await update(parts, async () => {
        const [found] = await store.read(table, [id]);
        if (found === undefined) return { changes: [], result: false };
        return { changes: [remove(table, id, found.version)], result: true };
      });
      return isDeleted || hasWaited;
    },
  };
}

/** About what a row takes beside its texts, in bytes. */
const ROW_BYTES = 256;

function bytesOf({ next }: Change): number {
  return ROW_BYTES + (next?.json.length ?? 0);
}

/** Undefined for a filter that no record fits. */
function toSelection(filter: RecordFilter): Selection | undefined {
  const { statuses, intent, escalated, customerId, since, until } = filter;
  if (Number.isNaN(since) || Number.isNaN(until)) return undefined;
  const where = Object.entries({
    status: statuses,
    intent,
    customer: customerId,
    escalated: escalated === undefined ? undefined : Number(escalated),
  }).flatMap(([index, wanted]) => (wanted === undefined ? [] : [[index, wanted] as const]));
  const between =
    since === undefined && until === undefined
      ? {}
      : { created: { from: toTime(since), until: toTime(until) } };
  return { where: Object.fromEntries(where), between };
}

/** The integer that compares with times as a limit does that may be any number. */
function toTime(limit: number | undefined): number | undefined {
  const { MAX_SAFE_INTEGER: most } = Number;
  return limit === undefined ? undefined : Math.ceil(Math.min(Math.max(limit, -most), most));
}
