import { itemAt } from '../../../lib/array.ts';
import { indexOfStep } from '../../workflow/shape.ts';
import type { RunEvent } from '../events.ts';
import { deadlineOf, type RunState } from '../state.ts';
import { decisionEvents, openStepWaits, type StepWait, type WaitEnd } from '../waits.ts';
import { runTimeoutText, stepTimeoutText } from './ends.ts';

/** Who ends a wait when its time has come. */
const SERVICE = 'service';

/** Whether the run has taken too long. */
export function isTimedOut(state: RunState, now: number): boolean {
  const deadline = deadlineOf(state);
  return deadline !== null && now >= deadline;
}

/** Ends the waits of a run whose time has come. `record` must apply each event to the state at once. */
export function endDueWaits(state: RunState, now: number, record: (event: RunEvent) => void): void {
  if (state.openItems.size === 0) return;
  const timedOut = isTimedOut(state, now);
  for (const { itemId } of openStepWaits(state)) {
    // The end of one wait may have ended others of its step.
    const wait = state.waits?.get(itemId);
    if (wait === undefined || !wait.isOpen) continue;
    const end = timedOut ? runTimeout(state, wait) : dueEnd(state, wait, now);
    if (end === undefined) continue;
    for (const event of decisionEvents(state, end, now)) record(event);
  }
}

/** The first time at which an open wait ends by itself, in milliseconds since the epoch; undefined for never. */
export function nextDue(state: RunState): number | undefined {
  const times = openStepWaits(state).map(({ until }) =>
    until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
  );
  if (times.length === 0) return undefined;
  // The end of the run ends them all.
  const first = times.reduce(
    (one, other) => Math.min(one, other),
    deadlineOf(state) ?? Number.POSITIVE_INFINITY,
  );
  return first === Number.POSITIVE_INFINITY ? undefined : first;
}

/** How a wait ends by itself; undefined before its time. */
function dueEnd(state: RunState, wait: StepWait, now: number): WaitEnd | undefined {
  if (wait.until === null || Date.parse(wait.until) > now) return undefined;
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
