import { itemAt } from '../../lib/array.ts';
import { quote } from '../../lib/text/quote.ts';
import { roundedMs } from '../../lib/text/time.ts';
import type { SkipReason } from '../subject-event.ts';
import { layerAt } from '../workflow/shape.ts';
import type { RunEvent } from './events.ts';
import { INTERRUPTED, type StepResult, type WaitKind } from './run.ts';
import type { EndEvent, RunState } from './state.ts';
import { openWaits } from './waits.ts';

/** What happens next in a run none of whose steps is under way. */
export interface Decision {
  /** In this order, numbered after the last event of the run. */
  readonly events: readonly RunEvent[];
  /** The indexes of the steps that are to be run now; none when the run ends. */
  readonly steps: readonly number[];
  /** The last of the events where it ends the run, else null. */
  readonly end: EndEvent | null;
  /** Whether nothing is left to do before a wait ends. The events then say so, unless the run waited already. */
  readonly waits: boolean;
}

/** What `decide` cannot read from the state. */
export interface Circumstances {
  /** Wall-clock time in milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds that this attempt has taken so far. */
  readonly elapsedMs: number;
  /** The error of a run that must end now, unless nothing is left to do; null for a run that may go on. */
  readonly error: string | null;
  /** How many steps may start now; the others of the layer are started later, by {@link startStep}. */
  readonly maxStarts: number;
}

/**
 * Decides what happens next: the start of the next layer, or the end of the run. The state must be that of a run that has
 * not ended, with no step under way. The time is linear in the number of steps that the events name.
 */
export function decide(state: RunState, circumstances: Circumstances): Decision {
  const { now, error } = circumstances;
  if (state.cancel !== null) return endEarly(state, circumstances, INTERRUPTED);
  const next = nextLayer(state);
  if (error === null && state.waits !== undefined && next?.layer !== state.layer) {
    const kinds = new Set(openWaits(state).map(({ kind }) => kind));
    if (kinds.size > 0) return waitFor(state, [...kinds], now);
  }
  // Steps of a layer run even where another one of it has failed.
  if (next?.layer !== state.layer || error !== null) {
    const failure = layerFailure(state, error);
    if (failure !== null) return endEarly(state, circumstances, failure);
  }
  if (next === undefined) {
    const durationMs = durationOf(state, circumstances.elapsedMs);
    const end = {
      seq: state.seq + 1,
      type: 'execution.completed',
      at: now,
      error: null,
      durationMs,
    } as const;
    return { events: [end], steps: [], end, waits: false };
  }
  if (error !== null) return endEarly(state, circumstances, error);
  return { events: startEvents(state, circumstances, next), steps: next.steps, end: null, waits: false };
}

function waitFor(state: RunState, kinds: readonly WaitKind[], at: number): Decision {
  const waiting: RunEvent = { seq: state.seq + 1, type: 'execution.waiting', at, for: kinds };
  return { events: state.status === 'WAITING' ? [] : [waiting], steps: [], end: null, waits: true };
}

interface NextLayer {
  readonly layer: number;
  readonly steps: readonly number[];
}

/** The first layer from the current one on with steps that have not run. Steps whose outputs are there already are left out. */
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

/** The events that start a layer with its first steps, and the run where it has not started. */
function startEvents(
  state: RunState,
  { now: at, maxStarts }: Circumstances,
  { layer, steps }: NextLayer,
): RunEvent[] {
  const events: RunEvent[] = [];
  let { seq } = state;
  if (state.status === 'PENDING') {
    events.push({ seq: ++seq, type: 'execution.started', at, attempt: state.attempt });
  }
  const results = steps.map((index) => itemAt(state.results, index));
  events.push({ seq: ++seq, type: 'layer.started', at, layer, steps: results.map(({ stepId }) => stepId) });
  for (const result of results.slice(0, maxStarts)) events.push(startOf(result, ++seq, at));
  return events;
}

function startOf({ stepId, kind, layer, attempts }: StepResult, seq: number, at: number): RunEvent {
  return { seq, type: 'step.started', at, stepId, kind, layer, attempt: attempts + 1 };
}

/** The event that starts a step of the current layer which has not started with it. */
export function startStep(state: RunState, index: number, now: number): RunEvent {
  return startOf(itemAt(state.results, index), state.seq + 1, now);
}

/**
 * Ends a run early: every step that has not ended is skipped, or counts as cancelled where a process that is gone
 * had called it; one that waits has failed unless the run is cancelled. The run is cancelled where that was asked, and has failed with `error`
 * otherwise. `elapsedMs` is null where nobody knows it.
 */
export function endEarly(
  state: RunState,
  { now, elapsedMs }: { readonly now: number; readonly elapsedMs: number | null },
  error: string,
): Decision {
  const { cancel } = state;
  const why: SkipReason = cancel === null ? 'failed_before' : 'cancelled';
  const events: RunEvent[] = [];
  let { seq } = state;
  for (const [index, { stepId, status, attempts, startedAt }] of state.results.entries()) {
    if (status !== 'PENDING' && status !== 'RUNNING' && status !== 'WAITING') continue;
    const base = { seq: ++seq, at: now, stepId };
    const since = startedAt === null ? now : Date.parse(startedAt);
    const stopped = { ...base, attempts, durationMs: null, startedAt: since };
    if (why === 'cancelled' && (status === 'WAITING' || state.lostSteps.has(index))) {
      events.push({ ...stopped, type: 'step.cancelled', why });
    } else if (status === 'WAITING') {
      events.push({ ...stopped, type: 'step.failed', error });
    } else {
      events.push({ ...base, type: 'step.skipped', why });
    }
  }
  const base = { seq: ++seq, at: now, durationMs: elapsedMs === null ? null : durationOf(state, elapsedMs) };
  const end: EndEvent =
    cancel === null
      ? { ...base, type: 'execution.failed', error }
      : { ...base, type: 'execution.cancelled', error: cancelText(cancel) };
  return { events: [...events, end], steps: [], end, waits: false };
}

/** Milliseconds that all attempts took together, rounded to a microsecond. */
function durationOf(state: RunState, elapsedMs: number): number {
  return roundedMs((state.durationMs ?? 0) + elapsedMs);
}

/** Why the run ends with the current layer: `error`, or its first failed step in the definition's order; null where all completed. */
function layerFailure({ shape, results, layer }: RunState, error: string | null): string | null {
  if (layer < 0) return null;
  let first: StepResult | undefined;
  let failed = 0;
  for (const index of layerAt(shape, layer)) {
    const result = itemAt(results, index);
    if (result.status === 'COMPLETED') continue;
    first ??= result;
    failed++;
  }
  if (first === undefined) return null;
  if (error !== null) return error;
  const more = failed > 1 ? ` (and ${failed - 1} more of its layer)` : '';
  return `step ${quote(first.stepId)} failed: ${first.error}${more}`;
}

/** The error of a cancelled run. */
function cancelText({ reason }: { readonly reason: string | null }): string {
  return reason === null || reason === '' ? 'cancelled' : `cancelled: ${reason}`;
}
