import { backup } from 'node:sqlite';
import { routingRecords, traceRecords, workflowRecords } from '../../domain/collections.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type { Logger } from '../../ports/logger.ts';
import type { StoragePorts } from '../../ports/ports.ts';
import { createConnection } from './connection.ts';
import { createDefinitionStore } from './definitions/definition-store.ts';
import type { SqliteFile } from './file.ts';
import { createIdempotencyKeys } from './idempotency-store.ts';
import { createStoredPeople } from './people/people.ts';
import { createBufferedRecords } from './records/buffered-records.ts';
import { createStoredRecords } from './records/record-store.ts';
import { createStoredRunLog } from './run-log/run-log.ts';
import { createStoredSchedules } from './schedules/schedule-store.ts';
import { createUpkeep } from './upkeep.ts';

/** Options of {@link createSqliteAdapters}. */
export interface SqliteAdaptersOptions {
  readonly file: SqliteFile;
  /** Retention of ended runs and of routed goals from their creation, in milliseconds. */
  readonly runRetentionMs: number;
  /**
   * Retention of traces from their creation, of inbox items from their end, and of conversations from their last
   * change, in milliseconds; 7 days when absent.
   */
  readonly traceRetentionMs?: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for every record that was lost because it could not be stored in time. Must not throw. */
  readonly onDropped?: () => void;
}

/**
 * The ports of {@link createSqliteAdapters}. The feed of events, the counters and the marks of erasures stay in memory.
 */
export type SqlitePorts = Omit<StoragePorts, 'feed' | 'stats' | 'erasures'>;

/** The adapters of a file. */
export interface SqliteAdapters {
  /**
   * All records in the file. While it cannot be written, traces, with all that is recorded with them, and routed goals
   * wait in memory, because their work is already done; anything else is rejected.
   *
   * Of a deleted trace, conversation, example, routed goal, run of a customer or withdrawn inbox item nothing readable
   * stays in the file and the files beside it once the deletion has resolved (while the file is copied, a second after
   * the copy is done); of expired ones, after the next upkeep. Of runs without a customer short texts may stay in
   * unused parts of pages. Not erased are the answers that are kept for idempotency keys, digests of ids in unused
   * parts of pages, copies of the file, and what the file system itself keeps.
   */
  readonly ports: SqlitePorts;
  /** Whether the file can be written, as far as is known. */
  readonly probe: HealthProbe;
  /** Copies the file to another one while it is in use. Rejects when the copy cannot be written. */
  backup(path: string): Promise<void>;
  /** Removes what has expired now. */
  removeExpired(): Promise<void>;
  /** Writes what waits, and closes the file. */
  close(): Promise<void>;
}

/** Creates the adapters of a file, which belongs to them from then on. */
export function createSqliteAdapters(options: SqliteAdaptersOptions): SqliteAdapters {
  const { file, runRetentionMs, clock, logger, onDropped = () => undefined } = options;
  const { traceRetentionMs = traceRecords.retentionMs } = options;
  const connection = createConnection(file, clock, logger);
  const traces = createStoredRecords(
    { ...traceRecords, retentionMs: traceRetentionMs, isErasable: true },
    connection,
  );
  const workflows = createStoredRecords(workflowRecords, connection);
  const routes = createStoredRecords(
    { ...routingRecords, retentionMs: runRetentionMs, isErasable: true },
    connection,
  );
  const runs = createStoredRunLog(connection, { retentionMs: runRetentionMs, clock, logger });
  const idempotency = createIdempotencyKeys(connection, clock);
  const bufferedTraces = createBufferedRecords(traces, connection, onDropped);
  const bufferedRoutes = createBufferedRecords(routes, connection, onDropped);
  const people = createStoredPeople(connection, bufferedTraces, { clock, retentionMs: traceRetentionMs });
  const flush = async (): Promise<void> => {
    await Promise.all([bufferedTraces.flush(), bufferedRoutes.flush()]);
  };
  connection.onAvailable(() => void flush());
  const upkeep = createUpkeep(
    [
      traces.removeExpired,
      routes.removeExpired,
      runs.removeExpired,
      runs.removeEvents,
      idempotency.removeExpired,
      ...people.removeExpired,
    ],
    clock,
    connection.emptyLog,
  );

  return {
    ports: {
      storage: { assertAvailable: connection.assertAvailable },
      traces: bufferedTraces.store,
      workflows: createDefinitionStore(workflows, connection),
      runs: runs.log,
      schedules: createStoredSchedules(connection),
      routes: bufferedRoutes.store,
      idempotency: idempotency.store,
      ...people.ports,
    },
    probe: async () => (connection.isAvailable && file.isInPlace() ? 'ok' : 'error'),
    async backup(path) {
      await copyDatabase(() => backup(file.database, path));
    },
    removeExpired: upkeep.run,
    async close() {
      upkeep.close();
      runs.close();
      await flush();
      const lost = bufferedTraces.size + bufferedRoutes.size;
      if (lost > 0) logger.error('records were lost before they could be stored', { times: lost });
      connection.close();
    },
  };
}

/** How often a copy is tried in all. */
const MAX_COPIES = 5;

/** Copies a database. Node rejects a copy with the code of a success now and then while something is written. */
async function copyDatabase(copy: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await copy();
      return;
    } catch (error) {
      if (!isFalseAlarm(error) || attempt === MAX_COPIES) throw error;
    }
  }
}

function isFalseAlarm(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 0;
}
