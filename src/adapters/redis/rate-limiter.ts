import type { WindowCounter } from '../shared/shared-rate-limiter.ts';
import type { Connection } from './connection.ts';
import { toStoreError } from './replies.ts';

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
