import { isOrchestrationError, unavailable } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { continuedChild } from '../../domain/run/continuation.ts';
import type { RetriedBy } from '../../domain/run/control.ts';
import { replay } from '../../domain/run/evolve.ts';
import { fanOutBelow } from '../../domain/run/layer.ts';
import { hasEnded, type RunSummary } from '../../domain/run/run.ts';
import { type RunState, type StepWait, summaryOf } from '../../domain/run/state.ts';
import type { EndedWait, WaitEnd } from '../../domain/run/waits.ts';
import type { ChainDefinition, WorkflowDefinition, WorkflowStep } from '../../domain/workflow/definition.ts';
import { stepPlanAt } from '../../domain/workflow/plan.ts';
import { chainDefinition, indexOfStep } from '../../domain/workflow/shape.ts';
import { itemAt } from '../../lib/array.ts';
import { quote } from '../../lib/text/quote.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoredRun } from '../../ports/storage/run-log.ts';
import { findWorkflow } from './find-workflow.ts';
import { type ItemsLimits, itemSources, itemsOf, type LoadedRun } from './loaded-run.ts';
import type { ContinueRun, NewRunRequest } from './new-run.ts';
import { untilLogEnds } from './until-log.ts';

/** The runs that steps of other runs have started. Every member may be repeated, and rejects with `unavailable`. */
export interface ChildRuns {
  /**
   * Starts the child of a wait, or retries it. Resolves to how the wait ends where the child cannot run, or has ended.
   */
  open(run: LoadedRun, wait: StepWait): Promise<WaitEnd | undefined>;
  /** Cancels the child of a wait that has ended otherwise. */
  end(wait: EndedWait): Promise<void>;
  /** Notifies the parent of an ended run of its end, unless it knows already. */
  notifyParent(child: RunSummary): Promise<void>;
}

/** Time that a cancelled run takes to end after its grace, in milliseconds. */
const END_MS = 5_000;

/** The name of the parent as the one who decides about the wait for a child. */
const PARENT = 'workflow';

/** Creates {@link ChildRuns}. */
export function createChildRuns(
  ports: Pick<Ports, 'clock' | 'runs' | 'workflows'>,
  {
    start,
    retry,
    continueRun,
  }: {
    /** Starts a run in the background. Rejects with `validation` for an input that its definition does not accept. */
    readonly start: (request: NewRunRequest) => Promise<unknown>;
    /** Runs an ended run again in the background. */
    readonly retry: (state: RunState, by: RetriedBy) => Promise<unknown>;
    readonly continueRun: ContinueRun;
  },
  limits: ItemsLimits & Pick<Limits, 'cancelGraceMs'>,
): ChildRuns {
  const { runs, workflows } = ports;
  /** The children of a step share one. */
  const chains = new WeakMap<ChainDefinition, WorkflowDefinition>();

  /** The definition of the step itself, as its run keeps it, or that of the workflow which it names. */
  async function definitionOf(
    { plan }: LoadedRun,
    { id, workflowId = '', definition: chain }: WorkflowStep,
  ): Promise<WorkflowDefinition> {
    if (chain !== undefined) {
      const known = chains.get(chain) ?? chainDefinition(plan.definition, id, chain);
      chains.set(chain, known);
      return known;
    }
    const definition = await findWorkflow(workflows, workflowId);
    if (definition === undefined) throw new ChildError(`no workflow ${quote(workflowId)} is stored`);
    return definition;
  }

  async function create(run: LoadedRun, step: WorkflowStep, index: number, wait: StepWait): Promise<void> {
    const { runId, customerId, depth, schedule } = run.state.head;
    const earlier = continuedChild(run.state.head, step.id, wait.item);
    const known = earlier === undefined ? undefined : await continueChild(earlier.runId);
    const request = known ?? (await newChild(run, step, index, wait));
    const items = step.foreach === undefined ? 1 : itemCount(run, index);
    const childFanOut = fanOutBelow(run.state, items);
    const parent = { runId, customerId, depth, attempt: run.state.attempt, childFanOut };
    const keys = { keysOf: earlier?.keysOf ?? '', items: {}, children: [] };
    const continues = earlier === undefined ? {} : { continues: keys, rerunOf: earlier.runId };
    const child = { ...continues, ...request, runId: wait.itemId, parent, schedule };
    try {
      await start({ ...child, origin: 'workflow' });
    } catch (error) {
      if (isOrchestrationError(error, 'validation')) throw new ChildError(error.message);
      throw error;
    }
    await endIfLate(runId, child.runId);
  }

  async function newChild(run: LoadedRun, step: WorkflowStep, index: number, { item }: StepWait) {
    const definition = await definitionOf(run, step);
    const sources = itemSources(run, index, item, limits);
    const input = stepPlanAt(run.plan, index).input(sources, limits.maxInputBytes);
    return { definition, input: structuredClone(input) };
  }

  /**
   * A run that goes on with an ended child of another run; undefined where that is gone. Rejects while it has not
   * ended.
   */
  async function continueChild(runId: string) {
    const stored = await runs.get(runId);
    if (stored === undefined) return undefined;
    const state = replay(stored);
    if (!hasEnded(state.status)) throw unavailable(`execution ${quote(runId)} has not ended yet`);
    return { definition: stored.definition, input: state.head.input, ...continueRun(state) };
  }

  function itemCount(run: LoadedRun, index: number): number {
    const items = itemsOf(run, index, limits);
    if ('error' in items) throw new ChildError(items.error);
    return items.values.length;
  }

  /** Another process, which runs the parent by now, may have found no child to end. */
  async function endIfLate(parentId: string, childId: string): Promise<void> {
    const parent = await runs.summary(parentId);
    if (parent?.waitingFor.some(({ itemId }) => itemId === childId) === true) return;
    await cancel(childId);
    // Its parent was deleted, with all that was stored of it then.
    if (parent === undefined && (await untilLogEnds(ports, childId, limits.cancelGraceMs + END_MS))) {
      await runs.delete(childId);
    }
  }

  async function cancel(runId: string): Promise<void> {
    await runs.signal(runId, { type: 'cancel', by: PARENT, reason: 'its parent waits no more' });
  }

  /**
   * The end of an ended child. One which did not complete is retried, once in each attempt at its parent: it has no end
   * then, as where another caller retries it at the same time.
   */
  async function endOrRetry(
    child: RunSummary,
    parentRunId: string,
    parentAttempt: number,
  ): Promise<WaitEnd | undefined> {
    if (child.status === 'COMPLETED' || parentAttempt === 1) return endOf(child);
    const stored = await runs.get(child.runId);
    if (stored === undefined || parentAttempt <= lastParentAttempt(stored)) return endOf(child);
    const state = replay(stored);
    // Another caller may have retried it.
    if (state.status === 'COMPLETED') return endOf(summaryOf(state));
    try {
      if (hasEnded(state.status)) await retry(state, { by: PARENT, parentAttempt });
    } catch (error) {
      if (!isOrchestrationError(error, 'conflict')) throw error;
      return undefined;
    }
    await endIfLate(parentRunId, child.runId);
    return undefined;
  }

  return {
    async open(run, wait) {
      const index = indexOfStep(run.plan.indexes, wait.stepId);
      const step = itemAt(run.plan.definition.steps, index);
      if (step.kind !== 'workflow') throw new TypeError('only a step of kind workflow has a child run');
      const child = await runs.summary(wait.itemId);
      const { head, attempt } = run.state;
      if (child !== undefined) {
        return hasEnded(child.status) ? endOrRetry(child, head.runId, attempt) : undefined;
      }
      try {
        await create(run, step, index, wait);
        return undefined;
      } catch (error) {
        // A conflict: the earlier child cannot be continued.
        if (error instanceof ChildError || isOrchestrationError(error, 'conflict')) {
          return childFailed(wait.itemId, error.message);
        }
        throw error;
      }
    },
    async end({ itemId, decision }) {
      if (decision?.by !== PARENT) await cancel(itemId);
    },
    async notifyParent(child) {
      const { runId, parentRunId } = child;
      const parent = parentRunId === null ? undefined : await runs.summary(parentRunId);
      // A parent that does not wait for it yet takes its end, or retries it, when it does.
      if (parent?.waitingFor.some(({ itemId }) => itemId === runId)) {
        const end = await endOrRetry(child, parent.runId, parent.attempt);
        // The parent is notified when the child has ended again.
        if (end === undefined) return;
        await runs.signal(parent.runId, { type: 'resolve', ...end });
      }
      await runs.clearWake(runId);
    },
  };
}

/** The child cannot be started. The message is safe to show. */
class ChildError extends Error {
  override readonly name = 'ChildError';
}

/** The attempt of the parent that has started or retried a child last. */
function lastParentAttempt({ events }: StoredRun): number {
  const attempts = events.flatMap((event) =>
    event.type === 'execution.created' || event.type === 'execution.retried' ? [event.parentAttempt] : [],
  );
  return attempts.findLast((attempt) => attempt !== undefined) ?? 1;
}

/** The end of the wait for an ended child. */
export function endOf({
  runId,
  status,
  error,
  output,
}: Pick<RunSummary, 'runId' | 'status' | 'error' | 'output'>): WaitEnd {
  if (status !== 'COMPLETED') {
    return childFailed(
      runId,
      `execution ${quote(runId)} ended ${status}${error === null ? '' : `: ${error}`}`,
    );
  }
  const reply = { execution_id: runId, status, output };
  return { itemId: runId, outcome: 'completed', by: PARENT, note: null, output: reply };
}

/** The end of the wait for a child that cannot run. */
export function childFailed(itemId: string, note: string): WaitEnd {
  return { itemId, outcome: 'failed', by: PARENT, note, output: null };
}
