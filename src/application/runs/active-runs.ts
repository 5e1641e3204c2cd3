import { unavailable } from '../../domain/errors.ts';
import { hasEnded } from '../../domain/run/run.ts';
import { AbortError } from '../../lib/async/timeout.ts';
import { type ActiveRun, MAX_ACTIVE_BYTES } from './active-run.ts';
import type { PlanCache } from './plan-cache.ts';

/** The runs of this process, from their creation or claim until they have ended, or are handed back. */
export interface ActiveRuns {
  /** The run of that id, or undefined. */
  get(runId: string): ActiveRun | undefined;
  /**
   * Throws `unavailable` where the runs take as much memory as they may together. Runs that others have started may
   * take twice as much, so that these can end.
   */
  assertRoom(isChild: boolean): void;
  /** Counts a run as run by this process, until `release`. Returns it. */
  acquire(run: ActiveRun): ActiveRun;
  /** Ends that. */
  release(run: ActiveRun): void;
  /** Resolves when a run whose end is in the log, or is being saved, is no longer run by this process. */
  untilReleased(runId: string): Promise<void>;
  /** Tells a run that another process runs it: its steps are to stop, and nothing more of it is recorded. */
  lose(runId: string): void;
  /**
   * Tells the runs of the queue, and those that come later, to start no more steps, because they are to be handed back.
   */
  stopQueued(): void;
  /** Tells the steps of all runs, and of those that come later, to stop, because this process shuts down. */
  interrupt(): void;
}

/** Seconds after which a caller may try again where the runs take too much memory. */
const RETRY_AFTER_SECONDS = 5;

/** Creates {@link ActiveRuns} without runs. */
export function createActiveRuns(plans: PlanCache): ActiveRuns {
  const active = new Map<string, ActiveRun>();
  const memory = { bytes: 0 };
  let stopsQueued = false;
  let interrupted = false;

  /** Tells the steps of a run to stop, and waits no longer for those of a cancelled run. */
  function stop({ controller, deadline }: ActiveRun): void {
    if (deadline === undefined) controller.abort(new AbortError('shutdown'));
    else deadline.abort();
  }

  return {
    get: (runId) => active.get(runId),
    assertRoom(isChild) {
      if (memory.bytes + plans.bytesInUse() < (isChild ? 2 : 1) * MAX_ACTIVE_BYTES) return;
      throw unavailable(
        `the runs under way take ${MAX_ACTIVE_BYTES} bytes of memory already`,
        RETRY_AFTER_SECONDS,
      );
    },
    acquire(run) {
      run.memory.ofAll = memory;
      memory.bytes += run.memory.bytes;
      active.set(run.state.head.runId, run);
      if (stopsQueued && run.isQueued) run.isStopping = true;
      if (interrupted) stop(run);
      return run;
    },
    release({ state, plan, released, memory: held }) {
      active.delete(state.head.runId);
      if (held.ofAll !== undefined) memory.bytes -= held.bytes;
      held.ofAll = undefined;
      plans.release(plan);
      released.resolve();
    },
    async untilReleased(runId) {
      const run = active.get(runId);
      if (run !== undefined && !run.isEnding && !hasEnded(run.state.status)) return;
      await run?.released.promise;
    },
    lose(runId) {
      const run = active.get(runId);
      if (run !== undefined) loseRun(run);
    },
    stopQueued() {
      stopsQueued = true;
      for (const run of active.values()) if (run.isQueued) run.isStopping = true;
    },
    interrupt() {
      interrupted = true;
      for (const run of active.values()) stop(run);
    },
  };
}

/** Records that another process runs a run, and tells its steps to stop. */
export function loseRun(run: ActiveRun): void {
  run.isLost = true;
  run.controller.abort(new AbortError('lost'));
  run.deadline?.abort();
}
