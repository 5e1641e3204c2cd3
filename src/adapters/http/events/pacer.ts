import type { Timer } from '../../../lib/async/timer.ts';

/** Limits the part of the processor's time that event streams take. */
export interface Pacer {
  /** Resolves when the next events may be sent: at once after a pause, else for all who wait at the same time. */
  turn(): Promise<void>;
  /** Called after sending, with how many milliseconds it took. */
  spent(ms: number): void;
}

/** A turn is followed by a wait of this many times its duration: streams take at most 5 % of the time. */
const WAIT_FACTOR = 19;

/** The longest wait in milliseconds: readers get an event within a second. */
const MAX_WAIT_MS = 600;

/** Creates a pacer. Waits of less than a millisecond are left out. */
export function createPacer(timer: Timer, now: () => number): Pacer {
  let nextAt = 0;
  let next: Promise<void> | undefined;
  return {
    turn() {
      const waitMs = nextAt - now();
      if (next === undefined && waitMs < 1) return Promise.resolve();
      next ??= new Promise((resolve) => {
        timer.after(waitMs, () => {
          next = undefined;
          resolve();
        });
      });
      return next;
    },
    spent(ms) {
      nextAt = Math.max(nextAt, now() + Math.min(ms * WAIT_FACTOR, MAX_WAIT_MS));
    },
  };
}
