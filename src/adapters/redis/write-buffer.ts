import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import { toStoreError } from './client/errors.ts';

/** An item that waits to be stored, and its size. */
export interface Entry<T> {
  readonly item: T;
  readonly bytes: number;
}

/** Options of {@link createWriteBuffer}. */
export interface WriteBufferOptions<T, O> {
  /** Stores an item and returns the outcome. Rejects with `StoreError`. */
  readonly write: (id: string, item: T) => Promise<O>;
  /** Merges a newer item of the same id into an older one, which it may change and return. */
  readonly merge: (older: T, newer: T) => T;
  /** False while the store is unavailable: failed writes then do not count towards the drop of their item. */
  readonly isAvailable: () => boolean;
  /** Called for an item that was dropped: the buffer was full, or the store rejected it too often. */
  readonly onDropped?: ((id: string) => void) | undefined;
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
}

/** Items that wait to be stored. An item stays in the buffer until it is stored or dropped. */
export interface WriteBuffer<T, O> {
  /** Number of ids with items in the buffer. */
  readonly size: number;
  /** The ids with items in the buffer. */
  ids(): readonly string[];
  /** True where an entry fits. Adding one that does not fit drops the oldest items. */
  hasRoomFor(id: string, entry: Entry<T>): boolean;
  /** The items of an id, in the order in which they apply. */
  pending(id: string): readonly T[];
  /** Adds an entry after those of the same id. */
  add(id: string, entry: Entry<T>): void;
  /**
   * Writes the items of an id, including those that are added in the meantime. Resolves to the last outcome, or to
   * undefined where a write failed and the remaining items stay in the buffer. Never rejects.
   */
  flush(id: string): Promise<O | undefined>;
  /**
   * Removes the items of an id, which are written no more. Resolves when none of them is being written: a write that was
   * under way may have succeeded. Never rejects.
   */
  discard(id: string): Promise<void>;
  /** Writes items until the buffer is empty or the store is unavailable. Never rejects. */
  flushAll(): Promise<void>;
}

/** The items of one id. */
interface Slot<T, O> {
  waiting: Entry<T> | undefined;
  writing: Entry<T> | undefined;
  flushing: Promise<O | undefined> | undefined;
  failures: number;
}

/** Number of concurrent writes when the store is available again. */
const CONCURRENT_WRITES = 16;

/** Number of failed writes to an available store after which an item is dropped. */
const MAX_FAILURES = 5;

/** Creates an empty {@link WriteBuffer}. */
export function createWriteBuffer<T, O>(options: WriteBufferOptions<T, O>): WriteBuffer<T, O> {
  const { write, merge, isAvailable, onDropped, maxItems, maxBytes, clock, logger } = options;
  const warnOfDrop = createThrottledLog(logger, clock, 'a record was lost before it could be stored');
  const slots = new Map<string, Slot<T, O>>();
  let bytes = 0;
  let flushingAll: Promise<void> | undefined;

  function remove(id: string, slot: Slot<T, O>): void {
    if (slots.get(id) !== slot) return;
    slots.delete(id);
    bytes -= (slot.waiting?.bytes ?? 0) + (slot.writing?.bytes ?? 0);
  }

  function drop(id: string, slot: Slot<T, O>, reason: string): void {
    remove(id, slot);
    warnOfDrop({ id, reason });
    onDropped?.(id);
  }

  /** Drops the oldest items of a full buffer. While the store is available nothing is dropped: the items are being written. */
  function makeRoom(): void {
    const isFull = (): boolean => slots.size > maxItems || bytes > maxBytes;
    if (!isFull() || isAvailable()) return;
    for (const [id, slot] of slots) {
      if (!isFull()) return;
      drop(id, slot, 'FULL');
    }
  }

  function join(older: Entry<T> | undefined, newer: Entry<T> | undefined): Entry<T> | undefined {
    if (older === undefined || newer === undefined) return older ?? newer;
    return { item: merge(older.item, newer.item), bytes: older.bytes + newer.bytes };
  }

  async function flushSlot(id: string, slot: Slot<T, O>): Promise<O | undefined> {
    let outcome: O | undefined;
    while (slot.waiting !== undefined) {
      const entry = slot.waiting;
      slot.writing = entry;
      slot.waiting = undefined;
      try {
        outcome = await write(id, entry.item);
      } catch (error) {
        slot.writing = undefined;
        if (slots.get(id) !== slot) return undefined;
        slot.waiting = join(entry, slot.waiting);
        if (isAvailable()) countFailure(id, slot, toStoreError(error).reason);
        return undefined;
      }
      slot.writing = undefined;
      if (slots.get(id) === slot) bytes -= entry.bytes;
    }
    remove(id, slot);
    return outcome;
  }

  function countFailure(id: string, slot: Slot<T, O>, reason: string): void {
    slot.failures++;
    if (slot.failures >= MAX_FAILURES) drop(id, slot, reason);
  }

  async function flush(id: string): Promise<O | undefined> {
    const slot = slots.get(id);
    if (slot === undefined) return undefined;
    slot.flushing ??= flushSlot(id, slot).finally(() => {
      slot.flushing = undefined;
    });
    return slot.flushing;
  }

  async function flushInBatches(): Promise<void> {
    const ids = [...slots.keys()];
    for (let first = 0; first < ids.length && isAvailable(); first += CONCURRENT_WRITES) {
      await Promise.all(ids.slice(first, first + CONCURRENT_WRITES).map(flush));
    }
  }

  return {
    get size() {
      return slots.size;
    },
    ids: () => [...slots.keys()],
    hasRoomFor(id, entry) {
      return (slots.has(id) || slots.size < maxItems) && bytes + entry.bytes <= maxBytes;
    },
    pending(id) {
      const slot = slots.get(id);
      return [slot?.writing, slot?.waiting].flatMap((entry) => (entry === undefined ? [] : [entry.item]));
    },
    add(id, entry) {
      let slot = slots.get(id);
      if (slot === undefined) {
        slot = { waiting: undefined, writing: undefined, flushing: undefined, failures: 0 };
        slots.set(id, slot);
      }
      slot.waiting = join(slot.waiting, entry);
      bytes += entry.bytes;
      makeRoom();
    },
    flush,
    async discard(id) {
      const slot = slots.get(id);
      if (slot === undefined) return;
      remove(id, slot);
      slot.waiting = undefined;
      await slot.flushing;
    },
    flushAll() {
      flushingAll ??= flushInBatches().finally(() => {
        flushingAll = undefined;
      });
      return flushingAll;
    },
  };
}
