import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RunListener } from '../../../ports/storage/run-log.ts';
import { createThrottledLog } from '../../shared/throttled-log.ts';
import type { Connection } from '../connection.ts';
import { reasonOf } from '../errors.ts';
import { numberOf, textOf } from '../rows.ts';
import type { Claims } from './claims.ts';
import { decodeCancel, decodeSignals } from './encoding.ts';
import type { RunRows } from './run-rows.ts';

/**
 * The runs that had not ended when the file was opened: their process is gone, or nobody had claimed them. Those that wait
 * go on waiting: the listener is told of the signals for them alone.
 */
export interface AbandonedRuns {
  /** Gives them to the listener, one after the other, and again those that it rejected. Never throws. */
  handOver(listener: RunListener): void;
  /** Stops. */
  close(): void;
}

/** When runs that the listener rejected are handed over again, in milliseconds. */
const RETRY_MS = 1_000;

/** How many runs are found at a time. */
const PAGE = 100;

/** Finds the {@link AbandonedRuns}. Must be called before this process creates a run. */
export function findAbandonedRuns(
  connection: Connection,
  rows: Pick<RunRows, 'find' | 'isOwn'>,
  claims: Pick<Claims, 'has'>,
  { clock, logger }: { readonly clock: Pick<Clock, 'after' | 'monotonic'>; readonly logger: Logger },
): AbandonedRuns {
  const { prepare, read } = connection;
  const findLast = prepare('SELECT coalesce(max(position), 0) AS last FROM runs WHERE ended = 0');
  const findSome = prepare(
    'SELECT position, run_id FROM runs WHERE ended = 0 AND position > ? AND position <= ? ORDER BY position LIMIT ?',
  );
  const logRejected = createThrottledLog(logger, clock, 'a run whose process is gone was not taken over');
  const last = numberOf(findLast.get(), 'last');
  /** All runs up to this position were handed over, or are among the rejected ones. */
  let foundUpTo = 0;
  let rejected: string[] = [];
  let isClosed = false;
  let cancelRetry: (() => void) | undefined;

  /** The next runs. Empty after the last one, and while the file is not available. */
  function findNext(): readonly string[] {
    if (foundUpTo >= last || !connection.isAvailable) return [];
    const found = read(() => findSome.all(foundUpTo, last, PAGE));
    foundUpTo = found.length < PAGE ? last : numberOf(found.at(-1), 'position');
    return found.map((row) => textOf(row, 'run_id'));
  }

  /** Resolves to false where the run must be handed over again. */
  async function handOverOne(runId: string, listener: RunListener): Promise<boolean> {
    if (!connection.isAvailable) return false;
    try {
      const row = read(() => rows.find(runId));
      if (row === undefined || row['ended'] === 1 || rows.isOwn(row) || claims.has(runId)) return true;
      if (row['status'] === 'WAITING') {
        // It goes on waiting, unless somebody was about to be told why it does not.
        for (const signal of decodeSignals(row)) listener.onSignal(runId, signal);
        return true;
      }
      await listener.onAbandoned(runId, decodeCancel(row));
      return true;
    } catch (error) {
      logRejected({ execution_id: runId, reason: reasonOf(error) });
      return false;
    }
  }

  async function handOverAll(listener: RunListener): Promise<void> {
    let runIds: readonly string[] = rejected;
    rejected = [];
    try {
      do {
        for (const runId of runIds) {
          if (isClosed) return;
          if (!(await handOverOne(runId, listener))) rejected.push(runId);
          await yieldIfDue();
        }
        runIds = findNext();
      } while (runIds.length > 0);
    } catch (error) {
      logRejected({ reason: reasonOf(error) });
    }
    if (isClosed || (rejected.length === 0 && foundUpTo >= last)) return;
    cancelRetry = clock.after(RETRY_MS, () => void handOverAll(listener));
  }

  return {
    handOver: (listener) => void setImmediate(() => void handOverAll(listener)),
    close() {
      isClosed = true;
      cancelRetry?.();
    },
  };
}
