import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RateDecision, RateLimiter } from '../../ports/rate-limiter.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import type { Connection } from './client/connection.ts';
import { toStoreError } from './client/errors.ts';
import type { Keys } from './keys.ts';

/** Options of {@link createRedisRateLimiter}. */
export interface RedisRateLimiterOptions {
  /** Requests that one client may make in a window, 1 or more. */
  readonly limit: number;
  /** Length of the window in seconds, an integer of 1 or more. */
  readonly windowSeconds: number;
  /** Decides while the store is unavailable. It also counts the requests that the store admits, so that it can take over. */
  readonly local: RateLimiter;
  /** Called for every request that `local` decided on. Must not throw. */
  readonly onFallback?: (() => void) | undefined;
}

/** Maximum time that a request waits for the store, in milliseconds. */
const TIMEOUT_MS = 80;

/** Time after a failure in which the store is not used, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

/**
 * Creates a limiter with a fixed window per client, counted in the store for all replicas together. While the store is
 * unavailable or slow, the local limiter decides.
 */
export function createRedisRateLimiter(
  options: RedisRateLimiterOptions,
  keys: Keys,
  connection: Pick<Connection, 'run' | 'state'>,
  { clock, logger }: { readonly clock: Pick<Clock, 'monotonic'>; readonly logger: Logger },
): RateLimiter {
  const { limit, windowSeconds, local, onFallback } = options;
  // Redis removes a key only once more than its time has passed, hence one millisecond less.
  const values = [String(limit), String(windowSeconds * 1_000 - 1)];
  const warn = createThrottledLog(logger, clock, 'requests are limited by this process alone');
  let retryAt = Number.NEGATIVE_INFINITY;

  async function decideInStore(key: string): Promise<RateDecision> {
    const { count, remainingMs } = await connection.run(
      'EVALSHA',
      (client) => client.countRequest([keys.rates + key], values),
      TIMEOUT_MS,
    );
    return {
      admitted: count <= limit,
      limit,
      remaining: Math.max(limit - count, 0),
      resetSeconds: Math.ceil((remainingMs + 1) / 1_000),
      windowSeconds,
    };
  }

  async function decideLocally(key: string, reason: string): Promise<RateDecision> {
    warn({ reason });
    onFallback?.();
    return local.consume(key);
  }

  return {
    async consume(key) {
      if (connection.state === 'disconnected' || clock.monotonic() < retryAt)
        return decideLocally(key, 'DISCONNECTED');
      try {
        const decision = await decideInStore(key);
        if (decision.admitted) void local.consume(key);
        return decision;
      } catch (error) {
        retryAt = clock.monotonic() + RETRY_AFTER_MS;
        return decideLocally(key, toStoreError(error).reason);
      }
    },
  };
}
