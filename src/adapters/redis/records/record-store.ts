import type { RecordStore } from '../../../ports/record-store.ts';
import { toUnavailable } from '../client/errors.ts';
import type { Outbox } from '../write-buffer.ts';
import type { EncodedRecord, StoredRecords } from './stored-records.ts';

/** Records that the store must have taken before `put` resolves: what it cannot take is refused. */
export function createRecordStore<R, S>(stored: StoredRecords<R, S>): RecordStore<R, S> {
  return {
    put: (record) => stored.write(stored.encode(record)).catch(refuse),
    get: (id) => stored.get(id).catch(refuse),
    list: (page) => stored.list(page).catch(refuse),
    delete: (id) => stored.delete(id).catch(refuse),
  };
}

/**
 * Records of what has already been done to the world: while the store is away they wait in an outbox, `put` resolves
 * nonetheless, and `get` finds them there.
 */
export function createDeferringRecordStore<R, S>(
  stored: StoredRecords<R, S>,
  outbox: Outbox<EncodedRecord, void>,
): RecordStore<R, S> {
  return {
    ...createRecordStore(stored),
    async put(record) {
      const encoded = stored.encode(record);
      const bytes = 2 * (encoded.json.length + encoded.summaryJson.length);
      outbox.put(encoded.id, { item: encoded, bytes });
      await outbox.deliver(encoded.id);
    },
    async get(id) {
      const waiting = outbox.pending(id).at(-1);
      return waiting === undefined ? stored.get(id).catch(refuse) : stored.decode(waiting);
    },
  };
}

function refuse(error: unknown): never {
  throw toUnavailable(error);
}
