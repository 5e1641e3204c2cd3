import { roundedMs } from '../../lib/text/time.ts';
import type { SkipReason } from '../subject-event.ts';
import type { Decision } from './decide.ts';
import type { RunEvent } from './events.ts';
import type { RunFailure } from './run.ts';
import type { EndEvent, RunState } from './state.ts';

/**
 * Ends a run early: every step that has not ended is skipped, or counts as cancelled where a process that is gone had
 * called it; one that waits has failed unless the run is cancelled. The run is cancelled where that was asked, and has
 * failed with `failure` otherwise. `elapsedMs` is null where nobody knows it.
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
