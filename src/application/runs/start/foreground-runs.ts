import type { Run } from '../../../domain/run/run.ts';
import { recordOf } from '../../../domain/run/state.ts';
import { resolvesWithin } from '../../../lib/async/resolves-within.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ActiveRun } from '../active-run.ts';
import type { DurableRuns } from '../durable/durable-runs.ts';
import type { UntilEnded } from '../waits/until-ended.ts';
import type { Worker } from '../worker.ts';

/** What {@link createForegroundRuns} works with. */
export interface ForegroundDeps {
  readonly worker: Pick<Worker, 'begin'>;
  /** Stores a new run with its first events. */
  readonly create: (run: ActiveRun) => Promise<void>;
  /** Runs a run to its end, and releases it. */
  readonly runToEnd: (run: ActiveRun, steps: readonly number[]) => Promise<void>;
  /** Releases a run that was not stored. */
  readonly release: (run: ActiveRun) => void;
  /** Counts work as running until it ends. */
  readonly track: (work: Promise<void>) => void;
  readonly claims: Pick<DurableRuns, 'stored'>;
  readonly untilEnded: UntilEnded;
}

/**
 * Creates the function that runs a run while its caller waits, and resolves to it once it has ended: see
 * `WorkflowRunner.run`.
 */
export function createForegroundRuns(
  { clock, logger, runQueue }: Pick<Ports, 'clock' | 'logger' | 'runQueue'>,
  { worker, create, runToEnd, release, track, claims, untilEnded }: ForegroundDeps,
): (run: ActiveRun, waitMs: number | undefined) => Promise<Run> {
  /** Counts a run whose caller no longer waits as a background run until it ends. */
  function continueInBackground(run: ActiveRun, ended: Promise<void>): void {
    const leave = runQueue.occupy();
    const { runId } = run.state.head;
    const logged = ended.catch((error: unknown) => {
      logger.error('a background run failed unexpectedly', { execution_id: runId, err: error });
    });
    track(logged.finally(leave));
  }

  return async (run, waitMs) => {
    const steps = worker.begin(run);
    try {
      await create(run);
    } catch (error) {
      release(run);
      throw error;
    }
    const startedMs = clock.monotonic();
    const ended = logger.bind({ execution_id: run.state.head.runId }, () => runToEnd(run, steps));
    if (waitMs === undefined) await ended;
    else if (!(await resolvesWithin(ended, { clock, timeoutMs: waitMs }))) continueInBackground(run, ended);
    if (run.isParked) return untilEnded(run, waitMs && startedMs + waitMs - clock.monotonic());
    return run.isLost ? claims.stored(run) : recordOf(run.state);
  };
}
