import { yieldToEventLoop } from '../../lib/async/yield.ts';
import type { Clock } from '../../ports/clock.ts';

/** Removes what has expired, at the start and then once a minute. */
export interface Upkeep {
  /** Removes everything that has expired now. Never rejects. */
  run(): Promise<void>;
  /** Stops. */
  close(): void;
}

/** Removes at most `limit` rows. Resolves to their number, or rejects when the file cannot be written. */
export type RemoveSome = (limit: number) => Promise<number>;

const INTERVAL_MS = 60_000;

/** Rows that one transaction removes: few, because each may have a mebibyte. */
const LIMIT = 50;

/**
 * Creates {@link Upkeep}, which begins in the next turn of the event loop. Expired rows are never shown meanwhile. After
 * each time that something was removed, `onRemoved` is called.
 */
export function createUpkeep(
  tasks: readonly RemoveSome[],
  clock: Pick<Clock, 'after'>,
  onRemoved: () => Promise<void>,
): Upkeep {
  let isClosed = false;
  let running: Promise<void> | undefined;
  let cancel = clock.after(0, runAndRepeat);

  async function removeAll(): Promise<void> {
    let total = 0;
    for (const removeSome of tasks) {
      let removed = LIMIT;
      while (removed === LIMIT && !isClosed) {
        removed = await removeSome(LIMIT);
        total += removed;
        await yieldToEventLoop();
      }
    }
    if (total > 0) await onRemoved();
  }

  function run(): Promise<void> {
    running ??= removeAll()
      // The connection has logged it, and the next run tries again.
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  function runAndRepeat(): void {
    void run().then(() => {
      if (!isClosed) cancel = clock.after(INTERVAL_MS, runAndRepeat);
    });
  }

  return {
    run,
    close() {
      isClosed = true;
      cancel();
    },
  };
}
