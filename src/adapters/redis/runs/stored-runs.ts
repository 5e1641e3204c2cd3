import { type Run, type RunSummary, summarizeRun } from '../../../domain/run/run.ts';
import type { Page, PageRequest } from '../../../ports/record-store.ts';
import type { Connection } from '../client/connection.ts';
import { toFault } from '../client/errors.ts';
import { asList, asOneOf, asPage } from '../client/replies.ts';
import type { ScriptRunner } from '../client/script-runner.ts';
import type { Keys } from '../keys.ts';
import { decodeExecution, decodeSummary, type EncodedChange, fieldsOf } from './run-encoding.ts';
import { createExecution, listExecutions, saveExecution } from './run-scripts.ts';

/** What came of a change: `ended` and `unknown` executions are left alone. */
export type SaveOutcome = (typeof saveOutcomes)[number];

const saveOutcomes = ['saved', 'ended', 'unknown'] as const;

/** Executions in the store. Every member rejects with a `StoreFault` where the store does not serve. */
export interface StoredExecutions {
  /** Writes a new execution; false where there is one of its id already. */
  create(execution: Run): Promise<boolean>;
  /** Writes a change of an execution whose run is, or was, under way in `process`. */
  save(id: string, change: EncodedChange, process: string): Promise<SaveOutcome>;
  get(id: string): Promise<Run | undefined>;
  list(workflowId: string, page: PageRequest): Promise<Page<RunSummary>>;
}

/** Characters of results that are written by one command; a layer of more is written by several. */
const WRITTEN_TOGETHER = 1_048_576;

export function createStoredExecutions(
  retentionMs: number,
  process: string,
  keys: Keys,
  connection: Pick<Connection, 'send'>,
  scripts: ScriptRunner,
): StoredExecutions {
  const retention = String(retentionMs * 1_000);

  return {
    async create(execution) {
      const { runId: id, workflowId, status } = execution;
      const key = keys.executions + id;
      const index = keys.executionIndices + workflowId;
      const summary = JSON.stringify(summarizeRun(execution));
      const results = JSON.stringify(execution.stepResults);
      const reply = await scripts.write(
        createExecution,
        [key, index, keys.running + process, keys.processes],
        [id, retention, process, workflowId, status, summary, results],
      );
      return asOneOf([0, 1], reply) === 1;
    },
    async save(id, change, runner) {
      const { state } = change;
      const scriptKeys = [keys.executions + id, keys.running + runner];
      let fields: string[] = [];
      let size = 0;
      for (const [field, json] of fieldsOf(change)) {
        if (size + json.length > WRITTEN_TOGETHER && fields.length > 0) {
          const outcome = asOutcome(await scripts.write(saveExecution, scriptKeys, [id, '', '', ...fields]));
          if (outcome !== 'saved') return outcome;
          fields = [];
          size = 0;
        }
        fields.push(field, json);
        size += json.length;
      }
      const values = [id, state.status, JSON.stringify(state), ...fields];
      return asOutcome(await scripts.write(saveExecution, scriptKeys, values));
    },
    async get(id) {
      const reply = await connection.send(['HGETALL', keys.executions + id]).catch(nothingWhereForeign);
      return decodeExecution(id, asList(reply));
    },
    async list(workflowId, { limit, offset }) {
      const index = keys.executionIndices + workflowId;
      const values = [retention, String(offset), String(limit), keys.executions];
      const { total, items } = asPage(await scripts.run(listExecutions, [index], values));
      return { total, limit, offset, items: items.flatMap((item) => decodeSummary(...item) ?? []) };
    },
  };
}

function asOutcome(reply: unknown): SaveOutcome {
  return asOneOf(saveOutcomes, reply);
}

/** A key under which something else lies holds no execution. */
function nothingWhereForeign(error: unknown): readonly unknown[] {
  if (toFault(error).reason === 'WRONGTYPE') return [];
  throw error;
}
