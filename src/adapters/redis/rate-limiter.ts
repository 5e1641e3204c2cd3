import type { Awaitable } from '../../lib/async/awaitable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RateDecision, RateLimiter } from '../../ports/rate-limiter.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import type { Connection } from './client/connection.ts';
import { toFault } from './client/errors.ts';
import { asList, asNumber } from './client/replies.ts';
import { runScript } from './client/script-runner.ts';
import { script } from './client/scripts.ts';
import type { Keys } from './keys.ts';

export interface RedisRateLimiterOptions {
  /** Requests that one client may make in a window, 1 or more. */
  readonly limit: number;
  /** Length of the window in whole seconds, 1 or more. */
  readonly windowSeconds: number;
  /** Decides while the store does not; it is told of every request that passes, so that it knows where to go on. */
  readonly local: RateLimiter;
  /** Told of every request that the local limiter decided on. Must not throw. */
  readonly onFallback?: (() => void) | undefined;
}

/** The longest that a request may wait for the store, in milliseconds: less than the 100 that it may cost. */
const WAIT_MS = 80;

/** How long the store is not asked again after it failed, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * KEYS: counter. ARGV: limit, window in milliseconds. Answers the count with this request, and how many milliseconds
 * are left. Counting and expiry are one step; a counter found without an expiry begins anew.
 */
const countRequest = script(`
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
if left <= 0 then
  redis.call('SET', KEYS[1], 1, 'PX', window)
  return { 1, window }
end
if left > window then
  redis.call('PEXPIRE', KEYS[1], window)
  left = window
end
if tonumber(redis.call('GET', KEYS[1])) >= limit then return { limit + 1, left } end
return { redis.call('INCR', KEYS[1]), left }
`);

/**
 * A fixed window per client, counted in the store for all processes together. While the store is away, slow or
 * answers with an error, the local limiter decides instead.
 */
export function createRedisRateLimiter(
  options: RedisRateLimiterOptions,
  keys: Keys,
  connection: Pick<Connection, 'send' | 'state'>,
  clock: Pick<Clock, 'monotonic'>,
  logger: Logger,
): RateLimiter {
  const { limit, windowSeconds, local, onFallback } = options;
  // A key goes once more than its time has passed, hence one millisecond less.
  const values = [String(limit), String(windowSeconds * 1_000 - 1)];
  const warn = createThrottledLog(logger, clock, 'requests are limited by each process for itself');
  let askAgainAt = Number.NEGATIVE_INFINITY;

  async function ask(key: string): Promise<RateDecision> {
    const reply = await runScript(connection.send, countRequest, [keys.rates + key], values, WAIT_MS);
    const [counted, left] = asList(reply);
    const count = asNumber(counted);
    const leftMs = asNumber(left);
    const resetSeconds = Math.ceil((leftMs + 1) / 1_000);
    return {
      admitted: count <= limit,
      limit,
      remaining: Math.max(limit - count, 0),
      resetSeconds,
      windowSeconds,
    };
  }

  function decideHere(key: string, reason: string): Awaitable<RateDecision> {
    warn({ reason });
    onFallback?.();
    return local.consume(key);
  }

  return {
    async consume(key) {
      if (connection.state === 'away' || clock.monotonic() < askAgainAt) return decideHere(key, 'AWAY');
      try {
        const decision = await ask(key);
        if (decision.admitted) local.consume(key);
        return decision;
      } catch (error) {
        askAgainAt = clock.monotonic() + PAUSE_MS;
        return decideHere(key, toFault(error).reason);
      }
    },
  };
}
