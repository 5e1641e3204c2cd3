import type { Run, RunSummary } from '../../../domain/run/run.ts';
import type { Page, PageRequest } from '../../../ports/record-store.ts';
import type { Connection } from '../client/connection.ts';
import { ignoreWrongType } from '../client/errors.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import type { Keys } from '../keys.ts';
import { decodeRun, decodeSummary, type EncodedChange, encodeSummary, fieldsOf } from './run-encoding.ts';
import type { SaveOutcome } from './run-scripts.ts';

/** Runs in the store. Every member rejects with `StoreError` while the store is unavailable. */
export interface StoredRuns {
  /** Writes a new run; false where there is one with its id already. */
  create(run: Run): Promise<boolean>;
  /** Writes a change of a run that is, or was, active in the replica `owner`. */
  save(runId: string, change: EncodedChange, owner: string): Promise<SaveOutcome>;
  /** See `RunStore.get`. */
  get(runId: string): Promise<Run | undefined>;
  /** See `RunStore.list`. */
  list(workflowId: string, page: PageRequest): Promise<Page<RunSummary>>;
}

/** Maximum length of the step results in one command, in characters; a larger layer needs several commands. */
const MAX_COMMAND_LENGTH = 1_048_576;

/** Creates {@link StoredRuns} with a retention of `retentionMs` milliseconds from the creation of a run. */
export function createStoredRuns(
  { retentionMs, replicaId }: { readonly retentionMs: number; readonly replicaId: string },
  keys: Keys,
  connection: Pick<Connection, 'run'>,
  writes: FencedWrites,
): StoredRuns {
  const retentionUs = String(retentionMs * 1_000);

  return {
    create(run) {
      const { runId, workflowId, status, stepResults } = run;
      const index = keys.runIndices + workflowId;
      const scriptKeys = [keys.runs + runId, index, keys.activeRuns + replicaId, keys.replicas];
      const values = [runId, retentionUs, replicaId, workflowId, status, encodeSummary(run)];
      const results = JSON.stringify(stepResults);
      return writes.run((client, deadline) => client.createRun(scriptKeys, [deadline, ...values, results]));
    },
    async save(runId, change, owner) {
      const { state } = change;
      const scriptKeys = [keys.runs + runId, keys.activeRuns + owner];
      const write = (status: string, stateJson: string, fields: readonly string[]) =>
        writes.run((client, deadline) =>
          client.saveRun(scriptKeys, [deadline, runId, status, stateJson, ...fields]),
        );
      let fields: string[] = [];
      let length = 0;
      for (const [field, json] of fieldsOf(change)) {
        if (length + json.length > MAX_COMMAND_LENGTH && fields.length > 0) {
          const outcome = await write('', '', fields);
          if (outcome !== 'saved') return outcome;
          fields = [];
          length = 0;
        }
        fields.push(field, json);
        length += json.length;
      }
      return write(state.status, JSON.stringify(state), fields);
    },
    async get(runId) {
      const fields = await connection
        .run('HGETALL', (client) => client.hGetAll(keys.runs + runId))
        .catch(ignoreWrongType);
      return fields === undefined ? undefined : decodeRun(runId, fields);
    },
    async list(workflowId, { limit, offset }) {
      const values = [retentionUs, String(offset), String(limit), keys.runs];
      const { total, items } = await connection.run('EVALSHA', (client) =>
        client.listRuns([keys.runIndices + workflowId], values),
      );
      return { total, limit, offset, items: items.flatMap((item) => decodeSummary(...item) ?? []) };
    },
  };
}
