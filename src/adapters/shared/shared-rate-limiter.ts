import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RateDecision, RateLimiter } from '../../ports/rate-limiter.ts';
import { createThrottledLog } from './throttled-log.ts';

/** Options of a limiter that all processes share. */
export interface SharedRateLimiterOptions {
  /** Requests that one client may make in a window, 1 or more. */
  readonly limit: number;
  /** Length of the window in seconds, an integer of 1 or more. */
  readonly windowSeconds: number;
  /**
   * Decides while the store is unavailable. It also counts the requests that the store admits, so that it can take
   * over.
   */
  readonly local: RateLimiter;
  /** Called for every request that `local` decided on. Must not throw. */
  readonly onFallback?: (() => void) | undefined;
}

/** The count of a client's requests in its window, and the milliseconds until the window ends. */
export interface WindowCount {
  /** More than the limit where the request is not admitted. */
  readonly count: number;
  readonly remainingMs: number;
}

/** A store that counts. */
export interface WindowCounter {
  /** True while the store is known to be away. */
  isAway(): boolean;
  /** Counts a request of a client, unless it has made all that it may. Rejects where that takes longer than a while. */
  count(key: string, timeoutMs: number): Promise<WindowCount>;
  /** One safe word about an error of `count`. */
  reasonOf(error: unknown): string;
}

/** Maximum time that a request waits for the store, in milliseconds. */
const TIMEOUT_MS = 80;

/** Time after a failure in which the store is not used, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

/**
 * Creates a limiter with a fixed window per client, counted in a store for all processes together. While the store is
 * unavailable or slow, the local limiter decides.
 */
export function createSharedRateLimiter(
  { limit, windowSeconds, local, onFallback }: SharedRateLimiterOptions,
  counter: WindowCounter,
  { clock, logger }: { readonly clock: Pick<Clock, 'monotonic'>; readonly logger: Logger },
): RateLimiter {
  const warn = createThrottledLog(logger, clock, 'requests are limited by this process alone');
  let retryAt = Number.NEGATIVE_INFINITY;

  async function decideInStore(key: string): Promise<RateDecision> {
    const { count, remainingMs } = await counter.count(key, TIMEOUT_MS);
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
      if (counter.isAway() || clock.monotonic() < retryAt) return decideLocally(key, 'DISCONNECTED');
      try {
        const decision = await decideInStore(key);
        if (decision.admitted) void local.consume(key);
        return decision;
      } catch (error) {
        retryAt = clock.monotonic() + RETRY_AFTER_MS;
        return decideLocally(key, counter.reasonOf(error));
      }
    },
  };
}
