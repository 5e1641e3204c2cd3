import { endDueWaits, nextDue } from '../../../domain/run/steps/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ActiveRun } from '../active-run.ts';
import { recordFitting } from '../fitting.ts';

/** Ends the waits of a run whose time has come. Returns whether there were some. */
export function passTime(run: ActiveRun, clock: Clock): boolean {
  return run.state.openItems.size > 0 && endDue(run, clock);
}

function endDue(run: ActiveRun, clock: Clock): boolean {
  const { seq } = run.state;
  endDueWaits(run.state, clock.now(), (event) => recordFitting(run, event));
  return run.state.seq > seq;
}

/** Calls `onDue` when the next wait of a run ends by itself, while steps of it are under way. Replaces an earlier call. */
export function watchTime(run: ActiveRun, clock: Clock, onDue: (run: ActiveRun) => void): void {
  run.cancelDue?.();
  run.cancelDue = undefined;
  if (run.open === 0 || run.state.openItems.size === 0) return;
  const at = nextDue(run.state);
  if (at !== undefined) run.cancelDue = clock.after(Math.max(0, at - clock.now()), () => onDue(run));
}
