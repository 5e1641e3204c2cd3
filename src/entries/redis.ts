/** Records and rate limits that replicas share, in Redis or Valkey. */

import { createMemoryRateLimiter } from '../adapters/memory/rate-limiter.ts';
import { createRedisStore as openRedisStore } from '../adapters/redis/store.ts';
import { createProcessId, digestOf } from '../adapters/shared/process-id.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { createStorage, storageTables } from '../application/storage/storage.ts';
import { RUN_RETENTION_MS, traceRecords } from '../domain/collections.ts';
import type { HealthProbe } from '../ports/health-probe.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { StoragePorts } from '../ports/ports.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { FireQueue } from '../ports/storage/fire-queue.ts';
import type { RunQueue } from '../ports/storage/run-queue.ts';

/** Options of {@link createRedisStore}. */
export interface RedisStoreOptions {
  /** `redis://` or `rediss://`, credentials included; never logged. */
  readonly url: string;
  /** Prefix of every key; `orchestration:` when absent. */
  readonly prefix?: string;
  /** Timeout of a command, in milliseconds; 500 when absent. */
  readonly timeoutMs?: number;
  /** Nothing is logged when absent. */
  readonly logger?: Logger;
}

/** The requests that a client may make. */
export interface SharedRateLimit {
  /** Requests in a window, 1 or more. */
  readonly limit: number;
  /** Length of the window in seconds, an integer of 1 or more. */
  readonly windowSeconds: number;
}

/** A store that replicas share. Nothing connects before `start`. */
export interface RedisStore {
  /** The ports that store records, for `defaultPorts`. */
  readonly ports: StoragePorts;
  /**
   * Creates a limiter that counts for all replicas, in fixed windows; while the store is unavailable, this process
   * counts alone. Call it before `start`.
   */
  rateLimiter(limit: SharedRateLimit): RateLimiter;
  /**
   * Creates the queue of runs of all processes that share the store, for durable runs. Loads BullMQ. Start it when all
   * tools and agents are registered, and close it after the orchestrator.
   */
  createRunQueue(): Promise<SharedRunQueue>;
  /**
   * Creates the queue that wakes one of the processes that share the store when a schedule is due. Loads BullMQ. Start
   * it before the orchestrator, and close it after it. With the queue of `defaultPorts` in its place, each process
   * wakes itself.
   */
  createFireQueue(): Promise<SharedFireQueue>;
  /** The state of the store, for `createHealth`. */
  readonly probe: HealthProbe;
  /**
   * Starts to connect. Resolves within a second, whether the store is available or not, and retries until it is.
   * Rejects with an error named `RedisStartError` where there are records of version 0.6 that `orchestration-service
   * migrate` has not carried over.
   */
  start(): Promise<void>;
  /** Writes what is buffered, for at most two seconds, deregisters from the other replicas, and disconnects. */
  close(): Promise<void>;
}

/** A queue of runs that processes share. */
export interface SharedRunQueue {
  /** The port, for `defaultPorts`. */
  readonly queue: RunQueue;
  /** Connects, and starts the runs that wait. Resolves when connected, or after a second. */
  start(): Promise<void>;
  /**
   * Starts no more runs and disconnects, after at most two seconds for the runs under way. Those that go on are handed
   * out again as if this process was gone.
   */
  close(): Promise<void>;
}

/** A queue that wakes processes for schedules. */
export interface SharedFireQueue {
  /** The port, for `defaultPorts`. */
  readonly queue: FireQueue;
  /** Connects. Resolves when connected, or after a second. */
  start(): Promise<void>;
  /** Disconnects, after at most two seconds for what is under way. What waits is left to the other processes. */
  close(): Promise<void>;
}

/** Creates a {@link RedisStore}. */
export function createRedisStore(options: RedisStoreOptions): RedisStore {
  const { url, prefix = 'orchestration:', timeoutMs = 500, logger = silentLogger } = options;
  const shared = { url, prefix, timeoutMs, clock: systemClock, logger };
  const redis = openRedisStore({ ...shared, tables: storageTables });
  const storage = createStorage(
    { store: redis.store, clock: systemClock, random: Math.random },
    {
      processId: createProcessId(),
      logger,
      digest: digestOf,
      traceRetentionMs: traceRecords.retentionMs,
      runRetentionMs: RUN_RETENTION_MS,
    },
  );
  return {
    ports: storage.ports,
    rateLimiter(limit) {
      const local = createMemoryRateLimiter(limit);
      return redis.rateLimiter({ ...limit, local });
    },
    async createRunQueue() {
      const { createBullmqRunQueue } = await import('../adapters/redis/bullmq.ts');
      return createBullmqRunQueue(shared);
    },
    async createFireQueue() {
      const { createBullmqFireQueue } = await import('../adapters/redis/bullmq.ts');
      return createBullmqFireQueue(shared);
    },
    probe: redis.probe,
    start: redis.start,
    async close() {
      await storage.close();
      await redis.close();
    },
  };
}
