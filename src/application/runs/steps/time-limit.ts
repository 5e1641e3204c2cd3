import { deadlineOf } from '../../../domain/run/state.ts';
import { runTimeoutText, stepTimeoutText } from '../../../domain/run/steps/ends.ts';
import { isTimedOut } from '../../../domain/run/steps/time.ts';
import type { Step } from '../../../domain/workflow/definition.ts';
import { onAbort } from '../../../lib/async/on-abort.ts';
import { AbortError } from '../../../lib/async/timeout.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ActiveRun } from '../active-run.ts';

/** The time that a step has. */
export interface TimeLimit {
  /** Aborted when the step is to end: its time is over, or the run is told to stop. */
  readonly signal: AbortSignal;
  /** The error of the step whose time is over; null before that. */
  readonly error: () => string | null;
  /** Stops the timer. To be called when the step has ended. */
  readonly end: () => void;
}

/** Whether the time of a step is limited, by its own policy or by that of its run. */
export function isTimed({ plan }: ActiveRun, { timeoutMs }: Step): boolean {
  return timeoutMs !== undefined || plan.definition.timeoutMs !== undefined;
}

/** The error of a step whose turn comes when the time of its run is over; null for one that runs even then. */
export function tooLate(
  { state }: Pick<ActiveRun, 'state'>,
  { runIf }: Step,
  clock: Pick<Clock, 'now'>,
): string | null {
  const { timeoutMs } = state.shape.definition;
  if (timeoutMs === undefined || runIf === 'always') return null;
  return isTimedOut(state, clock.now()) ? runTimeoutText(timeoutMs) : null;
}

/** Limits the time of a step by its own policy, and by that of its run where that is not over already. */
export function limitTime({ state, controller }: ActiveRun, step: Step, clock: Clock): TimeLimit {
  const limit = firstLimit(step, state.shape.definition.timeoutMs, deadlineOf(state), clock.now());
  if (limit === undefined) return { signal: controller.signal, error: () => null, end: () => undefined };
  const own = new AbortController();
  let error: string | null = null;
  const cancelTimer = clock.after(limit.ms, () => {
    error = limit.error;
    own.abort(new AbortError('timed_out'));
  });
  const { signal } = controller;
  // A step that is told to stop gets time to end, which may be longer than its own: it has not timed out then.
  const stop = (): void => {
    cancelTimer();
    own.abort(signal.reason);
  };
  const unsubscribe = onAbort(signal, stop);
  if (signal.aborted) stop();
  return {
    signal: own.signal,
    error: () => error,
    end() {
      cancelTimer();
      unsubscribe();
    },
  };
}

/**
 * Milliseconds that a step has from `now`, and its error after these; undefined for a step without a limit. `deadline`
 * is that of its run.
 */
export function firstLimit(
  { timeoutMs }: Step,
  runTimeoutMs: number | undefined,
  deadline: number | null,
  now: number,
): { readonly ms: number; readonly error: string } | undefined {
  const step = timeoutMs === undefined ? undefined : { ms: timeoutMs, error: stepTimeoutText(timeoutMs) };
  // A step that runs after the run has timed out has its own limit alone.
  if (runTimeoutMs === undefined || deadline === null || deadline <= now) return step;
  const run = { ms: deadline - now, error: runTimeoutText(runTimeoutMs) };
  return step === undefined || run.ms < step.ms ? run : step;
}
