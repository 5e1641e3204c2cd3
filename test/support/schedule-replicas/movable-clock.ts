import type { Clock } from '../../../src/ports/clock.ts';

/** A clock that goes on as the system's does, and can be moved. */
export interface MovableClock extends Clock {
  /** Lets the time until then pass at once: the timers that are due by then run. */
  moveTo(time: number): void;
  /** Sets only the wall clock, as an operator would; timers go by elapsed time. */
  jump(ms: number): void;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
  handle: NodeJS.Timeout;
}

/** Creates a clock that shows `start` now. */
export function createMovableClock(start: number): MovableClock {
  /** The time that has passed by {@link MovableClock.moveTo}. */
  let moved = 0;
  let wall = start - performance.now();
  const timers = new Set<Timer>();
  const elapsed = () => performance.now() + moved;
  const now = () => Math.floor(elapsed() + wall);

  return {
    now,
    monotonic: () => performance.now(),
    after(ms, work) {
      const run = () => {
        timers.delete(timer);
        work();
      };
      const timer: Timer = { due: elapsed() + ms, run, handle: setTimeout(run, ms) };
      timers.add(timer);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    moveTo(time) {
      moved += time - now();
      for (const timer of [...timers].sort((a, b) => a.due - b.due)) {
        clearTimeout(timer.handle);
        const ms = timer.due - elapsed();
        if (ms <= 0) timer.run();
        else timer.handle = setTimeout(timer.run, ms);
      }
    },
    jump(ms) {
      wall += ms;
    },
  };
}
