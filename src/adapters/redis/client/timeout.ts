import type { Clock } from '../../../ports/clock.ts';
import { StoreFault, toFault } from './errors.ts';

/** Parts that a time-out is waited for in: a process that stands still for long uses up one of them, not all. */
const PARTS = 4;

/**
 * The outcome of `pending`, unless it takes longer than `ms`: then a `timeout` fault, and what comes later is thrown
 * away. Time in which this process was too busy to read an answer does not count against the store.
 */
export function within<T>(pending: Promise<T>, ms: number, clock: Pick<Clock, 'after'>): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = PARTS;
    let cancel = clock.after(ms / PARTS, onTime);

    function onTime(): void {
      left--;
      if (left > 0) cancel = clock.after(ms / PARTS, onTime);
      // An answer that lies there unread is read before this.
      else setImmediate(() => reject(new StoreFault('timeout', 'TIMEOUT')));
    }

    pending.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(toFault(error));
      },
    );
  });
}
