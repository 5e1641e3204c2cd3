import type { RecordStore } from '../../../ports/storage/record-store.ts';
import { throwUnavailable } from '../client/errors.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import type { EncodedRecord, StoredRecords } from './stored-records.ts';

/** Creates a record store whose `put` resolves once the record is stored, and else rejects. */
export function createRecordStore<R, S>(stored: StoredRecords<R, S>): RecordStore<R, S> {
  return {
    put: (record) => stored.write(stored.encode(record)).catch(throwUnavailable),
    get: (id) => stored.get(id).catch(throwUnavailable),
    list: (page, filter) => stored.list(page, filter).catch(throwUnavailable),
    delete: (id) => stored.delete(id).catch(throwUnavailable),
  };
}

/**
 * Creates a record store for records of work that is already done: while the store is unavailable, `put` resolves, the
 * record waits in the write buffer, and `get` finds it there. `delete` removes it from the buffer, even where it rejects
 * because the store is unavailable.
 */
export function createBufferedRecordStore<R, S>(
  stored: StoredRecords<R, S>,
  buffer: WriteBuffer<EncodedRecord, void>,
): RecordStore<R, S> {
  return {
    ...createRecordStore(stored),
    async put(record) {
      const encoded = stored.encode(record);
      buffer.add(encoded.id, { item: encoded, bytes: bytesOf(encoded) });
      await buffer.flush(encoded.id);
    },
    async get(id) {
      const buffered = buffer.pending(id).at(-1);
      return buffered === undefined ? stored.get(id).catch(throwUnavailable) : stored.decode(buffered);
    },
    async list(page, filter) {
      // Whoever looks for records, as an erasure does, finds those that were buffered until a moment ago.
      if (filter !== undefined && buffer.size > 0) await buffer.flushAll();
      return stored.list(page, filter).catch(throwUnavailable);
    },
    async delete(id) {
      const wasBuffered = buffer.pending(id).length > 0;
      await buffer.discard(id);
      const wasStored = await stored.delete(id).catch(throwUnavailable);
      return wasBuffered || wasStored;
    },
  };
}

/** The size of a record in memory, in bytes. */
export function bytesOf({ json, summaryJson }: EncodedRecord): number {
  return 2 * (json.length + summaryJson.length);
}
