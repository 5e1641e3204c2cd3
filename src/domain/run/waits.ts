import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import { indexOfStep } from '../workflow/shape.ts';
import type { ResolveSignal, RunEvent } from './events.ts';
import { isTimedOut, type RunState, type StepWait, wakeWhileWaiting } from './state.ts';
import { endBase, endOfStep, runTimeoutText, type StepOutcome, stepTimeoutText } from './step-end.ts';

/** The known members of a wait that has ended. */
export type EndedWait = Pick<StepWait, 'kind' | 'itemId' | 'decision' | 'output'>;

/** The open waits of a step: several for one with `foreach`. */
export function openWaitsOf({ waits, openByStep }: RunState, stepId: string): readonly StepWait[] {
  return [...(openByStep.get(stepId) ?? [])].flatMap((itemId) => waits?.get(itemId) ?? []);
}

/** The number of open waits of a step. */
export function countOpen({ openByStep }: RunState, stepId: string): number {
  return openByStep.get(stepId)?.size ?? 0;
}

/** The waits that have begun or ended since the run was suspended last. */
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
 * A decision about a wait. `isExpired`: the time for it is over. `failsStep`: the step fails with the
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

/** The outcome of the step, or of the item, whose wait was decided. */
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

/** The name of the service, which ends a wait when it is due. */
const SERVICE = 'service';

/** The most waits that one call ends, so that much work is done in parts. */
const MAX_ENDED = 500;

/**
 * Ends waits of a run whose time has come. Where there are many, it ends a part of them, and the next call goes on.
 * `record` must apply each event to the state at once.
 */
export function endDueWaits(state: RunState, now: number, record: (event: RunEvent) => void): void {
  const timedOut = isTimedOut(state, now);
  let ended = 0;
  // The end of one wait may end others of its step, which are not open any more then.
  for (const itemId of state.openItems) {
    const wait = state.waits?.get(itemId);
    const end = wait && (timedOut ? runTimeout(state, wait) : dueEnd(state, wait, now));
    if (end === undefined) continue;
    for (const event of decisionEvents(state, end, now)) record(event);
    if (++ended >= MAX_ENDED) return;
  }
}

/** The first time at which an open wait ends by itself, in milliseconds since the epoch; null for never. */
export function nextDue(state: RunState): number | null {
  return state.openItems.size === 0 ? null : wakeWhileWaiting(state);
}

/** The end of a wait that is due; undefined before its time. */
function dueEnd(state: RunState, wait: StepWait, now: number): WaitEnd | undefined {
  if (wait.dueAt === null || wait.dueAt > now) return undefined;
  const step = itemAt(state.shape.definition.steps, indexOfStep(state.shape.indexes, wait.stepId));
  const base = { itemId: wait.itemId, by: SERVICE, note: null, output: null };
  if (wait.timesOut) {
    const note = stepTimeoutText(step.timeoutMs ?? 0);
    return { ...base, outcome: 'failed', note, isExpired: true, failsStep: true };
  }
  if (wait.kind !== 'approval') return { ...base, outcome: 'completed' };
  const isApproved = step.kind === 'approval' && step.onExpire === 'approve';
  const note = 'nobody has decided in time';
  return { ...base, outcome: isApproved ? 'approved' : 'rejected', note, isExpired: true };
}

function runTimeout({ shape }: RunState, { itemId }: StepWait): WaitEnd {
  const note = runTimeoutText(shape.definition.timeoutMs ?? 0);
  return { itemId, outcome: 'failed', by: SERVICE, note, output: null, isExpired: true, failsStep: true };
}
