import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../ports/clock.ts';
import { numberOf } from './rows.ts';

/** The numbers that order records. Each is the time at which a record was stored first, in microseconds, or a little more. */
export interface Positions {
  /** A number that is larger than all before. */
  nextPosition(): number;
  /** The largest position of records that have expired after `retentionMs` milliseconds. */
  expiredUpTo(retentionMs: number): number;
}

const tables = [
  ...['traces', 'workflows', 'routes', 'runs', 'removed_runs'],
  ...['items', 'conversations', 'entries', 'examples', 'schedules'],
];

/** Creates {@link Positions} that go on after the last one in the file, also when the clock was set back. */
export function createPositions(database: DatabaseSync, clock: Pick<Clock, 'now'>): Positions {
  const found = tables.map((table) => {
    const row = database.prepare(`SELECT coalesce(max(position), 0) AS last FROM ${table}`).get();
    return numberOf(row, 'last');
  });
  let last = Math.max(...found);
  return {
    nextPosition() {
      last = Math.max(last + 1, clock.now() * 1_000);
      return last;
    },
    expiredUpTo: (retentionMs) => (clock.now() - retentionMs) * 1_000,
  };
}
