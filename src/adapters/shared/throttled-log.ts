import type { Clock } from '../../ports/clock.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';

/** Milliseconds in which one key is logged at most once. */
const INTERVAL_MS = 60_000;

/** Logs a warning, unless one of the same key was logged within the last minute. */
export type ThrottledLog = (fields: LogFields, key?: string) => void;

/**
 * Creates a log for an event that may happen many times a second. Each key (one empty key by default) is logged at most
 * once a minute, with the field `times`: how often it happened since it was last logged, this time included. Keys must
 * come from a closed set, because each one stays in memory.
 */
export function createThrottledLog(
  logger: Logger,
  clock: Pick<Clock, 'monotonic'>,
  message: string,
): ThrottledLog {
  const states = new Map<string, { loggedAt: number; times: number }>();
  return (fields, key = '') => {
    const state = states.get(key) ?? { loggedAt: Number.NEGATIVE_INFINITY, times: 0 };
    states.set(key, state);
    state.times++;
    const now = clock.monotonic();
    if (now - state.loggedAt < INTERVAL_MS) return;
    logger.warn(message, { ...fields, times: state.times });
    state.loggedAt = now;
    state.times = 0;
  };
}
