import { conflict, invalid, notFound } from '../../../domain/errors.ts';
import type { Limits } from '../../../domain/limits.ts';
import { actionConflict, actionsOf } from '../../../domain/run/actions.ts';
import { completedItems } from '../../../domain/run/continuation.ts';
import { copiedSteps } from '../../../domain/run/control.ts';
import { replay } from '../../../domain/run/evolve.ts';
import { hasEnded } from '../../../domain/run/run.ts';
import { type RunState, recordOf, summaryOf } from '../../../domain/run/state.ts';
import { toSubjectEvent } from '../../../domain/run/subject-events.ts';
import { indexOfStep } from '../../../domain/workflow/shape.ts';
import { itemAt } from '../../../lib/array.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { StoredRun } from '../../../ports/storage/run-log.ts';
import { workflowIdOf } from '../find-workflow.ts';
import type { EndedItems } from '../waits/ended-items.ts';
import type { WorkflowRunner } from '../workflow-runner.ts';
import { copyInput } from './copy-input.ts';
import { createResolveStep } from './resolve-step.ts';
import type { RerunRequest, RunControl } from './run-control.ts';

/** Creates the control of runs. `items` are those of the runs that wait; none where no run does. */
export function createRunControl(
  ports: Pick<Ports, 'clock' | 'logger' | 'runs' | 'workflows'>,
  runner: Pick<WorkflowRunner, 'run' | 'start' | 'retry' | 'continueRun' | 'tellParent'>,
  limits: Pick<Limits, 'maxOutputBytes'>,
  items?: EndedItems,
): RunControl {
  const { runs, workflows } = ports;

  async function load(runId: string): Promise<RunState> {
    const stored = await runs.get(runId);
    if (stored === undefined) throw notFound('execution', runId);
    return replay(stored);
  }

  /**
   * Does what nobody could do once an ended run is deleted: its parent waits for it, and its items show what it was
   * about.
   */
  async function prepareDeletion(runId: string): Promise<void> {
    const summary = await runs.summary(runId);
    if (summary === undefined || !hasEnded(summary.status)) return;
    if (summary.wakeAt !== null) await runner.tellParent(summary);
    const stored = items && (await runs.get(runId));
    if (stored !== undefined) await items?.withdraw(stored.events);
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
    resolve: createResolveStep({ ports, items, limits }),
    async retry(runId, { by }) {
      const state = await load(runId);
      const { status } = state;
      if (!actionsOf(summaryOf(state)).includes('retry')) throw actionConflict(runId, status, 'retry');
      return runner.retry(state, { by });
    },
    async rerun(runId, { fromStep, items, input, background, waitMs, newRunId }) {
      const ownInput = input === undefined ? undefined : copyInput(input, limits.maxOutputBytes);
      assertItemsRequest({ fromStep, items, input });
      const stored = await runs.get(runId);
      if (stored === undefined) throw notFound('execution', runId);
      const state = replay(stored);
      const { status, shape, head, results } = state;
      if (!hasEnded(status)) throw actionConflict(runId, status, 'rerun');
      if (fromStep !== undefined && !shape.indexes.has(fromStep)) {
        throw invalid([`from_step: the workflow has no step ${quote(fromStep)}`]);
      }
      if (items !== undefined && fromStep !== undefined) assertFailedItems(stored, state, fromStep);
      const goesOn =
        items === undefined
          ? { copied: copiedSteps(state, fromStep).map((index) => itemAt(results, index)) }
          : runner.continueRun(state, fromStep);
      const request = {
        definition: shape.definition,
        input: ownInput ?? head.input,
        runId: newRunId,
        rerunOf: runId,
        customerId: head.customerId,
        ...goesOn,
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

/**
 * Throws `validation` for a request to run failed items again that has not what it needs, or has what it cannot have.
 */
function assertItemsRequest({
  fromStep,
  items,
  input,
}: Pick<RerunRequest, 'fromStep' | 'items' | 'input'>): void {
  if (items === undefined) return;
  const issues: string[] = [];
  if (fromStep === undefined) issues.push('from_step: is required with items');
  if (input !== undefined) issues.push('input: cannot be used together with items');
  if (issues.length > 0) throw invalid(issues);
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
