import type { Clock } from '../../ports/clock.ts';
import type { ModelFailure } from '../../ports/language-model.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';

/** Milliseconds for which a failure of the same kind is not logged again. */
const QUIET_MS = 60_000;

/** Logs failed calls. */
export type LogFailure = (reason: ModelFailure, fields: LogFields) => void;

/** Logs each kind of failure once a minute, with how often it happened unlogged since: a provider that is away fails every message. */
export function createFailureLog(clock: Clock, logger: Logger): LogFailure {
  const logged = new Map<ModelFailure, { readonly at: number; unlogged: number }>();
  return (reason, fields) => {
    const last = logged.get(reason);
    if (last !== undefined && clock.monotonic() - last.at < QUIET_MS) {
      last.unlogged += 1;
      return;
    }
    logged.set(reason, { at: clock.monotonic(), unlogged: 0 });
    logger.warn('the language model failed', { reason, ...fields, unlogged: last?.unlogged ?? 0 });
  };
}
