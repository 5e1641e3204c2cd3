import { itemAt } from '../../lib/array.ts';
import { isoTime } from '../../lib/text/time.ts';
import { dependencyGraph } from '../workflow/graph.ts';
import { indexOfStep, type WorkflowShape } from '../workflow/shape.ts';
import { cancelText, endEarly } from './decide.ts';
import type { CancelSignal, RunEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { INTERRUPTED, type RunSummary } from './run.ts';
import type { RunChange, RunState } from './state.ts';
import { endBase, lostEnd } from './step-end.ts';

/** The event that a request to cancel makes. */
export function cancelRequested(
  state: Pick<RunState, 'seq'>,
  { by, reason }: CancelSignal,
  now: number,
): RunEvent {
  return { seq: state.seq + 1, type: 'execution.cancel_requested', at: now, by, reason };
}

/** The events that end all waits of a run which is to be cancelled: nothing of their steps is under way. */
export function cancelledWaits(state: RunState, now: number): readonly RunEvent[] {
  if (state.waits === undefined) return [];
  const waiting = [...state.results.keys()].filter(
    (index) => itemAt(state.results, index).status === 'WAITING',
  );
  return waiting.map((index, position): RunEvent => {
    const ended = endBase(state, index, state.seq + 1 + position, now);
    return { ...ended, type: 'step.cancelled', why: 'cancelled' };
  });
}

/** The request to run an ended run again. */
export interface RetriedBy {
  readonly by: string;
  /** The attempt of its parent, where that retries it. */
  readonly parentAttempt?: number | undefined;
}

/** The event that runs an ended run again: every step that did not complete. */
export function retried(state: RunState, { by, parentAttempt }: RetriedBy, now: number): RunEvent {
  const steps = state.results.filter(({ status }) => status !== 'COMPLETED').map(({ stepId }) => stepId);
  const base = { seq: state.seq + 1, at: now, by, attempt: state.attempt + 1, steps };
  return { ...base, type: 'execution.retried', ...(parentAttempt === undefined ? {} : { parentAttempt }) };
}

/**
 * Ends a run whose process is gone, and returns the events: the steps that were under way count as failed with
 * `interrupted`, since their effects are unknown, or as cancelled where the run is to be cancelled; the others are
 * skipped (decisions, section 7). Changes the state.
 */
export function endAbandoned(state: RunState, signal: CancelSignal | undefined, now: number): RunEvent[] {
  const events: RunEvent[] = [];
  const record = (event: RunEvent): void => {
    evolve(state, event);
    events.push(event);
  };
  if (signal !== undefined) record(cancelRequested(state, signal, now));
  const underWay = state.results.filter(({ status }) => status === 'RUNNING' || status === 'WAITING');
  for (const result of underWay) {
    const end = lostEnd(result, state.seq + 1, now);
    if (state.cancel === null) record({ ...end, type: 'step.failed', error: INTERRUPTED });
    else record({ ...end, type: 'step.cancelled', why: 'cancelled' });
  }
  for (const event of endEarly(state, { now, elapsedMs: null }, { error: INTERRUPTED }).events) record(event);
  return events;
}

/** The error of a run that no process can continue. It is safe to show: what is wrong is logged. */
const UNUSABLE = 'the run cannot be continued: its log or its definition is damaged';

/**
 * Ends a run whose log cannot be replayed, so that the states of its steps are unknown. `seq` is the number of its last
 * event. Returns the events, and how they change its summary.
 */
export function endUnusable(
  { startedAt, attempt, recoveries, recoveriesWithoutProgress, parentRunId }: RunSummary,
  seq: number,
  signal: CancelSignal | undefined,
  now: number,
): { readonly events: readonly RunEvent[]; readonly change: RunChange } {
  const [status, error] =
    signal === undefined ? (['FAILED', UNUSABLE] as const) : (['CANCELLED', cancelText(signal)] as const);
  const events: RunEvent[] = signal === undefined ? [] : [cancelRequested({ seq }, signal, now)];
  const end = { seq: seq + events.length + 1, at: now, error, durationMs: null };
  events.push({ ...end, type: status === 'FAILED' ? 'execution.failed' : 'execution.cancelled' });
  const change = {
    status,
    error,
    output: null,
    startedAt,
    completedAt: isoTime(now),
    durationMs: null,
    attempt,
    recoveries,
    recoveriesWithoutProgress,
    waitingFor: [],
    wakeAt: parentRunId === null ? null : now,
  };
  return { events, change };
}

/** The indexes of a step and of all steps that depend on it, directly or not. */
export function dependants(
  { definition, indexes, layers }: WorkflowShape,
  stepId: string,
): ReadonlySet<number> {
  const graph = dependencyGraph(definition.steps, indexes);
  const found = new Set([indexOfStep(indexes, stepId)]);
  for (const index of layers.flat()) {
    if (itemAt(graph, index).some((dependency) => found.has(dependency))) found.add(index);
  }
  return found;
}

/** The completed steps of a run whose outputs a rerun from the step `fromStep` copies; none where it is undefined. */
export function copiedSteps({ shape, results }: RunState, fromStep: string | undefined): readonly number[] {
  if (fromStep === undefined) return [];
  const again = dependants(shape, fromStep);
  return [...results.keys()].filter(
    (index) => itemAt(results, index).status === 'COMPLETED' && !again.has(index),
  );
}
