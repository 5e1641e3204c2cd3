import { hasEnded } from '../../../domain/run/run.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RunListener } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../connection.ts';
import { reasonOf } from '../errors.ts';
import { textOf } from '../rows.ts';
import { decodeSignal } from './encoding.ts';
import type { RunReads } from './run-reads.ts';
import type { RunRows } from './run-rows.ts';

/** The runs that had not ended when the file was opened: the process that ran them is gone. */
export interface AbandonedRuns {
  /** Gives them to the listener, one after the other, until the end of each is recorded. Never throws. */
  handOver(listener: RunListener): void;
  /** Stops. */
  close(): void;
}

/** When runs whose end could not be recorded are tried again, in milliseconds. */
const RETRY_MS = 1_000;

/** Finds the {@link AbandonedRuns}. Must be called before this process creates a run. */
export function findAbandonedRuns(
  connection: Connection,
  rows: Pick<RunRows, 'find'>,
  reads: Pick<RunReads, 'summary'>,
  { clock, logger }: { readonly clock: Pick<Clock, 'after'>; readonly logger: Logger },
): AbandonedRuns {
  let runIds = connection
    .prepare('SELECT run_id FROM runs WHERE ended = 0 ORDER BY position')
    .all()
    .map((row) => textOf(row, 'run_id'));
  let isClosed = false;
  let cancelRetry: (() => void) | undefined;

  /** Resolves to false where the run must be handed over again. */
  async function handOverOne(runId: string, listener: RunListener): Promise<boolean> {
    try {
      const row = connection.read(() => rows.find(runId));
      if (row === undefined || row['ended'] === 1) return true;
      await listener.onAbandoned(runId, decodeSignal(row));
      const summary = await reads.summary(runId);
      return summary === undefined || hasEnded(summary.status);
    } catch (error) {
      logger.warn('the end of a run whose process is gone was not recorded', {
        execution_id: runId,
        reason: reasonOf(error),
      });
      return false;
    }
  }

  async function handOverAll(listener: RunListener): Promise<void> {
    const left: string[] = [];
    for (const runId of runIds) {
      if (isClosed) return;
      if (!connection.isAvailable || !(await handOverOne(runId, listener))) left.push(runId);
    }
    runIds = left;
    if (left.length > 0 && !isClosed) cancelRetry = clock.after(RETRY_MS, () => void handOverAll(listener));
  }

  return {
    handOver: (listener) => void setImmediate(() => void handOverAll(listener)),
    close() {
      isClosed = true;
      cancelRetry?.();
    },
  };
}
