import type { StatementSync } from 'node:sqlite';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { StorageHealth } from '../../ports/storage/record-store.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import { FileGoneError, isStoreError, reasonOf, toUnavailable } from './errors.ts';
import type { SqliteFile } from './file.ts';
import { createLogTruncation } from './log-truncation.ts';
import { createWriteQueue } from './write-queue.ts';

/** Reads and writes of the file, and whether it can be written now. */
export interface Connection extends StorageHealth {
  readonly isAvailable: boolean;
  /** A statement, prepared once for each text. */
  prepare(sql: string): StatementSync;
  /** Runs reads, which see what is committed. Throws `unavailable` when the file cannot be read. */
  read<T>(work: () => T): T;
  /**
   * Runs writes in the transaction of this turn of the event loop, after those that were given before. Resolves once it
   * is committed; rejects with `unavailable` when it is not, and then nothing of it is written. `bytes` is about what
   * it writes.
   */
  write<T>(work: () => T, bytes: number): Promise<T>;
  /** Empties the write-ahead log, which has what was deleted. Resolves once that was tried, and is tried again. */
  emptyLog(): Promise<void>;
  /** Adds what is called each time that a transaction has written nothing, before the next one begins. */
  onRollback(callback: () => void): void;
  /** Adds what is called each time the file can be written again. */
  onAvailable(callback: () => void): void;
  /** Commits what waits, and closes the file. */
  close(): void;
}

/**
 * The pause before a file that cannot be written is tried again, in milliseconds, and the number of bytes of that test.
 */
const RETRY_MS = 1_000;
const TEST_BYTES = 65_536;

/** Creates the {@link Connection} to an open file. */
export function createConnection(file: SqliteFile, clock: Clock, logger: Logger): Connection {
  const { database } = file;
  const statements = new Map<string, StatementSync>();
  const logUnreadable = createThrottledLog(logger, clock, 'the store could not be read');
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const queue = createWriteQueue(transact, fail);
  const truncation = createLogTruncation(truncateLog, clock, logger);
  let failure: unknown;
  let cancelRetry: (() => void) | undefined;
  let isClosed = false;
  const onAvailable: (() => void)[] = [];
  const onRollback: (() => void)[] = [];

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  function transact(work: () => void): void {
    if (!file.isInPlace()) throw new FileGoneError();
    begin.run();
    try {
      work();
      commit.run();
    } catch (error) {
      // SQLite itself rolls back when the disk is full.
      if (database.isTransaction) database.exec('ROLLBACK');
      for (const callback of onRollback) callback();
      throw error;
    }
  }

  function truncateLog(): boolean {
    return prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
  }

  async function write<T>(work: () => T, bytes: number): Promise<T> {
    if (failure !== undefined || isClosed) throw toUnavailable(failure);
    return queue.add(work, bytes);
  }

  function fail(error: unknown): void {
    if (failure === undefined) {
      logger.error('the store is not available', { state: 'failed', reason: reasonOf(error) });
    }
    failure = error;
    cancelRetry ??= clock.after(RETRY_MS, retry);
  }

  /** Writes and frees more than a page, so that the file can really grow by what a request needs. */
  function retry(): void {
    cancelRetry = undefined;
    try {
      transact(() => prepare('INSERT OR REPLACE INTO write_test VALUES (1, zeroblob(?))').run(TEST_BYTES));
      transact(() => prepare('DELETE FROM write_test').run());
    } catch (error) {
      fail(error);
      return;
    }
    failure = undefined;
    logger.info('the store is available');
    for (const callback of onAvailable) callback();
  }

  // The log of a process that was killed may have what it had deleted.
  void truncation.request();

  return {
    get isAvailable() {
      return failure === undefined && !isClosed;
    },
    assertAvailable() {
      if (failure !== undefined || isClosed) throw toUnavailable(failure);
    },
    prepare,
    read(work) {
      if (isClosed) throw toUnavailable(undefined);
      try {
        return work();
      } catch (error) {
        if (!isStoreError(error)) throw error;
        logUnreadable({ reason: reasonOf(error) });
        throw toUnavailable(error);
      }
    },
    write,
    emptyLog: truncation.request,
    onRollback(callback) {
      onRollback.push(callback);
    },
    onAvailable(callback) {
      onAvailable.push(callback);
    },
    close() {
      if (isClosed) return;
      queue.close();
      isClosed = true;
      cancelRetry?.();
      truncation.close();
      database.close();
    },
  };
}
