import { EventEmitter, once } from 'node:events';
import type { Orchestrator } from '../../../src/application/orchestrator.ts';
import type { RunControl } from '../../../src/application/runs/run-control.ts';
import { conflict, invalid, notFound, unavailable } from '../../../src/domain/errors.ts';
import { actionConflict, type ConditionalAction } from '../../../src/domain/run/actions.ts';
import { hasEnded, type Run, type RunSummary, summarizeRun } from '../../../src/domain/run/run.ts';
import type { SubjectEvent } from '../../../src/domain/subject-event.ts';
import type { RunListFilter } from '../../../src/ports/storage/run-log.ts';

/** When the first run was created, in milliseconds since the epoch. Each later one is created a minute later. */
export const firstRunAt = Date.parse('2026-03-01T00:00:00.000Z');

/** The id of the `n`th run, counted from 0. */
export const runIdAt = (n: number): string => `0199aa4c-7c1f-7000-8000-${String(n).padStart(12, '0')}`;

/** A run of the workflow `w-1` with one step `a`, as its `n`th. COMPLETED unless `overrides` says otherwise. */
export function runRecord(n = 0, overrides: Partial<Run> = {}): Run {
  const createdAt = new Date(firstRunAt + n * 60_000).toISOString();
  const status = overrides.status ?? 'COMPLETED';
  const ended = hasEnded(status)
    ? { completedAt: createdAt, durationMs: 5 }
    : { completedAt: null, durationMs: null };
  return {
    runId: runIdAt(n),
    workflowId: 'w-1',
    workflowName: 'One',
    version: 1,
    status,
    background: true,
    input: { n },
    error: null,
    createdAt,
    startedAt: createdAt,
    ...ended,
    attempt: 1,
    recoveries: 0,
    recoveriesWithoutProgress: 0,
    rerunOf: null,
    parentRunId: null,
    customerId: null,
    output: null,
    waitingFor: [],
    wakeAt: null,
    stepResults: [
      {
        stepId: 'a',
        kind: 'tool',
        status: 'COMPLETED',
        layer: 0,
        attempts: 1,
        output: { n },
        error: null,
        startedAt: createdAt,
        completedAt: createdAt,
        durationMs: 5,
      },
    ],
    ...overrides,
  };
}

/**
 * The control of runs that stand in a list, and what was asked of it. Nothing runs: each call only changes the records.
 */
export interface MemoryRuns extends RunControl {
  /** Every call that changes something, as its name and its arguments. */
  readonly calls: readonly (readonly unknown[])[];
  /** Replaces members of a run. */
  change(runId: string, members: Partial<Run>): void;
  /** Adds an event to the log of a run. */
  append(runId: string, event: Pick<SubjectEvent, 'type' | 'data'>): void;
  /** Of how many runs readers wait for an event. */
  listening(): number;
  /** True where retries and reruns find the queue full. */
  isFull: boolean;
  /** The use cases that read these runs, for an app. */
  useCases(orchestrator: Orchestrator): Partial<Orchestrator>;
}

/** Creates the control of `records`, oldest first. */
export function createMemoryRuns(records: readonly Run[]): MemoryRuns {
  const runs = new Map(records.map((run) => [run.runId, run]));
  const calls: (readonly unknown[])[] = [];
  const logs = new Map<string, readonly SubjectEvent[]>();
  const changes = new EventEmitter();

  async function get(runId: string): Promise<Run> {
    const run = runs.get(runId);
    if (run === undefined) throw notFound('execution', runId);
    return run;
  }

  function put(run: Run): Run {
    runs.set(run.runId, run);
    return run;
  }

  async function require(
    runId: string,
    action: ConditionalAction,
    isAllowed: (run: Run) => boolean,
  ): Promise<Run> {
    const run = await get(runId);
    if (!isAllowed(run)) throw actionConflict(runId, run.status, action);
    if (control.isFull && action !== 'delete') throw unavailable('too many runs wait', 2);
    return run;
  }

  const matching = (filter: RunListFilter): RunSummary[] =>
    [...runs.values()]
      .filter((run) => matches(run, filter))
      .map(summarizeRun)
      .reverse();

  const control: MemoryRuns = {
    calls,
    isFull: false,
    get,
    change: (runId, members) => void put({ ...(runs.get(runId) ?? runRecord()), ...members }),
    async list(filter, { limit, cursor = 0 }) {
      calls.push(['list', filter, { limit, cursor }]);
      const found = matching(filter);
      const end = cursor + limit;
      return { items: found.slice(cursor, end), nextCursor: end < found.length ? end : null };
    },
    async cancel(runId, request) {
      const run = await get(runId);
      calls.push(['cancel', runId, request]);
      if (hasEnded(run.status)) return { run, isAccepted: false };
      return { run: put({ ...run, status: 'CANCELLED', completedAt: run.createdAt }), isAccepted: true };
    },
    async resolve(runId, stepId, request) {
      const run = await get(runId);
      calls.push(['resolve', runId, stepId, request]);
      if (!run.stepResults.some((result) => result.stepId === stepId)) throw notFound('step', stepId);
      if (!run.waitingFor.some((wait) => wait.stepId === stepId)) throw conflict('the step does not wait');
      return run;
    },
    async retry(runId, request) {
      const run = await require(runId, 'retry', ({ status }) =>
        status === 'FAILED' || status === 'CANCELLED');
      calls.push(['retry', runId, request]);
      return put({
        ...run,
        status: 'PENDING',
        attempt: run.attempt + 1,
        completedAt: null,
        durationMs: null,
      });
    },
    async rerun(runId, { newRunId = runIdAt(runs.size), ...request }) {
      const run = await require(runId, 'rerun', ({ status }) => hasEnded(status));
      calls.push(['rerun', runId, request]);
      const { fromStep, input = run.input, background } = request;
      if (fromStep !== undefined && run.stepResults.every(({ stepId }) => stepId !== fromStep)) {
        throw invalid([`from_step: names the unknown step ${JSON.stringify(fromStep)}`]);
      }
      const status = background ? 'PENDING' : 'COMPLETED';
      const { stepResults } = run;
      const own = { runId: newRunId, status, input, background, rerunOf: runId, stepResults } as const;
      return put(runRecord(runs.size, own));
    },
    async delete(runId) {
      await require(runId, 'delete', ({ status }) => hasEnded(status));
      calls.push(['delete', runId]);
      runs.delete(runId);
    },
    append(runId, event) {
      const log = logs.get(runId) ?? [];
      const subject = {
        kind: 'execution',
        id: runId,
        workflowId: runs.get(runId)?.workflowId ?? '',
      } as const;
      logs.set(runId, [...log, { ...event, seq: log.length + 1, at: firstRunAt, subject } as SubjectEvent]);
      changes.emit(runId);
    },
    listening: () => changes.eventNames().filter((name) => name !== 'error').length,
    events: (runId, ofWorkflow) => ({
      async read(after, limit) {
        const { status, workflowId } = await get(runId);
        if (ofWorkflow !== undefined && ofWorkflow !== workflowId) throw notFound('execution', runId);
        const log = logs.get(runId) ?? [];
        return { events: log.slice(after, after + limit), lastSeq: log.length, ended: hasEnded(status) };
      },
      async changed(after, signal) {
        const hasMore = (logs.get(runId) ?? []).length > after;
        if (!hasMore) await once(changes, runId, { signal }).catch(() => undefined);
      },
    }),
    useCases: ({ workflows }) => ({
      runs: control,
      workflows: {
        ...workflows,
        async getRun(workflowId, runId) {
          const run = await get(runId);
          if (run.workflowId !== workflowId) throw notFound('execution', runId);
          return run;
        },
        async listRuns(workflowId, { limit, offset }, filter = {}) {
          const found = matching({ ...filter, workflowId });
          return { total: found.length, limit, offset, items: found.slice(offset, offset + limit) };
        },
      },
    }),
  };
  return control;
}

function matches(run: Run, { statuses = [], since, until, workflowId }: RunListFilter): boolean {
  const at = Date.parse(run.createdAt);
  return (
    (statuses.length === 0 || statuses.includes(run.status)) &&
    (since === undefined || at >= since) &&
    (until === undefined || at < until) &&
    (workflowId === undefined || run.workflowId === workflowId)
  );
}
