import type { WindowCount, WindowCounter } from '../shared/shared-rate-limiter.ts';
import type { Connection } from './client/connection.ts';
import { toStoreError } from './client/errors.ts';
import { asArray, asNumber } from './client/replies.ts';
import { luaScript } from './client/scripts.ts';

/** The commands of the rate limiter. */
export const rateLimitScripts = {
  /**
   * KEYS: counter. ARGV: limit, window in milliseconds. Counting and expiry are one step; a counter without an expiry
   * starts again. A request over the limit is not counted: its `count` is limit + 1.
   */
  countRequest: luaScript(
    1,
    [
      `
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local remaining = redis.call('PTTL', KEYS[1])
if remaining <= 0 then
  redis.call('SET', KEYS[1], 1, 'PX', window)
  return { 1, window }
end
if remaining > window then
  redis.call('PEXPIRE', KEYS[1], window)
  remaining = window
end
if tonumber(redis.call('GET', KEYS[1])) >= limit then return { limit + 1, remaining } end
return { redis.call('INCR', KEYS[1]), remaining }
`,
    ],
    (reply): WindowCount => {
      const [count, remainingMs] = asArray(reply);
      return { count: asNumber(count), remainingMs: asNumber(remainingMs) };
    },
  ),
};

/** Creates the counter of requests in Redis: at most `limit` of each client in a window of `windowSeconds`. */
export function createRedisWindowCounter(
  { limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number },
  prefix: string,
  connection: Pick<Connection, 'run' | 'state'>,
): WindowCounter {
  // Redis removes a key only once more than its time has passed, hence one millisecond less.
  const values = [String(limit), String(windowSeconds * 1_000 - 1)];
  return {
    isAway: () => connection.state === 'disconnected',
    count: (key, timeoutMs) =>
      connection.run(
        'count_request',
        (client) => client.countRequest([`${prefix}rate:${key}`], values),
        timeoutMs,
      ),
    reasonOf: (error) => toStoreError(error).reason,
  };
}
