import { itemAt } from '../../lib/array.ts';
import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import { indexOfStep } from '../workflow/shape.ts';
import type { ResolveSignal, RunEvent, WaitOutcome } from './events.ts';
import type { Wait } from './run.ts';
import type { RunState } from './state.ts';
import { endBase, endOfStep, type StepOutcome } from './steps/ends.ts';

/** Who ended a wait, and how. */
export interface WaitDecision {
  readonly outcome: WaitOutcome;
  readonly by: string;
  readonly note: string | null;
  /** What came with an approval. */
  readonly data: JsonValue;
  /** Nobody has decided in time. */
  readonly isExpired: boolean;
  /** ISO 8601. */
  readonly at: string;
}

/** A wait of a run, also after it has ended. */
export interface StepWait extends Wait {
  /** The index of the item that the wait is for; undefined for a step without `foreach`. */
  readonly item: number | undefined;
  /** The step fails when the time has come. */
  readonly timesOut: boolean;
  /** The time `until` in milliseconds since the epoch. */
  readonly dueAt: number | null;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  readonly isOpen: boolean;
  /** Null while nobody has decided, and where it ended without a decision. */
  readonly decision: WaitDecision | null;
  /** The output that was decided; else null. */
  readonly output: JsonObject | null;
}

/** What is known of a wait that has ended. */
export type EndedWait = Pick<StepWait, 'kind' | 'itemId' | 'decision' | 'output'>;

const none: readonly Wait[] = [];

/** The open waits of a run, in the order in which they began. */
export function openWaits({ waits, openItems }: RunState): readonly Wait[] {
  if (openItems.size === 0) return none;
  const open = [...openItems].flatMap((itemId) => waits?.get(itemId) ?? []);
  return open.map(({ kind, stepId, itemId, until }) => ({ kind, stepId, itemId, until }));
}

/** The open waits of a step: several for one with `foreach`. */
export function openWaitsOf({ waits, openByStep }: RunState, stepId: string): readonly StepWait[] {
  return [...(openByStep.get(stepId) ?? [])].flatMap((itemId) => waits?.get(itemId) ?? []);
}

/** The number of open waits of a step. */
export function countOpen({ openByStep }: RunState, stepId: string): number {
  return openByStep.get(stepId)?.size ?? 0;
}

/** The first time at which an open wait ends by itself, in milliseconds since the epoch; null where none does. */
export function firstDue({ waits, openItems }: RunState): number | null {
  let first: number | null = null;
  for (const itemId of openItems) {
    const dueAt = waits?.get(itemId)?.dueAt ?? null;
    if (dueAt !== null && (first === null || dueAt < first)) first = dueAt;
  }
  return first;
}

/** The waits that have begun or ended since the run was parked last. */
export function changedWaits({ waits, changedItems }: RunState): readonly StepWait[] {
  return [...changedItems].flatMap((itemId) => waits?.get(itemId) ?? []);
}

/** Adds the wait that an event begins. */
export function addWait(state: RunState, event: RunEvent<'step.waiting'>): void {
  const { stepId, for: kind, until, itemId, item, timesOut = false, at } = event;
  state.waits ??= new Map();
  const dueAt = until === null ? null : Date.parse(until);
  const open = { isOpen: true, decision: null, output: null };
  state.waits.set(itemId, { kind, stepId, itemId, until, item, timesOut, dueAt, since: at, ...open });
  state.openItems.add(itemId);
  const ofStep = state.openByStep.get(stepId);
  if (ofStep === undefined) state.openByStep.set(stepId, new Set([itemId]));
  else ofStep.add(itemId);
  state.changedItems.add(itemId);
}

/** Notes what was decided about a wait. */
export function decideWait({ waits }: RunState, event: RunEvent<'execution.resumed'>): void {
  const { itemId, outcome, by, note, data = null, isExpired = false, at } = event;
  const wait = waits?.get(itemId);
  if (wait === undefined) return;
  waits?.set(itemId, { ...wait, decision: { outcome, by, note, data, isExpired, at: isoTime(at) } });
}

/** Ends the waits of a step. */
export function endWaits(state: RunState, stepId: string, output: JsonObject | null): void {
  for (const itemId of state.openByStep.get(stepId) ?? []) endWait(state, itemId, output);
}

/** Ends a wait, if it is open. */
export function endWait(state: RunState, itemId: string, output: JsonObject | null): void {
  const wait = state.waits?.get(itemId);
  if (wait === undefined || !state.openItems.delete(itemId)) return;
  const ofStep = state.openByStep.get(wait.stepId);
  ofStep?.delete(itemId);
  if (ofStep?.size === 0) state.openByStep.delete(wait.stepId);
  state.waits?.set(itemId, { ...wait, isOpen: false, output });
  state.changedItems.add(itemId);
}

/** The error of a step of unknown outcome about which `by` has decided that it failed. */
function decidedFailure(by: string): string {
  return `its outcome was unknown, and ${JSON.stringify(by)} decided that it has failed`;
}

/**
 * A decision about a wait. `isExpired`: the time has come, and nobody has decided. `failsStep`: the step fails with the
 * note, with all its items.
 */
export type WaitEnd = Omit<ResolveSignal, 'type'> & {
  readonly isExpired?: true;
  readonly failsStep?: true;
};

/**
 * The events by which a decision ends a wait. None where the run does not wait for it any more, or is to be cancelled.
 */
export function decisionEvents(state: RunState, end: WaitEnd, now: number): readonly RunEvent[] {
  const { itemId, outcome, by, note, data, isExpired } = end;
  const wait = state.waits?.get(itemId);
  if (wait === undefined || !wait.isOpen || state.cancel !== null) return [];
  const { stepId, item } = wait;
  const resumed: RunEvent<'execution.resumed'> = {
    seq: state.seq + 1,
    type: 'execution.resumed',
    at: now,
    by,
    stepId,
    itemId,
    outcome,
    note,
    ...(data === undefined ? {} : { data }),
    ...(isExpired === undefined ? {} : { isExpired }),
  };
  if (outcome === 'retry') return [resumed];
  const ended = outcomeOf(state, wait, end, now);
  if (item !== undefined && end.failsStep === undefined) {
    return [{ ...resumed, end: { index: item, ...itemOutcome(ended), attempts: 1 } }];
  }
  const index = indexOfStep(state.shape.indexes, stepId);
  const base = endBase(state, index, state.seq + 2, now);
  // Nobody knows how long a step of unknown outcome has taken.
  const known = wait.kind === 'recovery' ? { ...base, durationMs: null } : base;
  return [resumed, endOfStep(state, known, ended)];
}

function itemOutcome(outcome: StepOutcome): {
  readonly output: JsonObject | null;
  readonly error: string | null;
} {
  return 'output' in outcome
    ? { output: outcome.output, error: null }
    : { output: null, error: outcome.error };
}

/** How a wait that was decided ends its step, or its item. */
function outcomeOf(state: RunState, wait: StepWait, end: WaitEnd, now: number): StepOutcome {
  const { outcome, by, note, output } = end;
  if (end.failsStep) return { error: note ?? 'failed' };
  if (outcome === 'approved' || outcome === 'rejected') return approvalOutcome(state, wait, end, now);
  if (outcome === 'completed') return { output: output ?? {} };
  if (wait.kind === 'recovery') return { error: decidedFailure(by) };
  return { error: note ?? 'failed' };
}

function approvalOutcome(
  { shape }: RunState,
  { stepId }: StepWait,
  { outcome, by, note, data = null }: WaitEnd,
  now: number,
): StepOutcome {
  const step = itemAt(shape.definition.steps, indexOfStep(shape.indexes, stepId));
  const approved = outcome === 'approved';
  const fails = step.kind !== 'approval' || step.onReject !== 'continue';
  if (!approved && fails) {
    return { error: `rejected by ${JSON.stringify(by)}${note === null ? '' : `: ${note}`}` };
  }
  return { output: { approved, data, decided_by: by, decided_at: isoTime(now), note } };
}
