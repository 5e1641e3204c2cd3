import type { Clock } from '../../src/ports/clock.ts';

interface Timer {
  readonly due: number;
  readonly work: () => void;
}

/** A clock that moves only by {@link FakeClock.advance}. */
export interface FakeClock extends Clock {
  /** Moves the clock by `ms` milliseconds, runs due timers in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Moves only the wall clock, as an operator would. */
  jump(ms: number): void;
  /** The delays of all timers so far in milliseconds, in order of their creation. */
  readonly waits: readonly number[];
  /** The number of active timers. */
  pending(): number;
}

/** Creates a clock for tests. It starts at 2026-01-01T00:00:00.000Z by default. */
export function createFakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  let elapsed = 0;
  let offset = 0;
  const timers = new Set<Timer>();
  const waits: number[] = [];
  const nextDue = (until: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.due <= until && (next === undefined || timer.due < next.due)) next = timer;
    }
    return next;
  };
  return {
    waits,
    pending: () => timers.size,
    now: () => start + elapsed + offset,
    monotonic: () => elapsed,
    jump(ms) {
      offset += ms;
    },
    after(ms, work) {
      const timer = { due: elapsed + ms, work };
      timers.add(timer);
      waits.push(ms);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        elapsed = timer.due;
        timers.delete(timer);
        timer.work();
        await settle();
      }
      elapsed = until;
      await settle();
    },
  };
}

/** Turns of the event loop after which every promise without a timer has settled. */
const SETTLE_TURNS = 5;

/** Waits until every promise has settled that needs no timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
