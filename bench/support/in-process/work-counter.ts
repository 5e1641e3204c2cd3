import { createHook } from 'node:async_hooks';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { Clock } from '../../../src/ports/clock.ts';

/** The use of resources by some work: counts that, unlike times, hardly depend on the machine. */
export interface WorkCounts {
  /** Promises created, those of `await` included. */
  readonly promises: number;
  /** Calls of `now` and `monotonic`. */
  readonly clockReads: number;
  /** Timers set. */
  readonly timers: number;
}

/** Counts the work of code that uses `clock`. */
export interface WorkCounter {
  /** The system clock, counted. */
  readonly clock: Clock;
  /** Runs `work` and counts what it used. */
  count(work: () => Promise<unknown>): Promise<WorkCounts>;
}

export function createWorkCounter(): WorkCounter {
  let promises = 0;
  let clockReads = 0;
  let timers = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises += 1;
    },
  });
  return {
    clock: {
      now() {
        clockReads += 1;
        return systemClock.now();
      },
      monotonic() {
        clockReads += 1;
        return systemClock.monotonic();
      },
      after(ms, callback) {
        timers += 1;
        return systemClock.after(ms, callback);
      },
    },
    async count(work) {
      const before = { promises, clockReads, timers };
      hook.enable();
      try {
        await work();
      } finally {
        hook.disable();
      }
      return {
        promises: promises - before.promises,
        clockReads: clockReads - before.clockReads,
        timers: timers - before.timers,
      };
    },
  };
}
