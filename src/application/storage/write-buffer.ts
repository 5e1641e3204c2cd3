import { isOrchestrationError } from '../../domain/errors.ts';
import { createThrottle } from '../../lib/async/throttle.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Store } from '../../ports/storage/store.ts';

/** Options of {@link createWriteBuffer}. */
export interface WriteBufferOptions {
  readonly store: Pick<Store, 'assertAvailable' | 'onAvailable'>;
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  /** Called with the id of each write that was lost. Must not throw. */
  readonly onDropped: (id: string) => void;
  /** The most writes that wait. */
  readonly maxItems: number;
  /** The most bytes that wait, as their callers have counted them. */
  readonly maxBytes: number;
}

/** Writes of finished work, which wait in memory while the store is away. `T` is what a waiting write stores. */
export interface WriteBuffer<T = unknown> {
  /** The number of writes that wait. */
  readonly size: number;
  /**
   * Calls `write` at once. Where it rejects with `unavailable` it waits, and `put` resolves; rejects with any other
   * error. A write that waits takes the place of an earlier one of the same id. Beyond the limits the oldest one is
   * dropped.
   */
  put(id: string, bytes: number, write: () => Promise<unknown>, item?: T): Promise<void>;
  /** The `item` of the write that waits. */
  get(id: string): T | undefined;
  /** Drops the write of an id. Resolves to whether it waited, once none is under way that has waited. Never rejects. */
  discard(id: string): Promise<boolean>;
  /** Writes what waits, oldest first, until the store is away. Never rejects. */
  flush(): Promise<void>;
  /** Tries no more by itself. What waits is lost unless it is flushed. */
  close(): void;
}

interface Entry<T> {
  readonly bytes: number;
  readonly write: () => Promise<unknown>;
  readonly item: T | undefined;
}

/** Milliseconds after which a write that has failed is tried again, unless the store is known to be back before. */
const RETRY_MS = 1_000;

/** Milliseconds in which lost writes are logged at most once. */
const LOG_EVERY_MS = 60_000;

/** Creates an empty buffer. */
export function createWriteBuffer<T>(options: WriteBufferOptions): WriteBuffer<T> {
  const { store, logger, clock, onDropped, maxItems, maxBytes } = options;
  const throttle = createThrottle(LOG_EVERY_MS, () => clock.monotonic());
  /** Oldest first. */
  const waiting = new Map<string, Entry<T>>();
  /** The last write of each id that `put` has called and that is under way. */
  const direct = new Map<string, Entry<T>>();
  let bytes = 0;
  let flushing: Promise<void> | undefined;
  let current: { readonly id: string; readonly written: Promise<unknown> } | undefined;
  let cancelRetry: (() => void) | undefined;
  let isClosed = false;

  function forget(id: string): boolean {
    bytes -= waiting.get(id)?.bytes ?? 0;
    return waiting.delete(id);
  }

  function drop(id: string, reason: string): void {
    forget(id);
    const times = throttle();
    if (times !== undefined)
      logger.warn('a record was lost before it could be stored', { id, reason, times });
    onDropped(id);
  }

  function keep(id: string, entry: Entry<T>): void {
    bytes += entry.bytes - (waiting.get(id)?.bytes ?? 0);
    waiting.set(id, entry);
    for (const oldest of waiting.keys()) {
      if (waiting.size <= maxItems && bytes <= maxBytes) break;
      drop(oldest, 'FULL');
    }
    retryLater();
  }

  function retryLater(): void {
    if (isClosed || waiting.size === 0) return;
    cancelRetry ??= clock.after(RETRY_MS, () => void flush());
  }

  /** Resolves to whether the next write may follow. */
  async function writeNext(id: string, entry: Entry<T>): Promise<boolean> {
    try {
      const written = entry.write();
      current = { id, written };
      await written;
    } catch (error) {
      if (waiting.get(id) !== entry) return true;
      if (!isOrchestrationError(error, 'unavailable')) {
        drop(id, 'REJECTED');
        return true;
      }
      // One that the store cannot take, although it is there, does not hold up the others.
      if (isAvailable()) {
        waiting.delete(id);
        waiting.set(id, entry);
      }
      return false;
    } finally {
      current = undefined;
    }
    if (waiting.get(id) === entry) forget(id);
    return true;
  }

  function isAvailable(): boolean {
    try {
      store.assertAvailable();
      return true;
    } catch {
      return false;
    }
  }

  async function writeAll(): Promise<void> {
    cancelRetry?.();
    cancelRetry = undefined;
    for (let [oldest] = waiting; oldest !== undefined; [oldest] = waiting) {
      if (!(await writeNext(...oldest))) break;
    }
  }

  function flush(): Promise<void> {
    flushing ??= writeAll().finally(() => {
      flushing = undefined;
      retryLater();
    });
    return flushing;
  }

  store.onAvailable(() => void flush());

  return {
    get size() {
      return waiting.size;
    },
    async put(id, size, write, item) {
      const entry = { bytes: size, write, item };
      if (waiting.has(id)) {
        keep(id, entry);
        void flush();
        return;
      }
      direct.set(id, entry);
      try {
        await write();
      } catch (error) {
        if (!isOrchestrationError(error, 'unavailable')) throw error;
        // Where a later one of the same id has been put meanwhile, that one counts.
        if (direct.get(id) === entry) keep(id, entry);
      } finally {
        if (direct.get(id) === entry) direct.delete(id);
      }
    },
    get: (id) => waiting.get(id)?.item,
    async discard(id) {
      const isWaiting = forget(id);
      direct.delete(id);
      if (current?.id === id) await current.written.catch(() => undefined);
      return isWaiting;
    },
    flush,
    close() {
      isClosed = true;
      cancelRetry?.();
      cancelRetry = undefined;
    },
  };
}
