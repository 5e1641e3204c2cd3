import type { Clock } from '../../ports/clock.ts';
import type { Connection, RedisClient } from './connection.ts';
import { StoreError } from './replies.ts';
import { STALE } from './scripts.ts';

/** Number of the last observations of the store's time that are used: the clocks may drift, or be set. */
const OBSERVATIONS = 10;

/** Writes that are not applied after their caller has received a timeout, even when a frozen store continues later. */
export interface FencedWrites {
  /**
   * Runs the fenced script that `command` calls; `deadline` must be its first value, `operation` names it in spans.
   * Rejects with `StoreError` like `Connection.run`.
   */
  run<T>(
    operation: string,
    command: (client: RedisClient, deadline: string) => Promise<T | typeof STALE>,
  ): Promise<Exclude<T, typeof STALE>>;
  /**
   * Records the store's time in milliseconds, received at the time `receivedAt` of this process's monotonic clock.
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
   * The deadline in microseconds of the store's time; 0 for none. Each observed offset is a lower bound, because the
   * reply took time to arrive; so the highest is the best, and the deadline is never later than the timeout.
   */
  function deadline(): string {
    if (offsets.length === 0) return '0';
    return String(Math.floor((clock.monotonic() + Math.max(...offsets) + timeoutMs) * 1_000));
  }

  return {
    async run<T>(
      operation: string,
      command: (client: RedisClient, deadline: string) => Promise<T | typeof STALE>,
    ) {
      const attempt = () => connection.run(operation, (client) => command(client, deadline()));
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
