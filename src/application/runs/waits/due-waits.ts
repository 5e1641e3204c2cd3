import { endDueWaits, nextDue } from '../../../domain/run/steps/time.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type ActiveRun, isInterrupted } from '../active-run.ts';
import { recordFitting } from '../fitting.ts';

/** Ends waits of a run whose time has come. Returns whether there were some: there may be more then. */
export function passTime(run: ActiveRun, clock: Clock): boolean {
  const { seq } = run.state;
  if (run.state.openItems.size > 0) endDueWaits(run.state, clock.now(), (event) => recordFitting(run, event));
  return run.state.seq > seq;
}

/** Ends all of them, unless the run is told to stop. */
export async function passAllTime(run: ActiveRun, clock: Clock): Promise<void> {
  while (run.state.cancel === null && !isInterrupted(run) && passTime(run, clock)) await yieldIfDue();
}

/**
 * Calls `onDue` when the next wait of a run ends by itself, while steps of it are under way. Replaces an earlier call.
 */
export function watchTime(run: ActiveRun, clock: Clock, onDue: (run: ActiveRun) => void): void {
  run.cancelDue?.();
  run.cancelDue = undefined;
  if (run.open === 0 || run.state.openItems.size === 0) return;
  const at = nextDue(run.state);
  if (at !== null) run.cancelDue = clock.after(Math.max(0, at - clock.now()), () => onDue(run));
}
