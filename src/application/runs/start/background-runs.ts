import type { Run } from '../../../domain/run/run.ts';
import { recordOf } from '../../../domain/run/state.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RunQueue } from '../../../ports/storage/run-queue.ts';
import type { ActiveRun } from '../active-run.ts';
import { needsRoom, slotsFor } from './slots.ts';

/** The background runs of this process: those that are being created, wait for their turn, or run. */
export interface BackgroundRuns {
  /**
   * Queues a run that `save` stores, and returns its record. Leaves nothing behind where either fails: then `release`
   * is called. A child run is accepted however many runs wait: see {@link needsRoom}.
   */
  accept(run: ActiveRun, save: () => Promise<void>): Promise<Run>;
  /** Whether a run is one of them. */
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

/** Dependencies of {@link createBackgroundRuns}. */
export interface BackgroundDeps {
  readonly runQueue: RunQueue;
  readonly logger: Logger;
  /** Runs a run to its end, and releases it. */
  readonly runToEnd: (run: ActiveRun) => Promise<void>;
  /** Releases a run that was not stored. */
  readonly release: (run: ActiveRun) => void;
  /** Counts work as running until it ends. */
  readonly track: (work: Promise<void>) => void;
}

/** A background run from its acceptance to its end. */
interface Accepted {
  /** Resolved when its turn has come. */
  readonly turn: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<void>;
}

/** Creates {@link BackgroundRuns}. */
export function createBackgroundRuns(deps: BackgroundDeps): BackgroundRuns {
  const { runQueue, logger, runToEnd, release, track } = deps;
  const accepted = new Map<string, Accepted>();

  /** Runs in the context of the call that accepted the run. No caller waits for it, so errors are logged. */
  async function runOnTurn(run: ActiveRun, { turn, ended }: Accepted): Promise<void> {
    const { runId } = run.state.head;
    try {
      await logger.bind({ execution_id: runId }, async () => {
        await turn.promise;
        await runToEnd(run);
      });
    } catch (error) {
      logger.error('a background run failed unexpectedly', { execution_id: runId, err: error });
    } finally {
      accepted.delete(runId);
      ended.resolve();
    }
  }

  return {
    async accept(run, save) {
      const { head, shape } = run.state;
      const { runId } = head;
      const entry: Accepted = { turn: Promise.withResolvers(), ended: Promise.withResolvers() };
      accepted.set(runId, entry);
      try {
        if (needsRoom(head.parentRunId)) {
          await runQueue.enqueue(runId, slotsFor(shape.definition, head.input));
        } else await runQueue.wake(runId);
        await save();
      } catch (error) {
        accepted.delete(runId);
        release(run);
        entry.ended.resolve();
        await runQueue.remove(runId);
        throw error;
      }
      const record = recordOf(run.state);
      track(runOnTurn(run, entry));
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
