import type { Clock } from '../../src/ports/clock.ts';

interface Timer {
  readonly due: number;
  readonly work: () => void;
}

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Lets `ms` milliseconds pass, running what falls due in order and letting promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone, as an operator or a leap second would. */
  jump(ms: number): void;
  /** The waiting times of all timers ever set, in order. */
  readonly waits: readonly number[];
  /** How many timers are set now. */
  pending(): number;
}

/** A clock for tests, at 2026-01-01T00:00:00.000Z unless told otherwise. */
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

/** Turns of the event loop after which everything has settled that waits for no time. */
const TURNS = 5;

/** Lets every promise settle that can settle without time passing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
