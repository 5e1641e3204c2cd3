import type { RecordStore } from '../../../ports/storage/record-store.ts';
import type { Connection } from '../connection.ts';
import { parseOwn } from '../rows.ts';
import { bytesOf, type EncodedRecord, type StoredRecords } from './record-store.ts';

/** The limits of a buffer: those of a collection in memory. */
const MAX_RECORDS = 10_000;
const MAX_BYTES = 64 * 1_024 * 1_024;

/** A record store for finished work, whose records wait in memory while the file cannot be written. */
export interface BufferedRecords<R, S> {
  readonly store: RecordStore<R, S>;
  /** How many records wait. */
  readonly size: number;
  /** Writes the records that wait, oldest first, until one cannot be written. Never rejects. */
  flush(): Promise<void>;
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
  const waiting = new Map<string, EncodedRecord>();
  let bytes = 0;

  function drop(id: string): boolean {
    const known = waiting.get(id);
    if (known === undefined) return false;
    bytes -= bytesOf(known);
    return waiting.delete(id);
  }

  function keep(record: EncodedRecord): void {
    drop(record.id);
    waiting.set(record.id, record);
    bytes += bytesOf(record);
    for (const oldest of waiting.keys()) {
      if (waiting.size <= MAX_RECORDS && bytes <= MAX_BYTES) return;
      drop(oldest);
      onDropped();
    }
  }

  return {
    store: {
      async put(record) {
        const encoded = records.encode(record);
        drop(encoded.id);
        await records.write(encoded).catch(() => keep(encoded));
      },
      async get(id) {
        const known = waiting.get(id);
        return known === undefined ? records.get(id) : parseOwn<R>(known.json);
      },
      list: records.list,
      async delete(id) {
        const isDropped = drop(id);
        return (await records.delete(id)) || isDropped;
      },
    },
    get size() {
      return waiting.size;
    },
    async flush() {
      for (const [id, record] of waiting) {
        if (!connection.isAvailable) return;
        try {
          await records.write(record);
        } catch {
          return;
        }
        if (waiting.get(id) === record) drop(id);
      }
    },
  };
}
