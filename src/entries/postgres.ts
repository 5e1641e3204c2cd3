/** Records and rate limits that processes share, in PostgreSQL. */

import { createMemoryRateLimiter } from '../adapters/memory/rate-limiter.ts';
import { createPostgresStore } from '../adapters/postgres/store.ts';
import { createProcessId, digestOf } from '../adapters/shared/process-id.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { createStorage, storageTables } from '../application/storage/storage.ts';
import { RUN_RETENTION_MS, traceRecords } from '../domain/collections.ts';
import type { HealthProbe } from '../ports/health-probe.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { StoragePorts } from '../ports/ports.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { RunQueue } from '../ports/storage/run-queue.ts';

/** Options of {@link postgresStorage}. */
export interface PostgresStorageOptions {
  /** `postgres://`, credentials included; never logged. The `PG…` variables fill what it leaves out. */
  readonly url: string;
  /** The schema of the records, made at the first start: `[a-z_][a-z0-9_]{0,62}`; `orchestration` when absent. */
  readonly schema?: string;
  /** The most connections, 1 or more; 10 when absent. One more checks the server and receives notices. */
  readonly poolSize?: number;
  /** Timeout of a statement, in milliseconds; 2,000 when absent. */
  readonly timeoutMs?: number;
  /**
   * Retention of traces, of inbox items from their end, and of conversations from their last change, in milliseconds; 7
   * days when absent.
   */
  readonly traceRetentionMs?: number;
  /** Nothing is logged when absent. */
  readonly logger?: Logger;
}

/** A store that processes share. Nothing connects before `start`. */
export interface PostgresStorage {
  /** The ports that store records, for `defaultPorts`. */
  readonly ports: StoragePorts;
  /**
   * The queue of runs of all processes that share the schema, for durable runs: `queue` is the port, for
   * `defaultPorts`. `start` begins to start runs: call it when all tools and agents are registered.
   */
  readonly runQueue: { readonly queue: RunQueue; start(): void };
  /**
   * Creates a limiter that counts for all processes, in fixed windows; while the server is away, this one counts alone.
   */
  rateLimiter(limit: { readonly limit: number; readonly windowSeconds: number }): RateLimiter;
  /** The state of the server, for `createHealth`. */
  readonly probe: HealthProbe;
  /**
   * Starts to connect, and brings the schema up to date. Resolves within a second, whether the server is there or not,
   * and retries until it is. Rejects with an error named `PostgresStartError` where the server or the schema cannot be
   * used.
   */
  start(): Promise<void>;
  /** Writes what waits, for at most two seconds, and disconnects. Call it after `close` of the orchestrator. */
  close(): Promise<void>;
}

/** Creates a {@link PostgresStorage}. Throws an error named `PostgresStartError` for a malformed URL or schema. */
export function postgresStorage(options: PostgresStorageOptions): PostgresStorage {
  const { url, schema = 'orchestration', poolSize = 10, timeoutMs = 2_000, logger = silentLogger } = options;
  const clock = systemClock;
  const postgres = createPostgresStore({
    url,
    schema,
    poolSize,
    timeoutMs,
    tables: storageTables,
    clock,
    logger,
  });
  const { ports, runQueue, close } = createStorage(
    { store: postgres.store, clock, random: Math.random },
    {
      processId: createProcessId(),
      logger,
      digest: digestOf,
      traceRetentionMs: options.traceRetentionMs ?? traceRecords.retentionMs,
      runRetentionMs: RUN_RETENTION_MS,
    },
  );
  return {
    ports,
    runQueue,
    rateLimiter: (limit) => postgres.rateLimiter({ ...limit, local: createMemoryRateLimiter(limit) }),
    probe: postgres.probe,
    start: postgres.start,
    async close() {
      await close();
      await postgres.close();
    },
  };
}
