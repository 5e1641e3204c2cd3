import { backup } from 'node:sqlite';
import { routingRecords, traceRecords, workflowRecords } from '../../domain/collections.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type { Logger } from '../../ports/logger.ts';
import type { StoragePorts } from '../../ports/ports.ts';
import { createConnection } from './connection.ts';
import type { SqliteFile } from './file.ts';
import { createIdempotencyKeys } from './idempotency-store.ts';
import { createBufferedRecords } from './records/buffered-records.ts';
import { createRecordStore, createStoredRecords } from './records/record-store.ts';
import { createStoredRunLog } from './run-log/run-log.ts';
import { createUpkeep } from './upkeep.ts';

/** Options of {@link createSqliteAdapters}. */
export interface SqliteAdaptersOptions {
  readonly file: SqliteFile;
  /** Retention of ended runs from their creation, in milliseconds. */
  readonly runRetentionMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for every record that was lost because it could not be stored in time. Must not throw. */
  readonly onDropped?: () => void;
}

/** The ports of {@link createSqliteAdapters}. The feed of events stays in memory. */
export type SqlitePorts = Omit<StoragePorts, 'feed'>;

/** The adapters of a file. */
export interface SqliteAdapters {
  /**
   * All records in the file. While it cannot be written, traces and routed goals wait in memory, because their work is
   * already done; anything else is rejected.
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
  const connection = createConnection(file, clock, logger);
  const traces = createStoredRecords(traceRecords, connection);
  const workflows = createStoredRecords(workflowRecords, connection);
  const routes = createStoredRecords(routingRecords, connection);
  const runs = createStoredRunLog(connection, { retentionMs: runRetentionMs, clock, logger });
  const idempotency = createIdempotencyKeys(connection, clock);
  const bufferedTraces = createBufferedRecords(traces, connection, onDropped);
  const bufferedRoutes = createBufferedRecords(routes, connection, onDropped);
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
    ],
    clock,
  );

  return {
    ports: {
      storage: { assertAvailable: connection.assertAvailable },
      traces: bufferedTraces.store,
      workflows: createRecordStore(workflows),
      runs: runs.log,
      routes: bufferedRoutes.store,
      idempotency: idempotency.store,
    },
    probe: async () => (connection.isAvailable && file.isInPlace() ? 'ok' : 'error'),
    async backup(path) {
      await backup(file.database, path);
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
