import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { WorkflowDefinition } from '../workflow/definition.ts';
import { indexOfStep, shapeOf } from '../workflow/shape.ts';
import type { ItemEnd, RunEvent } from './events.ts';
import { addEnd, isFatal, reopened, withProgress } from './foreach.ts';
import {
  pendingResult,
  type RunStatus,
  runningResult,
  type StepResult,
  skippedResult,
  waitingResult,
} from './run.ts';
import { attemptsWithLost, initialState, type RunState } from './state.ts';
import { addWait, decideWait, endWait, endWaits } from './waits.ts';

/** The log of a run, with the definition that the run keeps. */
export interface RunHistory {
  readonly runId: string;
  readonly workflowId: string;
  readonly definition: WorkflowDefinition;
  readonly events: readonly RunEvent[];
}

/** Replays a log. `shape` is that of its definition. Throws where the log does not begin with the run's creation. */
export function replay(
  { runId, workflowId, definition, events }: RunHistory,
  shape = shapeOf(definition),
): RunState {
  const [created] = events;
  if (created?.type !== 'execution.created') throw new RangeError('a log begins with execution.created');
  const { workflowName, version, background, origin, input, rerunOf, continues, schedule } = created;
  const { parentRunId = null, depth = 1, breadth = 1, customerId = null } = created;
  const base = { runId, workflowId, workflowName, version, background, origin, input };
  const head = { ...base, rerunOf, continues, parentRunId, customerId, depth, breadth, schedule };
  const state = initialState(head, shape);
  for (const event of events) evolve(state, event);
  return state;
}

/** Applies an event to the state, which it changes. */
export function evolve(state: RunState, event: RunEvent): void {
  state.seq = event.seq;
  switch (event.type) {
    case 'execution.created':
      state.createdAt = isoTime(event.at);
      break;
    case 'execution.started':
      state.status = 'RUNNING';
      state.startedAt ??= isoTime(event.at);
      state.attemptStartedAt = event.at;
      break;
    case 'layer.started':
      state.layer = event.layer;
      break;
    case 'step.started': {
      const index = indexOfStep(state.shape.indexes, event.stepId);
      state.results[index] = runningResult(itemAt(state.results, index), isoTime(event.at));
      break;
    }
    case 'step.retrying':
      state.failedAttempts ??= new Map();
      state.failedAttempts.set(indexOfStep(state.shape.indexes, event.stepId), event.attempt);
      break;
    case 'step.progress': {
      const index = indexOfStep(state.shape.indexes, event.stepId);
      state.foreach ??= new Map();
      state.foreach.set(index, withProgress(state.foreach.get(index), event));
      break;
    }
    case 'step.waiting': {
      const index = indexOfStep(state.shape.indexes, event.stepId);
      state.results[index] = waitingResult(itemAt(state.results, index), event.attempts);
      addWait(state, event);
      const items = state.foreach?.get(index);
      if (items !== undefined && event.item !== undefined) items.startedUpTo = event.item + 1;
      break;
    }
    case 'step.completed':
      if (event.copied !== true) state.recoveriesWithoutProgress = 0;
      endStep(state, event, 'COMPLETED', event.output, null);
      break;
    case 'step.failed':
      endStep(state, event, 'FAILED', null, event.error);
      break;
    case 'step.cancelled':
      endStep(state, event, 'CANCELLED', null, event.why);
      break;
    case 'step.skipped': {
      const index = indexOfStep(state.shape.indexes, event.stepId);
      state.results[index] = skippedResult(itemAt(state.results, index));
      state.skipped ??= new Map();
      state.skipped.set(index, event.why);
      break;
    }
    case 'execution.waiting':
      state.status = 'WAITING';
      state.changedItems.clear();
      break;
    case 'execution.resumed':
      resume(state, event);
      break;
    case 'execution.cancel_requested':
      state.cancel ??= { by: event.by, reason: event.reason };
      if (state.status === 'WAITING') state.status = 'RUNNING';
      break;
    case 'execution.retried':
      reopen(state, event);
      break;
    case 'execution.recovered':
      loseSteps(state, event);
      break;
    case 'execution.completed':
      state.output = event.output ?? null;
      end(state, 'COMPLETED', event);
      break;
    case 'execution.failed':
      state.gaveUp = event.gaveUp ?? hasTextOfGivingUp(event.error);
      end(state, 'FAILED', event);
      break;
    case 'execution.cancelled':
      end(state, 'CANCELLED', event);
      break;
    default:
      event satisfies never;
  }
}

function endStep(
  state: RunState,
  event: RunEvent<'step.completed' | 'step.failed' | 'step.cancelled'>,
  status: StepResult['status'],
  output: JsonObject | null,
  error: string | null,
): void {
  const { shape, results } = state;
  const index = indexOfStep(shape.indexes, event.stepId);
  const { stepId, kind, layer, status: before } = itemAt(results, index);
  if (before === 'WAITING') endWaits(state, stepId, output);
  // The items of a step that has failed are known by its output only where that is its own.
  const isOwnOutput = event.type === 'step.completed' && event.error === undefined;
  if (status === 'COMPLETED' && isOwnOutput) state.foreach?.delete(index);
  if (status === 'FAILED' && isFatal(itemAt(shape.definition.steps, index).onError)) failRun(state, layer);
  const { attempts, durationMs } = event;
  const startedAt = isoTime(event.startedAt);
  const completedAt = isoTime(event.at);
  results[index] = {
    stepId,
    kind,
    status,
    layer,
    attempts,
    output,
    error,
    startedAt,
    completedAt,
    durationMs,
  };
}

function failRun(state: RunState, layer: number): void {
  state.failedLayer = Math.min(layer, state.failedLayer ?? layer);
}

/** A run goes on by a decision. A step that is to run again is pending, and was called before. */
function resume(state: RunState, event: RunEvent<'execution.resumed'>): void {
  state.status = 'RUNNING';
  decideWait(state, event);
  const index = indexOfStep(state.shape.indexes, event.stepId);
  if (event.end !== undefined) endItem(state, index, event.itemId, event.end);
  if (event.outcome !== 'retry') return;
  endWaits(state, event.stepId, null);
  const before = itemAt(state.results, index);
  state.results[index] = pendingResult(before);
  state.lostSteps = new Set(state.lostSteps).add(index);
}

/** The wait for an item of a step has ended. */
function endItem(state: RunState, index: number, itemId: string, end: ItemEnd): void {
  endWait(state, itemId, end.output);
  const items = state.foreach?.get(index);
  if (items !== undefined) addEnd(items, end);
}

/** The steps that run again are pending; their lost calls count as attempts. */
function loseSteps(state: RunState, event: RunEvent<'execution.recovered'>): void {
  const lost = new Set(state.lostSteps);
  for (const stepId of event.steps) {
    const index = indexOfStep(state.shape.indexes, stepId);
    const before = itemAt(state.results, index);
    state.results[index] = pendingResult(before, attemptsWithLost(state, index));
    lost.add(index);
  }
  state.recoveries = event.recoveries;
  state.recoveriesWithoutProgress = event.recoveriesWithoutProgress;
  state.lostSteps = lost;
}

/** Opens an ended run again: the named steps are pending, the others keep their results. */
function reopen(state: RunState, { attempt, steps }: RunEvent<'execution.retried'>): void {
  state.status = 'PENDING';
  state.attempt = attempt;
  state.recoveriesWithoutProgress = 0;
  state.gaveUp = false;
  state.attemptStartedAt = null;
  state.lostSteps = new Set();
  state.layer = -1;
  state.cancel = null;
  state.error = null;
  state.completedAt = null;
  state.failedLayer = null;
  state.skipped = undefined;
  for (const stepId of steps) {
    const index = indexOfStep(state.shape.indexes, stepId);
    const items = state.foreach?.get(index);
    if (items !== undefined) state.foreach?.set(index, reopened(items));
    state.results[index] = pendingResult(itemAt(state.results, index));
  }
}

/**
 * True for a run that gave up, by its error: the logs of builds before 0.8.0 have nothing else that says so. Needed
 * until 1.0, and here alone.
 */
function hasTextOfGivingUp(error: string): boolean {
  return /^parked after \d+ recoveries$/.test(error);
}

function end(
  state: RunState,
  status: RunStatus,
  { at, error, durationMs }: RunEvent<'execution.completed' | 'execution.failed' | 'execution.cancelled'>,
): void {
  state.status = status;
  state.error = error;
  state.completedAt = isoTime(at);
  state.durationMs = durationMs;
}
