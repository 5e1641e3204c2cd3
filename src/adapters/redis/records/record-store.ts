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
 * record waits in the write buffer, and `get` finds it there.
 */
export function createBufferedRecordStore<R, S>(
  stored: StoredRecords<R, S>,
  buffer: WriteBuffer<EncodedRecord, void>,
): RecordStore<R, S> {
  return {
    ...createRecordStore(stored),
    async put(record) {
      const encoded = stored.encode(record);
      const bytes = 2 * (encoded.json.length + encoded.summaryJson.length);
      buffer.add(encoded.id, { item: encoded, bytes });
      await buffer.flush(encoded.id);
    },
    async get(id) {
      const buffered = buffer.pending(id).at(-1);
      return buffered === undefined ? stored.get(id).catch(throwUnavailable) : stored.decode(buffered);
    },
  };
}
