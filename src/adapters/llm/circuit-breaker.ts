import type { Clock } from '../../ports/clock.ts';

/** Calls in a row that must fail before calls are held back. */
const FAILURES = 3;

/** Milliseconds for which they are. */
const OPEN_MS = 10_000;

/** What a call says of the provider: it serves, it does not, or the call says nothing. */
export type Sign = 'serves' | 'fails' | 'nothing';

/** Leave to make one call. */
export interface Pass {
  /** False once a further try would be one too many: calls are held back by now, or this is the one to find out. */
  mayRepeat(): boolean;
  /** Gives the pass back with what the call showed. Further uses have no effect. */
  settle(sign: Sign): void;
}

/**
 * Holds calls back while the provider fails: after {@link FAILURES} failures in a row none goes out for
 * {@link OPEN_MS} milliseconds, then one at a time until one succeeds.
 */
export interface CircuitBreaker {
  /** True while no call would be let through. */
  isShut(): boolean;
  /** Leave to make a call, or undefined while calls are held back. */
  enter(): Pass | undefined;
}

/** A breaker that lets everything through until it learns better. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  let open = false;
  let trialUnderWay = false;
  /** Counts changes of state, so that calls begun before one say nothing about the time after it. */
  let epoch = 0;

  const isShut = (): boolean => open && (trialUnderWay || clock.monotonic() < openUntil);
  const change = (toOpen: boolean): void => {
    epoch += 1;
    open = toOpen;
    trialUnderWay = false;
    failures = 0;
    if (toOpen) openUntil = clock.monotonic() + OPEN_MS;
  };
  const learn = (sign: Sign, trial: boolean): void => {
    if (sign === 'nothing') {
      if (trial) trialUnderWay = false;
    } else if (sign === 'serves') {
      if (open) change(false);
      else failures = 0;
    } else {
      failures += 1;
      if (trial || failures >= FAILURES) change(true);
    }
  };

  return {
    isShut,
    enter() {
      if (isShut()) return undefined;
      const trial = open;
      if (trial) trialUnderWay = true;
      const entered = epoch;
      let settled = false;
      return {
        mayRepeat: () => !trial && entered === epoch,
        settle(sign) {
          if (settled || entered !== epoch) return;
          settled = true;
          learn(sign, trial);
        },
      };
    },
  };
}
