import type { RunLog } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../connection.ts';
import { numberOf, textOf } from '../rows.ts';
import type { Claims } from './claims.ts';
import type { RunRows } from './run-rows.ts';

/** The members of a run log by which runs are found that somebody must look at. */
export type DueRuns = Pick<RunLog, 'due' | 'clearWake'>;

/** Size of a small write, in bytes. */
const ROW_BYTES = 64;

/** Creates {@link DueRuns}. Expired runs are not shown: see `createRunRows`. */
export function createDueRuns(
  { prepare, read, write, expiredUpTo }: Connection,
  rows: Pick<RunRows, 'find' | 'setWake'>,
  claims: Pick<Claims, 'has' | 'size'>,
  retentionMs: number,
): DueRuns {
  const findDue = prepare(`SELECT run_id, wake_at FROM runs WHERE wake_at < ?1
    AND (status = 'WAITING' OR (ended = 1 AND (position > ?2 OR kept_from > ?2)))
    ORDER BY wake_at, position LIMIT ?3`);
  return {
    async due(before, limit) {
      // A claim writes nothing, so that the rows of claimed runs are found too.
      const found = read(() => findDue.all(before, expiredUpTo(retentionMs), limit + claims.size));
      const runs = found.map((row) => ({ runId: textOf(row, 'run_id'), wakeAt: numberOf(row, 'wake_at') }));
      return runs.filter(({ runId }) => !claims.has(runId)).slice(0, limit);
    },
    async clearWake(runId) {
      await write(() => {
        const row = rows.find(runId);
        if (row !== undefined && row['ended'] === 1) rows.setWake(row, null);
      }, ROW_BYTES);
    },
  };
}
