import { hasEnded } from '../../domain/run/run.ts';
import { type RunState, wakeAtOf } from '../../domain/run/state.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ChildRuns } from './child-runs.ts';

/**
 * The runs that no process owns and that are due at a time: see `RunSummary.wakeAt`. A run that waits is continued; the
 * parent of an ended child is notified.
 */
export interface DueRuns {
  /** Checks runs regularly from now on, also those that other processes have left. */
  start(): void;
  /** Schedules the check of a run that this process no longer runs. Also without `start`. */
  schedule(state: RunState): void;
  /** Stops checking runs. */
  close(): void;
}

/** Runs are searched for so often, in milliseconds. A run that is due earlier gets a timer of its own. */
const SWEEP_MS = 5_000;

/** The most runs that one sweep finds. */
const MAX_FOUND = 500;

/** Where there are more, the next sweep follows so soon, in milliseconds. */
const NEXT_SWEEP_MS = 1_000;

/** Creates {@link DueRuns}. A run may be checked twice. */
export function createDueRuns(
  { clock, logger, runs, runQueue }: Pick<Ports, 'clock' | 'logger' | 'runs' | 'runQueue'>,
  { notifyParent }: Pick<ChildRuns, 'notifyParent'>,
): DueRuns {
  /** The timers of the runs that are due before the next sweep, with their times. */
  const timers = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  let cancelSweep: (() => void) | undefined;
  let isStarted = false;
  let isClosed = false;

  async function check(runId: string): Promise<void> {
    try {
      const summary = await runs.summary(runId);
      if (summary === undefined) return;
      if (hasEnded(summary.status)) await notifyParent(summary);
      else await runQueue.wake(runId);
    } catch (error) {
      const fields = { execution_id: runId, err: error };
      logger.warn('a workflow run that is due could not be checked yet', fields);
    }
  }

  /** Sets the timer of a run, unless it has one that is as early. */
  function checkAt(runId: string, at: number): void {
    const known = timers.get(runId);
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = clock.after(Math.max(0, at - clock.now()), () => {
      timers.delete(runId);
      void check(runId);
    });
    timers.set(runId, { at, cancel });
  }

  /** Resolves to the milliseconds until the next sweep; undefined where none is needed. */
  async function find(): Promise<number | undefined> {
    try {
      const found = await runs.due(clock.now() + SWEEP_MS, MAX_FOUND);
      if (isClosed) return undefined;
      for (const { runId, wakeAt } of found) checkAt(runId, wakeAt);
      const [first] = found;
      if (first !== undefined && found.length === MAX_FOUND) {
        return Math.max(NEXT_SWEEP_MS, first.wakeAt - clock.now());
      }
      const continues =
        isStarted || first !== undefined || (await runs.due(Number.POSITIVE_INFINITY, 1)).length > 0;
      return continues ? SWEEP_MS : undefined;
    } catch (error) {
      logger.warn('the workflow runs that are due could not be read', { err: error });
      return SWEEP_MS;
    }
  }

  function sweepIn(ms: number): void {
    cancelSweep ??= clock.after(ms, () => {
      void find().then((nextMs) => {
        cancelSweep = undefined;
        if (nextMs !== undefined && !isClosed) sweepIn(nextMs);
      });
    });
  }

  return {
    start() {
      isStarted = true;
      if (!isClosed) sweepIn(0);
    },
    schedule(state) {
      const { runId } = state.head;
      const wakeAt = wakeAtOf(state);
      if (isClosed || wakeAt === null) return;
      if (wakeAt - clock.now() <= SWEEP_MS) checkAt(runId, wakeAt);
      else sweepIn(SWEEP_MS);
    },
    close() {
      isClosed = true;
      cancelSweep?.();
      for (const { cancel } of timers.values()) cancel();
      timers.clear();
    },
  };
}
