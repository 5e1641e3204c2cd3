import type { Clock } from '../ports/clock.ts';

/** Milliseconds that runs may go on together before everybody else has a turn. */
const SLICE_MS = 20;

/** Milliseconds that one piece of work may take at once before others go first. */
const PIECE_MS = 10;

/** Whether work that began at `begun`, by the monotonic clock, has kept others waiting so long that it should pause. */
export function isOverdue(clock: Clock, begun: number): boolean {
  return clock.monotonic() - begun >= PIECE_MS;
}

/**
 * Keeps runs whose steps need no waiting from shutting out the rest of the process: promises that settle one after
 * the other never let the event loop turn.
 */
export interface Turns {
  /**
   * Undefined while runs may go on; once they have gone on too long, a promise that settles in a later turn. `now` is
   * the monotonic time in milliseconds.
   */
  next(now: number): Promise<void> | undefined;
}

/** Turns shared by all runs; costs one timer in each turn of the event loop in which any run goes on. */
export function createTurns(clock: Clock): Turns {
  let begun: number | undefined;
  let waiting: (() => void)[] = [];

  function turn(): void {
    begun = undefined;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    next(now) {
      if (begun === undefined) {
        begun = now;
        clock.after(0, turn);
        return undefined;
      }
      if (now - begun < SLICE_MS) return undefined;
      return new Promise((wake) => waiting.push(wake));
    },
  };
}
