import { itemAt } from '../../../lib/array.ts';
import { indexOfStep } from '../../workflow/shape.ts';
import type { RunEvent } from '../events.ts';
import { deadlineOf, type RunState, wakeWhileWaiting } from '../state.ts';
import { decisionEvents, type StepWait, type WaitEnd } from '../waits.ts';
import { runTimeoutText, stepTimeoutText } from './ends.ts';

/** Who ends a wait when its time has come. */
const SERVICE = 'service';

/** Whether the run has taken too long. */
export function isTimedOut(state: RunState, now: number): boolean {
  const deadline = deadlineOf(state);
  return deadline !== null && now >= deadline;
}

/** How many waits one call ends at most, so that much work is done in parts. */
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

/** How a wait ends by itself; undefined before its time. */
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
