import type { Clock } from '../../../ports/clock.ts';
import type { RedisClient } from './client.ts';
import type { Connection } from './connection.ts';
import { StoreError } from './errors.ts';
import { STALE } from './scripts.ts';

/** How many observations of the store's time are kept: the clocks may drift, or be set. */
const OBSERVATIONS = 10;

/** Writes that do not happen after their caller has received a timeout, even where a frozen store continues later. */
export interface FencedWrites {
  /**
   * Runs the fenced script that `command` calls; `deadline` must be its first value. Rejects with `StoreError`, as
   * `Connection.run`.
   */
  run<T>(
    command: (client: RedisClient, deadline: string) => Promise<T | typeof STALE>,
  ): Promise<Exclude<T, typeof STALE>>;
  /**
   * Records the store's time in milliseconds, which was received at `receivedAt` by this process's monotonic clock.
   * Without any observation writes have no deadline.
   */
  observeTime(storeMs: number, receivedAt: number): void;
}

/** Creates {@link FencedWrites} whose deadline is `timeoutMs` milliseconds after they are sent. */
export function createFencedWrites(
  connection: Pick<Connection, 'run' | 'checkNow'>,
  clock: Pick<Clock, 'monotonic'>,
  timeoutMs: number,
): FencedWrites {
  const offsets: number[] = [];

  /**
   * In microseconds of the store's time, 0 for none. Each observed offset is a lower bound, because the reply was
   * under way; so the highest is the best, and the deadline is never later than the moment of the timeout.
   */
  function deadline(): string {
    if (offsets.length === 0) return '0';
    return String(Math.floor((clock.monotonic() + Math.max(...offsets) + timeoutMs) * 1_000));
  }

  return {
    async run<T>(command: (client: RedisClient, deadline: string) => Promise<T | typeof STALE>) {
      const attempt = () => connection.run('EVALSHA', (client) => command(client, deadline()));
      let reply = await attempt();
      if (reply === STALE) {
        // Either the store was slow, or its clock was set: the check observes its time again.
        await connection.checkNow();
        reply = await attempt();
      }
      if (reply === STALE) throw new StoreError('timeout', STALE);
      return reply as Exclude<T, typeof STALE>;
    },
    observeTime(storeMs, receivedAt) {
      offsets.push(storeMs - receivedAt);
      if (offsets.length > OBSERVATIONS) offsets.shift();
    },
  };
}
