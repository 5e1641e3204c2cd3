/** Records and rate limits that replicas share, in Redis or Valkey. */

import { createMemoryRateLimiter } from '../adapters/memory/rate-limiter.ts';
import { createRedisAdapters } from '../adapters/redis/adapters.ts';
import { redisStorage } from '../adapters/redis/storage.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { RUN_RETENTION_MS } from '../domain/collections.ts';
import type { HealthProbe } from '../ports/health-probe.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { StoragePorts } from '../ports/ports.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';

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
  /** The state of the store, for `createHealth`. */
  readonly probe: HealthProbe;
  /** Starts to connect. Resolves within a second, whether the store is available or not, and retries until it is. */
  start(): Promise<void>;
  /** Writes what is buffered, for at most two seconds, deregisters from the other replicas, and disconnects. */
  close(): Promise<void>;
}

/** Creates a {@link RedisStore}. */
export function createRedisStore(options: RedisStoreOptions): RedisStore {
  const redis = createRedisAdapters({
    url: options.url,
    prefix: options.prefix ?? 'orchestration:',
    timeoutMs: options.timeoutMs ?? 500,
    runRetentionMs: RUN_RETENTION_MS,
    clock: systemClock,
    logger: options.logger ?? silentLogger,
  });
  return {
    ports: redisStorage(redis),
    rateLimiter(limit) {
      const local = createMemoryRateLimiter(limit);
      return redis.rateLimiter({ ...limit, local });
    },
    probe: redis.probe,
    start: redis.start,
    close: redis.close,
  };
}
