import { conflict, invalid, isOrchestrationError, notFound } from '../../domain/errors.ts';
import type { InboxItem, Resolution } from '../../domain/inbox/item.ts';
import type { Limits } from '../../domain/limits.ts';
import { actionConflict, actionsOf } from '../../domain/run/actions.ts';
import { completedItems } from '../../domain/run/continuation.ts';
import { copiedSteps } from '../../domain/run/control.ts';
import { type ResolveSignal, stepDecisions, type WaitOutcome } from '../../domain/run/events.ts';
import { replay } from '../../domain/run/evolve.ts';
import { hasEnded, type Run, type RunSummary } from '../../domain/run/run.ts';
import { type RunState, recordOf, type StepWait, summaryOf } from '../../domain/run/state.ts';
import { toSubjectEvent } from '../../domain/run/subject-events.ts';
import { type EndedWait, openWaitsOf } from '../../domain/run/waits.ts';
import type { EventSource } from '../../domain/subject-event.ts';
import { indexOfStep } from '../../domain/workflow/shape.ts';
import { itemAt } from '../../lib/array.ts';
import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';
import type { Ports } from '../../ports/ports.ts';
import type { CursorPage, CursorRequest, RunListFilter, StoredRun } from '../../ports/storage/run-log.ts';
import { workflowIdOf } from './find-workflow.ts';
import { copyInput } from './run-input.ts';
import type { WorkflowRunner } from './runner.ts';
import { untilLog } from './until-log.ts';
import type { WaitItems } from './wait-items.ts';

/** The request to cancel a run. */
export interface CancelRequest {
  /** The name of the one who asks for it. */
  readonly by: string;
  readonly reason: string | null;
}

/** The outcome of a request to cancel a run. */
export interface CancelResult {
  /** The run after the request. It may not have ended yet. */
  readonly run: Run;
  /** False when the run had ended already: it is unchanged. */
  readonly isAccepted: boolean;
}

/** The decision about a step of unknown outcome, or about an approval. */
export interface ResolveRequest {
  readonly outcome: WaitOutcome;
  /** The output of a step that has completed; `{}` when absent. Only with `completed`. */
  readonly output?: JsonObject | undefined;
  /** The data that comes with an approval; null when absent. */
  readonly data?: JsonValue | undefined;
  /** The name of the one who decides. */
  readonly by: string;
  readonly note?: string | null | undefined;
  /** The item whose question is answered; whichever the step waits for when absent. */
  readonly itemId?: string | undefined;
}

/** The request to retry a run. */
export interface RetryRequest {
  /** The name of the one who asks for it. */
  readonly by: string;
}

/** The request to run a definition again that a run has begun with. */
export interface RerunRequest {
  /**
   * The id of the step to begin with: the outputs of all completed steps that do not depend on it are copied. All steps
   * run when absent.
   */
  readonly fromStep?: string | undefined;
  /**
   * `failed`: of the step `fromStep`, which has `foreach`, the outputs of the items that have completed are copied, and
   * the others run with the idempotency keys of the original; a child run goes on with what has completed of it. Not
   * together with `input`.
   */
  readonly items?: 'failed' | undefined;
  /** The input of the new run; that of the original when absent. */
  readonly input?: JsonObject | undefined;
  /** True returns the PENDING run at once and runs it later. */
  readonly background: boolean;
  /**
   * Milliseconds after which a run that has not ended is returned as it is then; it continues in the background.
   * Without a limit when absent. Not used with `background`.
   */
  readonly waitMs?: number | undefined;
  /** The id of the new run, made by `NewId`; chosen here when absent. */
  readonly newRunId?: string | undefined;
}

/**
 * Reads and controls the runs of all workflows, whichever process runs them. Every member that takes the id of a run
 * rejects with `not_found` for an unknown one, and every member with `unavailable` when the store cannot be reached.
 * The message of a `conflict` names the state of the run.
 */
export interface RunControl {
  /** One run. */
  get(runId: string): Promise<Run>;
  /**
   * Runs of all workflows without their step results, newest first. Rejects with `not_found` for a filter by a workflow
   * `key:<key>` that does not exist.
   */
  list(filter: RunListFilter, page: CursorRequest): Promise<CursorPage<RunSummary>>;
  /**
   * Asks for the end of a run, and returns before it has ended: steps under way get time to end. A repeat, and a run
   * that has ended, are no errors.
   */
  cancel(runId: string, request: CancelRequest): Promise<CancelResult>;
  /**
   * Decides about a step that waits because its outcome is unknown, and ends its inbox item. The first decision
   * counts; it is stored when this resolves, and the run goes on. Resolves to the run with the decision, or as it is
   * after ten seconds. Rejects with `conflict` where the step does not wait for that, with `not_found` also for an
   * unknown step, and with `validation` for an output that is not JSON or too large, or does not belong to the outcome.
   */
  resolve(runId: string, stepId: string, request: ResolveRequest): Promise<Run>;
  /**
   * Continues a FAILED or CANCELLED run in the background: its steps that have not completed run again. Resolves to the
   * run, with an `attempt` more. Rejects with `conflict` in any other state, and with `unavailable` when too many runs
   * wait.
   */
  retry(runId: string, request: RetryRequest): Promise<Run>;
  /**
   * Runs the definition of an ended run again, in its version, as a new run: resolves as a run of a workflow does.
   * Rejects with `conflict` while the original has not ended, with `validation` for an unknown step or an input that is
   * not JSON, and with `unavailable` as `retry` does. With `items` also with `validation` for a step without `foreach`,
   * and with `conflict` where no item is to run again, or the step is itself a copy.
   */
  rerun(runId: string, request: RerunRequest): Promise<Run>;
  /** Deletes an ended run with its events. Rejects with `conflict` while it has not ended. */
  delete(runId: string): Promise<void>;
  /**
   * The events of a run. Its `read` rejects with `not_found` for an unknown one, and with `ofWorkflow` also for a run
   * of another workflow. A page takes time for its own events, not for the whole log.
   */
  events(runId: string, ofWorkflow?: string): EventSource;
}

/** Milliseconds that the caller of `resolve` waits for the process which owns the run. The decision counts after it. */
const RESOLVE_WAIT_MS = 10_000;

/** Creates the control of runs. `items` are those of the runs that wait. */
export function createRunControl(
  ports: Pick<Ports, 'clock' | 'logger' | 'runs' | 'workflows'>,
  runner: Pick<WorkflowRunner, 'run' | 'start' | 'retry' | 'continueRun' | 'notifyParent'>,
  limits: Pick<Limits, 'maxOutputBytes'>,
  items: Pick<WaitItems, 'end' | 'withdraw'>,
): RunControl {
  const { logger, runs, workflows } = ports;

  async function loadStored(runId: string): Promise<StoredRun> {
    const stored = await runs.get(runId);
    if (stored === undefined) throw notFound('execution', runId);
    return stored;
  }

  const load = async (runId: string): Promise<RunState> => replay(await loadStored(runId));

  /**
   * Settles what refers to an ended run before it is deleted: its parent waits for it, and its items show its data.
   */
  async function prepareDeletion(runId: string): Promise<void> {
    const summary = await runs.summary(runId);
    if (summary === undefined || !hasEnded(summary.status)) return;
    if (summary.wakeAt !== null) await runner.notifyParent(summary);
    const stored = await runs.get(runId);
    if (stored !== undefined) await items.withdraw(stored.events);
  }

  /** The process that has written the end of the wait ends its item too, unless it stops before. */
  async function endItem(wait: EndedWait): Promise<void> {
    try {
      await items.end(wait);
    } catch (error) {
      logger.warn('an inbox item of a workflow run could not be ended yet', { err: error });
    }
  }

  /** The wait that a decision is about. Where it has ended, its item is ended too: it may have been left behind. */
  async function waitFor(state: RunState, stepId: string, itemId: string | undefined): Promise<StepWait> {
    const { shape, results, head, waits } = state;
    if (!shape.indexes.has(stepId)) throw notFound('step', stepId);
    const open = openWaitsOf(state, stepId);
    // Without an item the question is whether the step has happened.
    const wait = open.find((one) => (itemId === undefined ? one.kind === 'recovery' : one.itemId === itemId));
    if (wait !== undefined) return wait;
    const ended = waits?.get(itemId ?? '');
    if (ended !== undefined) await endItem(ended);
    const { status } = itemAt(results, indexOfStep(shape.indexes, stepId));
    const isAsked = open.some(({ kind }) => kind === 'approval');
    const hint = isAsked ? '; an approval is answered in the inbox' : '';
    throw conflict(
      `step ${quote(stepId)} of execution ${quote(head.runId)} is ${status}: only a step whose outcome is unknown can be resolved${hint}`,
    );
  }

  /** The run once a wait has ended, or as it is after some time. Many may wait: the log is read once for each. */
  async function untilResolved(runId: string, itemId: string): Promise<RunState> {
    const isDone = async (): Promise<boolean> => {
      const summary = await runs.summary(runId);
      return summary?.waitingFor.some((wait) => wait.itemId === itemId) !== true;
    };
    await untilLog(ports, runId, isDone, { timeoutMs: RESOLVE_WAIT_MS });
    return load(runId);
  }

  return {
    get: async (runId) => recordOf(await load(runId)),
    async list(filter, page) {
      const { workflowId: reference } = filter;
      if (reference === undefined) return runs.listAll(filter, page);
      return runs.listAll({ ...filter, workflowId: await workflowIdOf(workflows, reference) }, page);
    },
    async cancel(runId, { by, reason }) {
      const outcome = await runs.signal(runId, { type: 'cancel', by, reason });
      if (outcome === undefined) throw notFound('execution', runId);
      return { run: recordOf(await load(runId)), isAccepted: outcome === 'sent' };
    },
    async resolve(runId, stepId, { outcome, output, data, by, note = null, itemId }) {
      if (output !== undefined && outcome !== 'completed') {
        throw invalid(['output: is only for the outcome completed']);
      }
      const own = output === undefined ? {} : copyInput(output, limits.maxOutputBytes, 'output');
      const wait = await waitFor(await load(runId), stepId, itemId);
      const signal: ResolveSignal = {
        type: 'resolve',
        itemId: wait.itemId,
        outcome,
        by,
        note,
        output: outcome === 'completed' ? own : null,
        ...(data !== undefined && { data }),
      };
      const sent = await runs.signal(runId, signal);
      if (sent === undefined) throw notFound('execution', runId);
      if (sent !== 'sent') throw conflict(`somebody has decided about step ${quote(stepId)} already`);
      const state = await untilResolved(runId, wait.itemId);
      const after = state.waits?.get(wait.itemId);
      if (after === undefined || after.isOpen) return recordOf(state);
      await endItem(after);
      // A wait of a run that is cancelled at the same time ends without a decision.
      if (after.decision === null)
        throw conflict(`step ${quote(stepId)} is not waiting any more: the execution has ended`);
      if (after.decision.isExpired) throw conflict(`step ${quote(stepId)} timed out`);
      return recordOf(state);
    },
    async retry(runId, { by }) {
      const state = await load(runId);
      if (!actionsOf(summaryOf(state)).includes('retry')) throw actionConflict(runId, state.status, 'retry');
      return runner.retry(state, { by });
    },
    async rerun(runId, { fromStep, items: which, input, background, waitMs, newRunId }) {
      const ownInput = input === undefined ? undefined : copyInput(input, limits.maxOutputBytes);
      const issues: string[] = [];
      if (which !== undefined && fromStep === undefined) issues.push('from_step: is required with items');
      if (which !== undefined && input !== undefined)
        issues.push('input: cannot be used together with items');
      if (issues.length > 0) throw invalid(issues);
      const stored = await loadStored(runId);
      const state = replay(stored);
      const { status, shape, head, results } = state;
      if (!hasEnded(status)) throw actionConflict(runId, status, 'rerun');
      if (fromStep !== undefined && !shape.indexes.has(fromStep)) {
        throw invalid([`from_step: the workflow has no step ${quote(fromStep)}`]);
      }
      if (which !== undefined && fromStep !== undefined) assertFailedItems(stored, state, fromStep);
      const continued =
        which === undefined
          ? { copied: copiedSteps(state, fromStep).map((index) => itemAt(results, index)) }
          : runner.continueRun(state, fromStep);
      const request = {
        definition: shape.definition,
        input: ownInput ?? head.input,
        runId: newRunId,
        rerunOf: runId,
        customerId: head.customerId,
        ...continued,
        schedule: head.schedule,
      };
      return background ? runner.start(request) : runner.run(request, waitMs);
    },
    async delete(runId) {
      await prepareDeletion(runId);
      if (await runs.delete(runId)) return;
      const run = await runs.summary(runId);
      if (run === undefined) throw notFound('execution', runId);
      throw actionConflict(runId, run.status, 'delete');
    },
    events: (runId, ofWorkflow) => ({
      async read(after, limit) {
        const [page, summary] = await Promise.all([runs.read(runId, after, limit), runs.summary(runId)]);
        if (page === undefined || summary === undefined) throw notFound('execution', runId);
        const { workflowId } = summary;
        if (ofWorkflow !== undefined && ofWorkflow !== workflowId) throw notFound('execution', runId);
        const subject = { kind: 'execution', id: runId, workflowId } as const;
        return { ...page, events: page.events.map((event) => toSubjectEvent(subject, event)) };
      },
      changed: (after, signal) => runs.changed(runId, after, signal),
    }),
  };
}

/** Throws `validation` for a step without items, and `conflict` where none of them is to run again. */
function assertFailedItems({ runId, events }: StoredRun, state: RunState, stepId: string): void {
  const { shape } = state;
  if (itemAt(shape.definition.steps, indexOfStep(shape.indexes, stepId)).foreach === undefined) {
    throw invalid([`items: step ${quote(stepId)} has no foreach`]);
  }
  const name = `step ${quote(stepId)} of execution ${quote(runId)}`;
  const isCopied = events.some(
    (event) => event.type === 'step.completed' && event.copied === true && event.stepId === stepId,
  );
  if (isCopied) throw conflict(`${name} is a copy: rerun the execution that has run its items`);
  const completed = completedItems(state, stepId);
  if (completed === undefined) throw conflict(`${name} has not begun, so that none of its items has failed`);
  if (completed.ends.length === completed.total) throw conflict(`no item of ${name} has failed`);
}

const itemDecisions: readonly WaitOutcome[] = [...stepDecisions, 'approved', 'rejected'];

/**
 * Decides about the step that waits for the answer to an inbox item, and ends the item. Rejects as
 * `RunControl.resolve`, and with `conflict` for an item whose run is gone, which is withdrawn then.
 */
export async function decideByItem(
  runs: Pick<RunControl, 'resolve'>,
  items: Pick<WaitItems, 'drop'>,
  { itemId, subject }: InboxItem,
  { outcome, by, note, data, output }: Resolution,
): Promise<void> {
  const decision = itemDecisions.find((known) => known === outcome);
  if (decision === undefined || subject.stepId === null) throw conflict('nothing waits for a decision');
  const given = { ...(output !== null && { output }), ...(data !== null && { data }) };
  try {
    await runs.resolve(subject.id, subject.stepId, { outcome: decision, by, note, itemId, ...given });
  } catch (error) {
    if (!isOrchestrationError(error, 'not_found')) throw error;
    await items.drop(itemId);
    throw conflict(`execution ${quote(subject.id)} is gone: the item is withdrawn`);
  }
}
