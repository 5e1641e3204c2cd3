import type { Clock } from '../../ports/clock.ts';
import type { WindowCounter } from '../shared/shared-rate-limiter.ts';
import type { Connection } from './connection.ts';
import { toQueryError } from './errors.ts';
import { encodeIndexText, type Layout } from './layout.ts';

/** Milliseconds between two removals of windows that have ended. */
const REMOVE_EVERY_MS = 60_000;

/**
 * Creates the counter of requests in PostgreSQL: at most `limit` of each client in a window of `windowSeconds`. Its
 * table is not logged: a crash of the server may empty it.
 */
export function createPostgresWindowCounter(
  { limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number },
  { rates }: Layout,
  connection: Pick<Connection, 'run' | 'state' | 'now'>,
  clock: Pick<Clock, 'monotonic'>,
): WindowCounter {
  const windowMs = windowSeconds * 1_000;
  const isOver = 'r.ends_at <= $2::bigint';
  const ends = `$2::bigint + $3::bigint`;
  const count = `INSERT INTO ${rates} AS r (client, count, ends_at) VALUES ($1, 1, ${ends})
    ON CONFLICT (client) DO UPDATE SET
      count = CASE WHEN ${isOver} THEN 1 ELSE least(r.count + 1, $4::int + 1) END,
      ends_at = CASE WHEN ${isOver} THEN ${ends} ELSE least(r.ends_at, ${ends}) END
    RETURNING count, ends_at - $2::bigint`;
  let removedAt = clock.monotonic();

  function removeSome(now: number): void {
    if (clock.monotonic() - removedAt < REMOVE_EVERY_MS) return;
    removedAt = clock.monotonic();
    const statement = { text: `DELETE FROM ${rates} WHERE ends_at <= $1`, values: [now] };
    // The next removal finds what this one has left.
    void connection.run('remove_rates', statement).catch(() => undefined);
  }

  return {
    isAway: () => connection.state === 'disconnected',
    async count(key, timeoutMs) {
      const now = Math.floor(connection.now());
      removeSome(now);
      const statement = { text: count, values: [encodeIndexText(key), now, windowMs, limit] };
      const [row] = await connection.run('count_request', statement, timeoutMs);
      // The millisecond in which it ends is not over.
      return { count: Number(row?.[0]), remainingMs: Number(row?.[1]) - 1 };
    },
    reasonOf: (error) => toQueryError(error).reason,
  };
}
