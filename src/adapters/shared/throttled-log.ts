import { createThrottle } from '../../lib/async/throttle.ts';
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
  const throttles = new Map<string, () => number | undefined>();
  return (fields, key = '') => {
    const throttle = throttles.get(key) ?? createThrottle(INTERVAL_MS, () => clock.monotonic());
    throttles.set(key, throttle);
    const times = throttle();
    if (times !== undefined) logger.warn(message, { ...fields, times });
  };
}
