import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import { reasonOf } from './errors.ts';

/** Empties the write-ahead log, which has everything that was written since it was emptied last. */
export interface LogTruncation {
  /**
   * Empties the log after the writes of this turn of the event loop. Resolves once that was tried; where it failed it
   * is tried again, until it works or the file is closed.
   */
  request(): Promise<void>;
  /** Stops. SQLite itself empties the log of a file that is closed. */
  close(): void;
}

/** When a log that could not be emptied is tried again, in milliseconds. */
const RETRY_MS = 1_000;

/** Creates {@link LogTruncation}. `truncate` returns false while something else reads the log, and may throw. */
export function createLogTruncation(
  truncate: () => boolean,
  clock: Pick<Clock, 'after' | 'monotonic'>,
  logger: Logger,
): LogTruncation {
  const logFailure = createThrottledLog(logger, clock, 'the log of the store could not be emptied');
  let requested: Promise<void> | undefined;
  let cancelRetry: (() => void) | undefined;
  let isClosed = false;

  function attempt(): void {
    cancelRetry?.();
    cancelRetry = undefined;
    if (isClosed) return;
    try {
      if (truncate()) return;
    } catch (error) {
      logFailure({ reason: reasonOf(error) });
    }
    cancelRetry = clock.after(RETRY_MS, attempt);
  }

  return {
    request() {
      requested ??= new Promise((resolve) => {
        setImmediate(() => {
          requested = undefined;
          attempt();
          resolve();
        });
      });
      return requested;
    },
    close() {
      isClosed = true;
      cancelRetry?.();
    },
  };
}
