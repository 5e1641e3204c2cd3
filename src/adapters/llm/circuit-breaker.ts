import type { Clock } from '../../ports/clock.ts';

/** Failures in a row that open the breaker. */
const FAILURE_THRESHOLD = 3;

/** Milliseconds for which it then rejects every call. */
const OPEN_MS = 10_000;

/** What the result of a call indicates about the provider; `ignored` when it indicates nothing. */
export type CallOutcome = 'success' | 'failure' | 'ignored';

/** Permission to make one call. */
export interface BreakerPermit {
  /** False for a trial call, and once the breaker has changed its state since the permit was acquired. */
  mayRetry(): boolean;
  /** Returns the permit with the outcome of the call. Further calls have no effect. */
  release(outcome: CallOutcome): void;
}

/**
 * Stops calls to a provider that fails: {@link FAILURE_THRESHOLD} failures in a row open the breaker for
 * {@link OPEN_MS} milliseconds. Then it is half-open: one trial call at a time, until one succeeds and closes it.
 */
export interface CircuitBreaker {
  /** True while every call is rejected. */
  isOpen(): boolean;
  /** Acquires the permission to make a call; undefined while the breaker is open. */
  tryAcquire(): BreakerPermit | undefined;
}

/** Creates a closed breaker. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let state: 'closed' | 'open' | 'half_open' = 'closed';
  let openUntil = 0;
  let failures = 0;
  /** Counts state changes, so that the outcome of a call that started before the last one is ignored. */
  let epoch = 0;

  const isOpen = (): boolean => state === 'half_open' || (state === 'open' && clock.monotonic() < openUntil);

  const changeTo = (next: 'closed' | 'open'): void => {
    state = next;
    failures = 0;
    epoch += 1;
    if (next === 'open') openUntil = clock.monotonic() + OPEN_MS;
  };

  const record = (outcome: CallOutcome, isTrial: boolean): void => {
    if (isTrial) {
      // After an ignored trial the next call is the trial: `openUntil` has passed.
      if (outcome === 'ignored') state = 'open';
      else changeTo(outcome === 'success' ? 'closed' : 'open');
    } else if (outcome === 'success') {
      failures = 0;
    } else if (outcome === 'failure') {
      failures += 1;
      if (failures >= FAILURE_THRESHOLD) changeTo('open');
    }
  };

  return {
    isOpen,
    tryAcquire() {
      if (isOpen()) return undefined;
      const isTrial = state === 'open';
      if (isTrial) state = 'half_open';
      const acquiredIn = epoch;
      let released = false;
      return {
        mayRetry: () => !isTrial && acquiredIn === epoch,
        release(outcome) {
          if (released || acquiredIn !== epoch) return;
          released = true;
          record(outcome, isTrial);
        },
      };
    },
  };
}
