import type { CompletedItems, Continuation } from '../../../domain/run/continuation.ts';
import type { RunEvent } from '../../../domain/run/events.ts';
import { evolve } from '../../../domain/run/evolve.ts';
import type { StepResult } from '../../../domain/run/run.ts';
import { initialState, type RunHead, type ScheduleOrigin } from '../../../domain/run/state.ts';
import type { RunOrigin } from '../../../domain/subject-event.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import type { WorkflowPlan } from '../../../domain/workflow/plan.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type ActiveRun, activate } from '../active-run.ts';

/** The run whose step starts a run. */
export interface ParentRun extends Pick<RunHead, 'runId' | 'customerId' | 'depth'> {
  readonly attempt: number;
  /** How many runs there can be at the depth of the new one. */
  readonly childBreadth: number;
}

/** A run that is to be started. */
export interface NewRunRequest {
  readonly definition: WorkflowDefinition;
  /** Must not be changed once it is passed. */
  readonly input: JsonObject;
  /** The id of the run, made by `NewId`; chosen by the runner when absent. */
  readonly runId?: string | undefined;
  /** The run that this one reruns; none when absent. */
  readonly rerunOf?: string | undefined;
  /** What starts it; `rerun` with `rerunOf`, else `api` when absent. */
  readonly origin?: RunOrigin | undefined;
  /** The customer whose data it has; that of its parent, or none, when absent. */
  readonly customerId?: string | null | undefined;
  /** The run whose step starts it; none when absent. */
  readonly parent?: ParentRun | undefined;
  /** The schedule that starts it, or has started the run that it reruns, or its parent; none when absent. */
  readonly schedule?: ScheduleOrigin | undefined;
  /** Results of completed steps of that run, whose outputs are copied instead of running the steps again. */
  readonly copied?: readonly StepResult[];
  /** What it goes on with of another run; nothing when absent. */
  readonly continues?: Continuation;
  /** The items that are copied with that. */
  readonly completed?: readonly CompletedItems[];
}

/** Creates a run with the events of its creation, which are not saved yet. */
export function createRun(
  { definition, input, rerunOf, parent, copied = [], completed = [], continues, ...request }: NewRunRequest,
  { runId, background }: Pick<RunHead, 'runId' | 'background'>,
  plan: WorkflowPlan,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): ActiveRun {
  const head: RunHead = {
    runId,
    workflowId: definition.id,
    workflowName: definition.name,
    version: definition.version,
    background,
    origin: request.origin ?? (rerunOf === undefined ? 'api' : 'rerun'),
    input,
    rerunOf: rerunOf ?? null,
    continues,
    parentRunId: parent?.runId ?? null,
    customerId: request.customerId ?? parent?.customerId ?? null,
    depth: parent === undefined ? 1 : parent.depth + 1,
    breadth: parent?.childBreadth ?? 1,
    schedule: request.schedule,
  };
  const state = initialState(head, plan);
  const events = creationEvents(head, { copied, completed, parentAttempt: parent?.attempt }, clock.now());
  for (const event of events) evolve(state, event);
  return { ...activate(state, plan, clock), savedSeq: 0, unsaved: events };
}

function creationEvents(
  head: RunHead,
  given: {
    readonly copied: readonly StepResult[];
    readonly completed: readonly CompletedItems[];
    readonly parentAttempt: number | undefined;
  },
  at: number,
): RunEvent[] {
  const { copied, completed, parentAttempt } = given;
  const { workflowName, version, background, origin, input, rerunOf, parentRunId, depth, breadth } = head;
  const scheduled = head.schedule === undefined ? {} : { schedule: head.schedule };
  const parent = parentRunId === null ? {} : { parentRunId, depth, breadth, parentAttempt };
  const customer = head.customerId === null ? {} : { customerId: head.customerId };
  const goesOn = head.continues === undefined ? {} : { continues: head.continues };
  const created = {
    workflowName,
    version,
    background,
    origin,
    input,
    rerunOf,
    ...goesOn,
    ...scheduled,
    ...parent,
    ...customer,
  };
  const events: RunEvent[] = [{ seq: 1, type: 'execution.created', at, ...created }];
  for (const { stepId, output } of copied) {
    if (output === null) continue;
    const step = { stepId, attempts: 0, durationMs: 0, copied: true, output, startedAt: at } as const;
    events.push({ seq: events.length + 1, type: 'step.completed', at, ...step });
  }
  for (const { stepId, total, ends } of completed) {
    const progress = { done: ends.length, failed: 0, total, ends, mark: 0 };
    events.push({ seq: events.length + 1, type: 'step.progress', at, stepId, ...progress });
  }
  return events;
}

/** The run is stored already, as another one has created it with the same id. */
export class RunExistsError extends Error {
  override readonly name = 'RunExistsError';
}
