import type { Clock } from '../../ports/clock.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';

const EVERY_MS = 60_000;

/** Warns of something that may happen many times a second, at most once a minute; tells how often it happened. */
export function createThrottledLog(
  logger: Logger,
  clock: Pick<Clock, 'monotonic'>,
  message: string,
): (fields: LogFields) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let times = 0;
  return (fields) => {
    times++;
    if (clock.monotonic() - loggedAt < EVERY_MS) return;
    logger.warn(message, { ...fields, times });
    loggedAt = clock.monotonic();
    times = 0;
  };
}
