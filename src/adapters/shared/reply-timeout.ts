import { TimeoutError } from '../../lib/async/timeout.ts';
import type { Clock } from '../../ports/clock.ts';

/**
 * The timeout is measured in this many parts; a time in which the process was blocked counts as at most one of them.
 */
const PARTS = 4;

/**
 * The outcome of `pending`; rejects with `TimeoutError` after `ms` milliseconds, and a later outcome is ignored.
 * Differs from `withTimeout` in lib/async: time in which this process was blocked, and could not read a reply that had
 * arrived, does not count.
 */
export function withReplyTimeout<T>(
  pending: Promise<T>,
  ms: number,
  clock: Pick<Clock, 'after'>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let remainingParts = PARTS;
    let cancel = clock.after(ms / PARTS, onPartElapsed);

    function onPartElapsed(): void {
      remainingParts--;
      if (remainingParts > 0) cancel = clock.after(ms / PARTS, onPartElapsed);
      // A reply that has arrived but was not read yet is read before this callback.
      else setImmediate(() => reject(new TimeoutError(ms)));
    }

    pending.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
