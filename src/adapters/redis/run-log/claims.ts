import type { Logger } from '../../../ports/logger.ts';
import type { ClaimedRun, RunLog } from '../../../ports/storage/run-log.ts';
import { throwUnavailable } from '../client/errors.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import { decodeDefinition, decodeEvents, decodeSignals } from './encoding.ts';
import type { Sessions } from './sessions.ts';
import type { StoredLogs } from './stored-log.ts';

/** What {@link createClaims} needs. */
export interface ClaimsParts {
  readonly stored: Pick<StoredLogs, 'claim' | 'release'>;
  readonly sessions: Sessions;
  readonly buffer: Pick<WriteBuffer<never, unknown>, 'flush'>;
  readonly logger: Logger;
}

/** Creates the members of the port by which this replica takes runs, and gives them up. */
export function createClaims(parts: ClaimsParts): Pick<RunLog, 'claim' | 'release'> {
  const { stored, sessions, buffer, logger } = parts;

  async function claim(runId: string): Promise<ClaimedRun | undefined> {
    const claimed = await stored.claim(runId).catch(throwUnavailable);
    if (claimed === undefined) return undefined;
    const { workflowId, crashed, signals } = claimed;
    const definition = decodeDefinition(claimed.definition);
    const events = decodeEvents(claimed.events, 0);
    // Also a run that cannot be read is active here: it would be claimed again and again otherwise.
    sessions.start(runId, claimed.events.length);
    if (definition === undefined || events === undefined) {
      logger.error('a workflow run cannot go on: its log is damaged', { execution_id: runId });
      return undefined;
    }
    const run = { runId, workflowId, definition, events };
    return { run, crashed, signals: decodeSignals(signals) };
  }

  return {
    async claim(runId) {
      if (sessions.has(runId)) return undefined;
      return sessions.opening(runId, () => claim(runId));
    },
    async release(runId) {
      const session = sessions.get(runId);
      if (session !== undefined) session.isLeaving = true;
      await buffer.flush(runId);
      try {
        await stored.release(runId).catch(throwUnavailable);
      } finally {
        // Where the run is still listed as active here, it is found as one that nobody runs.
        sessions.delete(runId, session);
      }
    },
  };
}
