import type { Logger } from '../../../../ports/logger.ts';
import { toStoreError } from '../../client/errors.ts';
import { decodeCancel, decodeSignals, type StoredSignals } from '../encoding.ts';
import type { ListenerSlot } from '../run-log.ts';

/** Tells the listener of what was found about runs that nobody runs. */
export interface Findings {
  /** Resolves once the listener is done with the run; `signal` is JSON, or empty. Never rejects. */
  tell(runId: string, signal: string): Promise<void>;
  /** Tells of the signals for a run that waits. */
  tellSignals(runId: string, signals: StoredSignals): void;
}

/** Creates {@link Findings}. */
export function createFindings({ listener, logger }: FindingsParts): Findings {
  return {
    async tell(runId, signal) {
      try {
        await listener.current?.onAbandoned(runId, decodeCancel(signal));
      } catch (error) {
        const { reason } = toStoreError(error);
        logger.warn('a run whose replica is gone was not taken over yet', { execution_id: runId, reason });
      }
    },
    tellSignals(runId, signals) {
      for (const signal of decodeSignals(signals)) listener.current?.onSignal(runId, signal);
    },
  };
}

interface FindingsParts {
  readonly listener: ListenerSlot;
  readonly logger: Logger;
}
