import type { Clock } from '../../ports/clock.ts';
import type { ModelFailure } from '../../ports/language-model.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';

/** Milliseconds between two lines about the same reason. */
const INTERVAL_MS = 60_000;

/** Logs a failed call. */
export type LogFailure = (reason: ModelFailure, fields: LogFields) => void;

/** Logs each reason at most once a minute, with the number of failures that were not logged since. */
export function createFailureLog(clock: Clock, logger: Logger): LogFailure {
  const logged = new Map<ModelFailure, { readonly at: number; unlogged: number }>();
  return (reason, fields) => {
    const last = logged.get(reason);
    if (last !== undefined && clock.monotonic() - last.at < INTERVAL_MS) {
      last.unlogged += 1;
      return;
    }
    logged.set(reason, { at: clock.monotonic(), unlogged: 0 });
    logger.warn('the language model failed', { reason, ...fields, unlogged: last?.unlogged ?? 0 });
  };
}
