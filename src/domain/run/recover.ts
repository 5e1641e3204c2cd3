import { itemAt } from '../../lib/array.ts';
import { indexOfStep } from '../workflow/shape.ts';
import { cancelledWaits, cancelRequested } from './control.ts';
import type { CancelSignal, RunEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { hasEnded, type RunFailure, type StepResult } from './run.ts';
import { attemptsWithLost, type RunState } from './state.ts';
import { endOfStep, lostEnd } from './step-end.ts';

/** The policies for a step of unknown outcome: it fails, it waits for the decision of a person, or it runs again. */
export const unknownOutcomePolicies = ['fail', 'ask', 'retry'] as const;

/** One of {@link unknownOutcomePolicies}. */
export type UnknownOutcomePolicy = (typeof unknownOutcomePolicies)[number];

/** The rules by which runs are continued after the loss of their process. */
export interface RecoveryPolicy {
  /** The times that a run is continued without a step that completes in between, 0 to 100; then it fails. */
  readonly maxRecoveries: number;
  /** The policy for a `write` step that was under way. */
  readonly unknownOutcome: UnknownOutcomePolicy;
}

/** The default of {@link RecoveryPolicy}. */
export const defaultRecoveryPolicy: RecoveryPolicy = { maxRecoveries: 3, unknownOutcome: 'fail' };

/** The recovery of a run by another process. */
export interface Recovery {
  /** They are in the state already, and are to be appended to the log. */
  readonly events: readonly RunEvent[];
  /** The failure of a run that was continued too often and must end now; null for any other. */
  readonly failure: RunFailure | null;
}

/** The error of a step whose process was lost while it ran. */
export const UNKNOWN_OUTCOME = 'the outcome is unknown: its process stopped while the step was under way';

/**
 * Prepares a run that has not ended to be continued by a process that did not run it. Results are kept. Steps that were
 * under way run again where they may, and end or wait otherwise; those that wait go on waiting. Changes the state.
 */
export function recover(
  state: RunState,
  {
    policy,
    crashed,
    signal,
    mayRepeat,
    newItemId,
    now,
  }: {
    readonly policy: RecoveryPolicy;
    /** True where the process that ran the run is gone without releasing it. */
    readonly crashed: boolean;
    /** A request to cancel the run that waits. */
    readonly signal: CancelSignal | undefined;
    /** True for the id of a step that may act twice. */
    readonly mayRepeat: (stepId: string) => boolean;
    /** Makes the id of the inbox item of a step that waits. */
    readonly newItemId: () => string;
    /** Wall-clock time in milliseconds since the epoch. */
    readonly now: number;
  },
): Recovery {
  const events: RunEvent[] = [];
  const record = (event: RunEvent): void => {
    evolve(state, event);
    events.push(event);
  };
  if (hasEnded(state.status)) return { events, failure: null };
  // Also a repeat is recorded: the log refuses the end of a run while a signal waits.
  if (signal !== undefined) record(cancelRequested(state, signal, now));
  const underWay = state.results.filter(({ status }) => status === 'RUNNING');
  if (state.cancel !== null) {
    for (const result of underWay)
      record({ ...endOf(state, result, now), type: 'step.cancelled', why: 'cancelled' });
    for (const event of cancelledWaits(state, now)) record(event);
    return { events, failure: null };
  }
  // A crash while the run waits changes nothing.
  if (state.status === 'PENDING' || state.status === 'WAITING') return { events, failure: null };
  const isCounted = crashed && underWay.length > 0;
  const givesUp = isCounted && state.recoveriesWithoutProgress >= policy.maxRecoveries;
  const added = isCounted && !givesUp ? 1 : 0;
  const unknown = underWay.filter(({ stepId }) => !mayRepeat(stepId));
  const waiting = state.results.filter(({ status }) => status === 'WAITING');
  const lostItems = new Map(unknown.map((result) => [result, unknownItems(state, result)]));
  // Of a step with `foreach` only the items are unknown that may have been called.
  const whole = unknown.filter((result) => lostItems.get(result) === undefined);
  const failed = new Set(givesUp ? underWay : policy.unknownOutcome === 'fail' ? whole : []);
  const isUnknown = (result: StepResult): boolean => lostItems.get(result)?.length !== 0;
  const asked = new Set(givesUp || policy.unknownOutcome !== 'ask' ? [] : unknown.filter(isUnknown));
  record({
    seq: state.seq + 1,
    type: 'execution.recovered',
    at: now,
    recoveries: state.recoveries + added,
    recoveriesWithoutProgress: state.recoveriesWithoutProgress + added,
    unknownSteps: unknown.map(({ stepId }) => stepId),
    steps: underWay.filter((result) => !failed.has(result) && !asked.has(result)).map(({ stepId }) => stepId),
  });
  for (const result of failed) {
    const base = endOf(state, result, now);
    if (givesUp) record({ ...base, type: 'step.failed', error: UNKNOWN_OUTCOME });
    else record(endOfStep(state, base, { error: UNKNOWN_OUTCOME }));
  }
  for (const [{ stepId }, items] of givesUp || policy.unknownOutcome !== 'fail' ? [] : lostItems) {
    if (items !== undefined && items.length > 0) record(failedItems(state, stepId, items, now));
  }
  for (const { stepId } of asked) {
    const attempts = attemptsWithLost(state, indexOfStep(state.shape.indexes, stepId));
    const base = { seq: state.seq + 1, at: now, stepId, attempts };
    record({ ...base, type: 'step.waiting', for: 'recovery', until: null, itemId: newItemId() });
  }
  for (const result of givesUp ? waiting : []) {
    record({ ...lostEnd(result, state.seq + 1, now), type: 'step.failed', error: UNKNOWN_OUTCOME });
  }
  const error = `parked after ${policy.maxRecoveries} recoveries`;
  return { events, failure: givesUp ? { error, gaveUp: true } : null };
}

/** The items of a step that may have been called and have no end; undefined for a step without `foreach`. */
function unknownItems(state: RunState, { stepId }: StepResult): readonly number[] | undefined {
  const index = indexOfStep(state.shape.indexes, stepId);
  if (itemAt(state.shape.definition.steps, index).foreach === undefined) return undefined;
  const items = state.foreach?.get(index);
  // It is recorded that an item may be called before it is.
  if (items === undefined) return [];
  return Array.from({ length: items.startedUpTo }, (_, index) => index).filter(
    (index) => !items.results.has(index),
  );
}

/** The event by which items of unknown outcome count as failed, before the step goes on with the others. */
function failedItems(state: RunState, stepId: string, unknown: readonly number[], at: number): RunEvent {
  const items = state.foreach?.get(indexOfStep(state.shape.indexes, stepId));
  if (items === undefined) throw new TypeError('a step without items has no unknown ones');
  const ends = unknown.map((index) => ({ index, output: null, error: UNKNOWN_OUTCOME, attempts: 1 }));
  const done = items.results.size + ends.length;
  const progress = { done, failed: items.failed + ends.length, total: items.total };
  return {
    seq: state.seq + 1,
    type: 'step.progress',
    at,
    stepId,
    ...progress,
    ends,
    mark: items.startedUpTo,
  };
}

/** The base of the end of a step under way. The lost call counts as an attempt. */
function endOf(state: RunState, result: StepResult, now: number) {
  const attempts = attemptsWithLost(state, indexOfStep(state.shape.indexes, result.stepId));
  return lostEnd({ ...result, attempts }, state.seq + 1, now);
}
