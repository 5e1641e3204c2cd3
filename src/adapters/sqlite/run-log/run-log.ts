import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RunListener, RunLog } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../connection.ts';
import { numberOf } from '../rows.ts';
import { findAbandonedRuns } from './abandoned-runs.ts';
import { createClaims } from './claims.ts';
import { createDueRuns } from './due-runs.ts';
import { encodeAppend, encodeRun } from './encoding.ts';
import { createRunReads } from './run-reads.ts';
import { createRunRows } from './run-rows.ts';
import { createWaiters } from './waiters.ts';

/** Run logs in the file. */
export interface StoredRunLog {
  readonly log: RunLog;
  /** Removes at most `limit` expired runs. Resolves to their number. */
  removeExpired(limit: number): Promise<number>;
  /** Removes at most `limit` rows of events of removed runs. Resolves to 0 when there are no more. */
  removeEvents(limit: number): Promise<number>;
  /** Wakes everybody who waits for events. */
  close(): void;
}

/** Options of {@link createStoredRunLog}. */
export interface StoredRunLogOptions {
  /** Retention of ended runs from their creation, in milliseconds. */
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Size of a small write, in bytes. */
const ROW_BYTES = 256;

/** Rows of events that one transaction removes: few, because each may have a mebibyte. */
const ROWS_PER_REMOVAL = 50;

/**
 * Creates the log of runs. Each append is written when it resolves. Runs of a process that is gone are given to the
 * listener in the turn of the event loop after `listen`.
 */
export function createStoredRunLog(connection: Connection, options: StoredRunLogOptions): StoredRunLog {
  const { read, write } = connection;
  const rows = createRunRows(connection, options.retentionMs);
  const reads = createRunReads(connection, rows, options.retentionMs);
  const claims = createClaims(connection, rows, reads);
  const abandoned = findAbandonedRuns(connection, rows, claims, options);
  const waiters = createWaiters();
  let listener: RunListener | undefined;

  const log: RunLog = {
    ...reads,
    ...createDueRuns(connection, rows, claims, options.retentionMs),
    claim: claims.claim,
    release: claims.release,
    async create(run) {
      const encoded = encodeRun(run);
      return write(() => rows.create(encoded), encoded.bytes);
    },
    async append(runId, expectedSeq, events, change) {
      if (events.length === 0) return 'appended';
      const encoded = encodeAppend(expectedSeq, events, change);
      const { outcome, signals = [] } = await write(
        () => rows.append(runId, encoded, claims.has(runId)),
        encoded.bytes,
      );
      if (outcome === 'appended') {
        claims.forget(runId);
        waiters.wake(runId, encoded.lastSeq, encoded.ended);
      }
      for (const signal of signals) listener?.onSignal(runId, signal);
      return outcome;
    },
    async changed(runId, after, signal) {
      if (signal.aborted || !isQuiet(runId, after)) return;
      await waiters.wait(runId, after, signal);
    },
    async delete(runId) {
      const position = await write(() => {
        const row = rows.find(runId);
        if (row === undefined || row['ended'] === 0) return undefined;
        rows.remove(row);
        return numberOf(row, 'position');
      }, ROW_BYTES);
      if (position === undefined) return false;
      waiters.wake(runId, 0, true);
      const removeSome = () => rows.removeEventsOf(position, ROWS_PER_REMOVAL);
      while (await write(removeSome, ROW_BYTES * ROWS_PER_REMOVAL)) await yieldIfDue();
      // The log has what was deleted, and the pages in it.
      await connection.emptyLog();
      return true;
    },
    async ofCustomer(customerId, limit) {
      return read(() => rows.ofCustomer(customerId, limit));
    },
    async signal(runId, signal) {
      const copy = structuredClone(signal);
      const bytes = ROW_BYTES + JSON.stringify(signal).length;
      const outcome = await write(() => {
        const row = rows.find(runId);
        if (row === undefined) return undefined;
        if (row['ended'] === 1) return 'ended';
        return rows.addSignal(row, copy) ? 'sent' : 'refused';
      }, bytes);
      if (outcome === 'sent') listener?.onSignal(runId, copy);
      return outcome;
    },
    listen(newListener) {
      listener = newListener;
      abandoned.handOver(newListener);
    },
  };

  /** Whether a run goes on and has no event after the event `after`. False when that cannot be read. */
  function isQuiet(runId: string, after: number): boolean {
    try {
      const row = read(() => rows.find(runId));
      return row !== undefined && row['ended'] === 0 && numberOf(row, 'last_seq') <= after;
    } catch {
      return false;
    }
  }

  return {
    log,
    removeExpired: (limit) => write(() => rows.removeExpired(limit), ROW_BYTES * limit),
    removeEvents: (limit) => write(() => rows.removeEvents(limit), ROW_BYTES * limit),
    close() {
      abandoned.close();
      waiters.close();
    },
  };
}
