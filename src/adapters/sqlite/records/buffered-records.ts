import type { RecordStore } from '../../../ports/storage/record-store.ts';
import type { Connection } from '../connection.ts';
import { parseOwn } from '../rows.ts';
import { bytesOf, type EncodedRecord, type StoredRecords, type WrittenTogether } from './record-store.ts';

/** The limits of a buffer: those of a collection in memory. */
const MAX_RECORDS = 10_000;
const MAX_BYTES = 64 * 1_024 * 1_024;

/** A record store for finished work, whose records wait in memory while the file cannot be written. */
export interface BufferedRecords<R, S> {
  readonly store: RecordStore<R, S>;
  /** Puts a record with what is written together with it: both wait together. */
  put(record: R, together?: WrittenTogether): Promise<void>;
  /** How many records wait. */
  readonly size: number;
  /** Writes the records that wait, oldest first, until one cannot be written. Never rejects. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly record: EncodedRecord;
  readonly together: WrittenTogether | undefined;
  readonly bytes: number;
}

/**
 * Creates {@link BufferedRecords}. `get` finds records that wait, listings do not. Where there is no more room the oldest
 * one is dropped, and `onDropped` is called.
 */
export function createBufferedRecords<R, S>(
  records: StoredRecords<R, S>,
  connection: Pick<Connection, 'isAvailable'>,
  onDropped: () => void,
): BufferedRecords<R, S> {
  const waiting = new Map<string, Waiting>();
  let bytes = 0;

  function drop(id: string): boolean {
    const known = waiting.get(id);
    if (known === undefined) return false;
    bytes -= known.bytes;
    return waiting.delete(id);
  }

  function keep(record: EncodedRecord, together: WrittenTogether | undefined): void {
    drop(record.id);
    const kept = { record, together, bytes: bytesOf(record) + (together?.bytes ?? 0) };
    waiting.set(record.id, kept);
    bytes += kept.bytes;
    for (const oldest of waiting.keys()) {
      if (waiting.size <= MAX_RECORDS && bytes <= MAX_BYTES) return;
      drop(oldest);
      onDropped();
    }
  }

  async function put(record: R, together?: WrittenTogether): Promise<void> {
    const encoded = records.encode(record);
    drop(encoded.id);
    await records.write(encoded, together).catch(() => keep(encoded, together));
  }

  async function flush(): Promise<void> {
    for (const [id, kept] of waiting) {
      if (!connection.isAvailable) return;
      try {
        await records.write(kept.record, kept.together);
      } catch {
        return;
      }
      if (waiting.get(id) === kept) drop(id);
    }
  }

  return {
    put,
    store: {
      put: (record) => put(record),
      async get(id) {
        const known = waiting.get(id);
        return known === undefined ? records.get(id) : parseOwn<R>(known.record.json);
      },
      async list(page, filter) {
        // Whoever erases what a listing shows must find what has waited.
        if (waiting.size > 0) await flush();
        return records.list(page, filter);
      },
      async delete(id) {
        const isDropped = drop(id);
        return (await records.delete(id)) || isDropped;
      },
    },
    get size() {
      return waiting.size;
    },
    flush,
  };
}
