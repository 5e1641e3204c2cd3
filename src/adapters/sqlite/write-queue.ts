import { AsyncLocalStorage } from 'node:async_hooks';
import { isStoreError, toUnavailable } from './errors.ts';

/** Writes that wait for the end of the turn of the event loop. */
export interface WriteQueue {
  /**
   * Runs a write in the transaction of this turn, after those that were added before. Resolves once it is committed;
   * rejects with `unavailable` when it is not, and with the error of its own code. `bytes` is about what it writes.
   */
  add<T>(work: () => T, bytes: number): Promise<T>;
  /** Commits everything that waits, at once. */
  close(): void;
}

interface Write {
  readonly run: () => void;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A transaction begins no further write after this time, in milliseconds, or number of bytes. */
const MAX_TRANSACTION_MS = 20;
const MAX_TRANSACTION_BYTES = 4 * 1_024 * 1_024;

/**
 * Creates a {@link WriteQueue}. `transact` runs its argument as one transaction, and throws when nothing of it was
 * written. `onFailure` is told the errors of the store.
 */
export function createWriteQueue(
  transact: (work: () => void) => void,
  onFailure: (error: unknown) => void,
): WriteQueue {
  /** Runs work outside of the context of the first caller of a turn, such as its trace. */
  const outside = AsyncLocalStorage.snapshot();
  let queue: Write[] = [];
  let scheduled: NodeJS.Immediate | undefined;

  /**
   * Commits the first writes of the queue together. A write whose code fails is taken out, and the others run again.
   */
  function commitBatch(): void {
    let done = 0;
    try {
      transact(() => {
        done = 0;
        const startedAt = performance.now();
        let bytes = 0;
        for (const write of queue) {
          if (bytes > MAX_TRANSACTION_BYTES || performance.now() - startedAt > MAX_TRANSACTION_MS) return;
          write.run();
          done += 1;
          bytes += write.bytes;
        }
      });
    } catch (error) {
      if (!isStoreError(error)) {
        const [wrong] = queue.splice(done, 1);
        wrong?.reject(error);
        return;
      }
      onFailure(error);
      for (const { reject } of queue.splice(0)) reject(toUnavailable(error));
      return;
    }
    const committed = queue.slice(0, done);
    queue = queue.slice(done);
    for (const { resolve } of committed) resolve();
  }

  function schedule(): void {
    scheduled ??= setImmediate(() => outside(flush));
  }

  function flush(): void {
    scheduled = undefined;
    commitBatch();
    if (queue.length > 0) schedule();
  }

  return {
    add<T>(work: () => T, bytes: number) {
      return new Promise<T>((resolve, reject) => {
        let result: T;
        const run = (): void => {
          result = work();
        };
        queue.push({ run, bytes, resolve: () => resolve(result), reject });
        schedule();
      });
    },
    close() {
      while (queue.length > 0) commitBatch();
      clearImmediate(scheduled);
    },
  };
}
