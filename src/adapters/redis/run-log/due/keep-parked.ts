import type { Connection } from '../../client/connection.ts';
import type { Keys } from '../../keys.ts';

/** Maximum number of runs that one command looks at. */
const BATCH = 100;

/** Maximum number of commands of one search; the next one goes on. */
const MAX_COMMANDS = 100;

/** What {@link keepParked} needs. */
export interface KeepParkedParts {
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'run'>;
  /** Retention of runs, in milliseconds. */
  readonly retentionMs: number;
}

/**
 * Keeps the runs that wait from expiring. Each is looked at soon after it was parked, and then four times in one
 * retention, so that it is kept for at least three quarters of it while no replica runs. Rejects with `StoreError`.
 */
export async function keepParked({ keys, connection, retentionMs }: KeepParkedParts): Promise<void> {
  const prefixes = [keys.runs, keys.events, keys.definitions, keys.runIndices, keys.customerRuns];
  const values = [String(retentionMs), String(BATCH), ...prefixes];
  for (let command = 0, found = BATCH; found === BATCH && command < MAX_COMMANDS; command++) {
    found = await connection.run('EVALSHA', (client) =>
      client.keepParkedRuns([keys.parked, keys.allRuns], values),
    );
  }
}
