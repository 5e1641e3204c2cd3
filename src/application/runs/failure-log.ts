import { isOrchestrationError } from '../../domain/errors.ts';
import { createThrottle } from '../../lib/async/throttle.ts';
import type { Ports } from '../../ports/ports.ts';

/** Milliseconds in which a refusal of a full store is logged at most once. */
const INTERVAL_MS = 60_000;

/**
 * Creates a log of failed writes. A store that is full refuses many writes a second: such a refusal, which has no
 * cause, is logged once a minute at most, without a stack, with the field `times`: how often it happened since.
 */
export function createFailureLog(
  { clock, logger }: Pick<Ports, 'clock' | 'logger'>,
  message: string,
): (runId: string, error: unknown) => void {
  const refusals = createThrottle(INTERVAL_MS, () => clock.monotonic());
  return (runId, error) => {
    if (!isOrchestrationError(error, 'unavailable') || error.cause !== undefined) {
      logger.warn(message, { execution_id: runId, err: error });
      return;
    }
    const times = refusals();
    if (times !== undefined) logger.warn(message, { execution_id: runId, reason: error.message, times });
  };
}
