import { conflict, notFound } from '../../domain/errors.ts';
import {
  type CompletedItems,
  type Continued,
  completedItems,
  continuationOf,
} from '../../domain/run/continuation.ts';
import { copiedSteps, type RetriedBy, retried } from '../../domain/run/control.ts';
import type { Continuation, RunEvent, ScheduleOrigin } from '../../domain/run/events.ts';
import { evolve, replay } from '../../domain/run/evolve.ts';
import type { StepResult } from '../../domain/run/run.ts';
import { changeOf, type RunHead, type RunState } from '../../domain/run/state.ts';
import type { RunOrigin } from '../../domain/subject-event.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { WorkflowShape } from '../../domain/workflow/shape.ts';
import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import { quote } from '../../lib/text/quote.ts';
import type { Ports } from '../../ports/ports.ts';
import { type ItemsLimits, itemsOf, loadRun } from './loaded-run.ts';
import type { PlanCache } from './plan-cache.ts';

/** A run that is to be started. */
export interface NewRunRequest {
  readonly definition: WorkflowDefinition;
  /** Must not be changed once it is passed. */
  readonly input: JsonObject;
  /** The id of the run, made by `NewId`; chosen by the runner when absent. */
  readonly runId?: string | undefined;
  /** The run that this one reruns; none when absent. */
  readonly rerunOf?: string | undefined;
  /** The origin; `rerun` with `rerunOf`, else `api` when absent. */
  readonly origin?: RunOrigin | undefined;
  /** The customer whose data it has; that of its parent, or none, when absent. */
  readonly customerId?: string | null | undefined;
  /** The run whose step starts it, and how many runs there can be at the depth of the new one; none when absent. */
  readonly parent?:
    | (Pick<RunHead, 'runId' | 'customerId' | 'depth'> & {
        readonly attempt: number;
        readonly childFanOut: number;
      })
    | undefined;
  /** The schedule that starts it, or has started the run that it reruns, or its parent; none when absent. */
  readonly schedule?: ScheduleOrigin | undefined;
  /** Results of completed steps of that run, whose outputs are copied instead of running the steps again. */
  readonly copied?: readonly StepResult[];
  /** The parts of another run that it continues; none when absent. */
  readonly continues?: Continuation;
  /** The items that are copied with that. */
  readonly completed?: readonly CompletedItems[];
}

/** The state of a new run, with the events of its creation. Nothing is saved. */
export function createRun(
  { definition, input, rerunOf, parent, copied = [], completed = [], continues, ...request }: NewRunRequest,
  { runId, background }: Pick<RunHead, 'runId' | 'background'>,
  shape: WorkflowShape,
  at: number,
): { readonly state: RunState; readonly events: RunEvent[] } {
  const { id: workflowId, name: workflowName, version } = definition;
  const { schedule, origin = rerunOf === undefined ? 'api' : 'rerun' } = request;
  const customerId = request.customerId ?? parent?.customerId ?? null;
  const events: RunEvent[] = [
    {
      seq: 1,
      type: 'execution.created',
      at,
      workflowName,
      version,
      background,
      origin,
      input,
      rerunOf: rerunOf ?? null,
      ...(continues && { continues }),
      ...(schedule && { schedule }),
      ...(parent && {
        parentRunId: parent.runId,
        depth: parent.depth + 1,
        breadth: parent.childFanOut,
        parentAttempt: parent.attempt,
      }),
      ...(customerId !== null && { customerId }),
    },
  ];
  for (const { stepId, output } of copied) {
    if (output === null) continue;
    const step = { stepId, attempts: 0, durationMs: 0, copied: true, output, startedAt: at } as const;
    events.push({ seq: events.length + 1, type: 'step.completed', at, ...step });
  }
  for (const { stepId, total, ends } of completed) {
    const progress = { done: ends.length, failed: 0, total, ends, mark: 0 };
    events.push({ seq: events.length + 1, type: 'step.progress', at, stepId, ...progress });
  }
  return { state: replay({ runId, workflowId, definition, events }, shape), events };
}

/**
 * Opens an ended run again: its state at once, and its log by the function that is returned. That function rejects with
 * `conflict` when the log was changed at the same time, with `not_found` for a deleted run, and with `unavailable`.
 */
export function reopenRun(
  state: RunState,
  by: RetriedBy,
  { clock, events, runs }: Pick<Ports, 'clock' | 'events' | 'runs'>,
): () => Promise<void> {
  const { runId, workflowId } = state.head;
  const { seq } = state;
  const event = retried(state, by, clock.now());
  evolve(state, event);

  /** An append to a deleted run changes nothing. Where the store is unavailable, the run counts as stored. */
  function isDeleted(): Promise<boolean> {
    return runs.summary(runId).then(
      (summary) => summary === undefined,
      () => false,
    );
  }

  return async () => {
    const outcome = await runs.append(runId, seq, [event], changeOf(state));
    if (outcome !== 'appended') throw conflict('the execution was changed by somebody else at the same time');
    if (await isDeleted()) throw notFound('execution', runId);
    events({ type: 'run.appended', runId, workflowId, events: [event] });
  };
}

/**
 * The parts of an ended run that a new run continues: the items of a step, or without one everything that has not
 * completed. Throws `conflict` where the items of a step are not known any more.
 */
export type ContinueRun = (state: RunState, stepId?: string) => Continued;

/** Creates {@link ContinueRun}. */
export function createContinueRun(plans: PlanCache, limits: ItemsLimits): ContinueRun {
  return (state, stepId) => {
    const { shape, results } = state;
    const copied =
      stepId === undefined
        ? results.filter(({ status }) => status === 'COMPLETED')
        : copiedSteps(state, stepId).map((index) => itemAt(results, index));
    const plan = plans.acquire(shape.definition);
    try {
      const ended = loadRun(state, plan);
      return continuationOf(state, stepId, copied, (index) => {
        const { id } = itemAt(shape.definition.steps, index);
        const items = itemsOf(ended, index, limits);
        // They are evaluated again over the same values, and are the same unless a limit is lower by now.
        if ('values' in items && items.values.length === completedItems(state, id)?.total)
          return items.values;
        throw conflict(`the items of step ${quote(id)} cannot be told any more`);
      });
    } finally {
      plans.release(plan);
    }
  };
}

/** A waiting run occupies one slot for so many steps or bytes of input, which limits the memory of waiting runs. */
const STEPS_PER_SLOT = 100;
const BYTES_PER_SLOT = 16_384;

/** The number of slots that a waiting run of this definition occupies, 1 or more. */
export function slotsFor({ steps }: WorkflowDefinition, input: JsonObject): number {
  const bytes = jsonByteLength(input);
  return Math.max(1, Math.ceil(steps.length / STEPS_PER_SLOT), Math.ceil(bytes / BYTES_PER_SLOT));
}
