import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';
import { roundedMs } from '../../lib/text/time.ts';
import type { SkipReason } from '../subject-event.ts';
import { layerAt } from '../workflow/shape.ts';
import type { RunEvent } from './events.ts';
import { foreachWaits, isFatal } from './foreach.ts';
import { beginLayer, type Context, isIssue, type NextLayer, runStart } from './layer.ts';
import { INTERRUPTED, type RunFailure, type WaitKind } from './run.ts';
import { type EndEvent, isTimedOut, openWaits, type RunState } from './state.ts';
import { lostEnd, runTimeoutText } from './step-end.ts';

/** The next events and steps of a run none of whose steps is under way. */
export interface Decision {
  /** In this order, numbered after the last event of the run. */
  readonly events: readonly RunEvent[];
  /**
   * The indexes of the steps that are to be run now. Where there are none, and the run neither ends nor waits, the next
   * decision follows at once.
   */
  readonly steps: readonly number[];
  /** The last of the events where it ends the run, else null. */
  readonly end: EndEvent | null;
  /** True where nothing is left to do before a wait ends. The events then say so, unless the run waited already. */
  readonly waits: boolean;
}

/**
 * Decides what happens next: the start of the next layer, or the end of the run. The state must be that of a run that
 * has not ended, with no step under way and no wait whose time has come. The time is linear in the number of steps that
 * the events name.
 */
export function decide(state: RunState, context: Context): Decision {
  const { now, failure: mustEnd, rules } = context;
  if (state.cancel !== null) return endEarly(state, context, { error: INTERRUPTED });
  if (mustEnd === null && state.foreach !== undefined) {
    const events = foreachWaits(state, rules(), now);
    if (events.length > 0) return { events, steps: [], end: null, waits: false };
  }
  const next = nextLayer(state);
  const isSameLayer = next?.layer === state.layer;
  if (mustEnd === null && state.openItems.size > 0 && !isSameLayer) {
    const kinds = new Set(openWaits(state).map(({ kind }) => kind));
    if (kinds.size > 0) return waitFor(state, [...kinds], now);
  }
  const failure = runFailure(state, mustEnd, now);
  if (next === undefined) {
    // A retried run whose steps have all completed starts before it ends.
    if (state.status === 'PENDING')
      return { events: runStart(state, now), steps: [], end: null, waits: false };
    return failure === null ? complete(state, context) : endEarly(state, context, failure);
  }
  if (mustEnd !== null) return endEarly(state, context, mustEnd);
  // Steps of a layer run even where another one of it has failed, but none starts once the time of the run is over.
  const mayFinishLayer = isSameLayer && state.failedLayer === state.layer && !isTimedOut(state, now);
  const hasFailed = failure !== null && !mayFinishLayer;
  if (failure !== null && hasFailed && !hasStepsThatAlwaysRun(state)) {
    return endEarly(state, context, failure);
  }
  // Conditions can read the time of the start, which the log has then.
  if (state.status === 'PENDING' && state.shape.hasPolicies) {
    return { events: runStart(state, now), steps: [], end: null, waits: false };
  }
  const { events, steps } = beginLayer(state, next, hasFailed, context);
  return { events, steps, end: null, waits: false };
}

function waitFor(state: RunState, kinds: readonly WaitKind[], at: number): Decision {
  const waiting: RunEvent = { seq: state.seq + 1, type: 'execution.waiting', at, for: kinds };
  return { events: state.status === 'WAITING' ? [] : [waiting], steps: [], end: null, waits: true };
}

/**
 * The first layer from the current one on with steps that have not run. Steps whose outputs are there already are left
 * out.
 */
function nextLayer({ shape, results, layer: current }: RunState): NextLayer | undefined {
  const isPending = (index: number): boolean => itemAt(results, index).status === 'PENDING';
  for (let layer = Math.max(current, 0); layer < shape.layers.length; layer++) {
    const all = layerAt(shape, layer);
    if (all.every(isPending)) return { layer, steps: all };
    const steps = all.filter(isPending);
    if (steps.length > 0) return { layer, steps };
  }
  return undefined;
}

/** True where a step that runs however the run goes has not run yet. */
function hasStepsThatAlwaysRun({ shape, results }: RunState): boolean {
  return shape.always.some((index) => itemAt(results, index).status === 'PENDING');
}

/**
 * The failure of the run: the first layer in which a step has failed, by its first step in the definition's order, or
 * the time that it took; else `mustEnd`. Null for a run that has not failed. A run that must end for `mustEnd` fails
 * for it where a step has not completed.
 */
function runFailure(state: RunState, mustEnd: RunFailure | null, now: number): RunFailure | null {
  const { failedLayer, shape } = state;
  const { timeoutMs } = shape.definition;
  if (mustEnd !== null) return hasUnfinished(state) ? mustEnd : null;
  if (failedLayer !== null) return { error: layerFailure(state, failedLayer) };
  return timeoutMs !== undefined && isTimedOut(state, now) ? { error: runTimeoutText(timeoutMs) } : null;
}

/** True where a step of the current layer has no end of its own, or one has failed the run. */
function hasUnfinished({ shape, results, layer, failedLayer }: RunState): boolean {
  if (layer < 0 || failedLayer !== null) return failedLayer !== null;
  return layerAt(shape, layer).some((index) => {
    const { status, error } = itemAt(results, index);
    if (status === 'FAILED') return error === INTERRUPTED;
    return status === 'RUNNING' || status === 'WAITING' || status === 'CANCELLED';
  });
}

function layerFailure({ shape, results }: RunState, layer: number): string {
  const { steps, timeoutMs } = shape.definition;
  const failed = layerAt(shape, layer).filter(
    (index) => itemAt(results, index).status === 'FAILED' && isFatal(itemAt(steps, index).onError),
  );
  const { stepId, error } = itemAt(results, itemAt(failed, 0));
  if (timeoutMs !== undefined && error === runTimeoutText(timeoutMs)) return error;
  const more = failed.length > 1 ? ` (and ${failed.length - 1} more of its layer)` : '';
  return `step ${quote(stepId)} failed: ${error}${more}`;
}

/** Ends a run that has not failed. It fails all the same where its output cannot be resolved. */
function complete(state: RunState, context: Context): Decision {
  const { now: at, elapsedMs, rules } = context;
  const output = rules().output();
  if (isIssue(output)) {
    const { error } = output;
    const text = error.startsWith('output') ? error : `output: ${error}`;
    return endEarly(state, context, { error: text });
  }
  const durationMs = roundedMs((state.durationMs ?? 0) + elapsedMs);
  const base = { seq: state.seq + 1, at, error: null, durationMs };
  const end: EndEvent = { ...base, type: 'execution.completed', ...outputMember(output) };
  return { events: [end], steps: [], end, waits: false };
}

function outputMember(output: JsonObject | null): { readonly output?: JsonObject } {
  return output === null ? {} : { output };
}

/**
 * Ends a run early: every step that has not ended is skipped, or counts as cancelled where a process that is gone had
 * called it; one that waits has failed unless the run is cancelled. The run is cancelled where that was asked, and has
 * failed with `failure` otherwise. `elapsedMs` is null where it is unknown.
 */
export function endEarly(
  state: RunState,
  { now, elapsedMs }: { readonly now: number; readonly elapsedMs: number | null },
  { error, gaveUp }: RunFailure,
): Decision {
  const { cancel } = state;
  const why: SkipReason = cancel === null ? 'failed_before' : 'cancelled';
  const events: RunEvent[] = [];
  let { seq } = state;
  for (const [index, result] of state.results.entries()) {
    const { stepId, status } = result;
    if (status !== 'PENDING' && status !== 'RUNNING' && status !== 'WAITING') continue;
    const end = lostEnd(result, ++seq, now);
    if (why === 'cancelled' && (status === 'WAITING' || state.lostSteps.has(index))) {
      events.push({ ...end, type: 'step.cancelled', why });
    } else if (status === 'WAITING') {
      events.push({ ...end, type: 'step.failed', error });
    } else {
      events.push({ seq, at: now, stepId, type: 'step.skipped', why });
    }
  }
  const durationMs = elapsedMs === null ? null : roundedMs((state.durationMs ?? 0) + elapsedMs);
  const base = { seq: ++seq, at: now, durationMs };
  const end: EndEvent =
    cancel === null
      ? { ...base, type: 'execution.failed', error, ...(gaveUp === undefined ? {} : { gaveUp }) }
      : { ...base, type: 'execution.cancelled', error: cancelText(cancel) };
  return { events: [...events, end], steps: [], end, waits: false };
}

/** The error of a cancelled run. */
export function cancelText({ reason }: { readonly reason: string | null }): string {
  return reason === null || reason === '' ? 'cancelled' : `cancelled: ${reason}`;
}
