/** Records in one file, for one process. Needs no package. */

import { createMemoryEventFeed } from '../adapters/memory/event-feed.ts';
import { createProcessId, digestOf } from '../adapters/shared/process-id.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { openSqliteStore } from '../adapters/sqlite/store.ts';
import { createStorage, storageTables } from '../application/storage/storage.ts';
import { RUN_RETENTION_MS, traceRecords } from '../domain/collections.ts';
import type { HealthProbe } from '../ports/health-probe.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { StoragePorts } from '../ports/ports.ts';

/** Options of {@link sqliteStorage}. */
export interface SqliteStorageOptions {
  /** The file. It is created with its folder when it does not exist. */
  readonly path: string;
  /**
   * Retention of traces, of inbox items from their end, and of conversations from their last change, in milliseconds; 7
   * days when absent.
   */
  readonly traceRetentionMs?: number;
  /** Nothing is logged when absent. */
  readonly logger?: Logger;
}

/** Records in a file, which is locked for other processes until it is closed. */
export interface SqliteStorage {
  /** The ports that store records, for `defaultPorts`. The feed of events is kept in memory. */
  readonly ports: StoragePorts;
  /** True while the file can be written, for `createHealth`. */
  readonly probe: HealthProbe;
  /** Copies the file to another one while it is in use. Rejects when the copy cannot be written. */
  backup(path: string): Promise<void>;
  /** Writes what waits, and closes the file. Call it after `close` of the orchestrator. */
  close(): Promise<void>;
}

/**
 * Opens a {@link SqliteStorage}. Throws an error named `SqliteFileError`, with one line that names the file, when
 * another process uses it, and when it is damaged, of another program, or cannot be written. The file is left as it is
 * then.
 */
export function sqliteStorage({
  path,
  traceRetentionMs = traceRecords.retentionMs,
  logger = silentLogger,
}: SqliteStorageOptions): SqliteStorage {
  const clock = systemClock;
  const { store, probe, backup, close } = openSqliteStore({ path, tables: storageTables, clock, logger });
  const storage = createStorage(
    { store, clock, random: Math.random },
    {
      processId: createProcessId(),
      logger,
      digest: digestOf,
      traceRetentionMs,
      runRetentionMs: RUN_RETENTION_MS,
      isAlone: true,
    },
  );
  return {
    ports: { ...storage.ports, feed: createMemoryEventFeed() },
    probe,
    backup,
    async close() {
      await storage.close();
      close();
    },
  };
}
