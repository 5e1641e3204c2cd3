import type { Limits } from '../../../domain/limits.ts';
import { cancelledWaits, cancelRequested } from '../../../domain/run/control.ts';
import type { CancelSignal, ResolveSignal, RunSignal } from '../../../domain/run/events.ts';
import { decisionEvents } from '../../../domain/run/waits.ts';
import { CancelledError } from '../../../lib/async/timeout.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type ActiveRun, keepSignal, record } from '../active-run.ts';
import { recordFitting } from '../fitting.ts';
import type { Saver } from '../saver.ts';

/** Handles the signals for the runs of this process. */
export interface Signals {
  /**
   * Handles a signal for a run, or keeps it where that must wait. A cancel: its steps are told to stop, and have
   * `cancelGraceMs` to end. A decision: the step that waits has ended, or runs again once no step of its layer is under
   * way. Ignored where the run is cancelled already, or waits no more.
   */
  handle(run: ActiveRun, signal: RunSignal): void;
  /** Handles the signals that were kept. The run can end or wait only when they are in the log. */
  acknowledge(run: ActiveRun): void;
}

/** What {@link createSignals} works with. */
export interface SignalsDeps {
  readonly clock: Clock;
  readonly saver: Pick<Saver, 'saveSoon'>;
  /** Called when a wait has ended while steps of the run are under way. */
  readonly onWaitEnded: (run: ActiveRun) => void;
}

/** Creates {@link Signals}. */
export function createSignals(
  { clock, saver, onWaitEnded }: SignalsDeps,
  { cancelGraceMs }: Pick<Limits, 'cancelGraceMs'>,
): Signals {
  function cancel(run: ActiveRun, signal: CancelSignal): void {
    const now = clock.now();
    record(run, cancelRequested(run.state, signal, now));
    const ended = cancelledWaits(run.state, now);
    for (const event of ended) record(run, event);
    const deadline = new AbortController();
    run.deadline = deadline;
    if (run.open > 0) {
      // Its children and items end at once, also where steps have not ended before the deadline.
      if (ended.length > 0) onWaitEnded(run);
      else saver.saveSoon(run);
      run.cancelDeadline = clock.after(cancelGraceMs, () => deadline.abort());
    }
    run.controller.abort(new CancelledError(deadline.signal));
  }

  /** Records what was decided about a step that waits. */
  function decide(run: ActiveRun, signal: ResolveSignal): void {
    const events = decisionEvents(run.state, signal, clock.now());
    for (const event of events) recordFitting(run, event);
    if (events.length > 0 && run.open > 0) onWaitEnded(run);
  }

  return {
    handle(run, signal) {
      const isRepeated = signal.type === 'cancel' && run.state.cancel !== null;
      if (run.isEnding || run.isParked || isRepeated) keepSignal(run, signal);
      else if (signal.type === 'cancel') cancel(run, signal);
      else decide(run, signal);
    },
    acknowledge(run) {
      for (const [key, signal] of run.signals) {
        run.signals.delete(key);
        if (signal.type === 'resolve') decide(run, signal);
        else if (run.state.cancel === null) cancel(run, signal);
        else record(run, cancelRequested(run.state, signal, clock.now()));
      }
    },
  };
}
