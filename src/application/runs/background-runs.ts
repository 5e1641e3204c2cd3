import type { Run } from '../../domain/run/run.ts';
import { recordOf } from '../../domain/run/state.ts';
import type { Ports } from '../../ports/ports.ts';
import { slotsFor } from './new-run.ts';
import type { OwnedRun } from './owned-runs.ts';

/**
 * The background runs of this process, where runs end with it: those that are being created, wait for their turn, or
 * run.
 */
export interface BackgroundRuns {
  /**
   * Queues a run that `save` stores, and returns its record. Leaves nothing behind where either fails: then the run is
   * released. A child run is accepted however many runs wait: its parent may hold the place that it waits for.
   */
  accept(run: OwnedRun, save: () => Promise<void>): Promise<Run>;
  /** True for one of them. */
  has(runId: string): boolean;
  /** Called by the queue when the turn of a run has come. Resolves when the run has ended. */
  runNext(runId: string): Promise<void>;
  /** Resolves when a run is not, or no longer, one of them. */
  untilEnded(runId: string): Promise<void>;
  /** Lets a run that waits start without its turn, because it is to end at once. Ignored for one that does not wait. */
  endWaiting(runId: string): void;
  /** The same for all runs that wait; the queue starts no more. */
  close(): void;
}

/** Creates {@link BackgroundRuns}. */
export function createBackgroundRuns(
  { runQueue, logger }: Pick<Ports, 'runQueue' | 'logger'>,
  {
    runToEnd,
    release,
    track,
  }: {
    /** Runs a run to its end, and releases it. */
    readonly runToEnd: (run: OwnedRun) => Promise<void>;
    /** Releases a run that was not stored. */
    readonly release: (run: OwnedRun) => void;
    /** Counts work as running until it ends. */
    readonly track: (work: Promise<void>) => void;
  },
): BackgroundRuns {
  /** By the id of the run. `turn` is resolved when its turn has come. */
  const accepted = new Map<
    string,
    { readonly turn: PromiseWithResolvers<void>; readonly ended: PromiseWithResolvers<void> }
  >();

  /** Runs in the context of the call that accepted the run. No caller waits for it, so errors are logged. */
  async function runOnTurn(run: OwnedRun, turn: Promise<void>): Promise<void> {
    const { runId } = run.state.head;
    try {
      await logger.bind({ execution_id: runId }, async () => {
        await turn;
        await runToEnd(run);
      });
    } catch (error) {
      logger.error('a background run failed unexpectedly', { execution_id: runId, err: error });
    } finally {
      end(runId);
    }
  }

  function end(runId: string): void {
    const entry = accepted.get(runId);
    accepted.delete(runId);
    entry?.ended.resolve();
  }

  return {
    async accept(run, save) {
      const { head, shape } = run.state;
      const { runId } = head;
      const turn = Promise.withResolvers<void>();
      accepted.set(runId, { turn, ended: Promise.withResolvers() });
      try {
        if (head.parentRunId !== null) await runQueue.wake(runId);
        else await runQueue.enqueue(runId, slotsFor(shape.definition, head.input));
        await save();
      } catch (error) {
        release(run);
        end(runId);
        await runQueue.remove(runId);
        throw error;
      }
      const record = recordOf(run.state);
      track(runOnTurn(run, turn.promise));
      return record;
    },
    has: (runId) => accepted.has(runId),
    async runNext(runId) {
      const entry = accepted.get(runId);
      entry?.turn.resolve();
      await entry?.ended.promise;
    },
    async untilEnded(runId) {
      await accepted.get(runId)?.ended.promise;
    },
    endWaiting(runId) {
      void runQueue.remove(runId).then((isRemoved) => {
        if (isRemoved) accepted.get(runId)?.turn.resolve();
      });
    },
    close() {
      void runQueue.close().then((runIds) => {
        for (const runId of runIds) accepted.get(runId)?.turn.resolve();
      });
    },
  };
}
