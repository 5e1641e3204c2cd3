import type { RunLog } from '../../../../ports/storage/run-log.ts';
import type { Connection } from '../../client/connection.ts';
import { throwUnavailable } from '../../client/errors.ts';
import type { FencedWrites } from '../../client/fenced-writes.ts';
import type { Keys } from '../../keys.ts';

/** What {@link createDueRuns} needs. */
export interface DueRunsParts {
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run'>;
  readonly writes: Pick<FencedWrites, 'run'>;
}

/** Creates the members of the port by which runs are found that somebody must look at. */
export function createDueRuns(parts: DueRunsParts): Pick<RunLog, 'due' | 'clearWake'> {
  const { keys, connection, writes } = parts;
  return {
    due(before, limit) {
      const values = [String(before), String(limit), keys.runs];
      return connection
        .run('EVALSHA', (client) => client.findDueRuns([keys.due], values))
        .catch(throwUnavailable);
    },
    async clearWake(runId) {
      const scriptKeys = [keys.runs + runId, keys.due];
      await writes
        .run((client, deadline) => client.clearWake(scriptKeys, [deadline, runId]))
        .catch(throwUnavailable);
    },
  };
}
