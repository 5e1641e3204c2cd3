import { truncate } from '../../lib/text/truncate.ts';
import type { RunSummary } from '../run/run.ts';

/** The failed runs of one workflow that have the same cause. */
export interface FailureGroup {
  readonly workflowId: string;
  readonly workflowName: string;
  /** The error of the newest of them, of at most 200 characters. */
  readonly error: string;
  readonly count: number;
  /** When the first and the last of them failed: ISO 8601. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** The ids of the newest ones, newest first. */
  readonly runIds: readonly string[];
}

/** The facts about a failed run. */
export type FailedRun = Pick<
  RunSummary,
  'runId' | 'workflowId' | 'workflowName' | 'error' | 'gaveUp' | 'createdAt' | 'completedAt'
>;

/** Most groups. */
export const MAX_FAILURE_GROUPS = 20;

/** Most ids of each group. */
const MAX_IDS = 5;

const MAX_ERROR_LENGTH = 200;

/** Groups failed runs, given newest first: the largest groups first, and of equal ones the one that failed last. */
export function groupFailures(runs: readonly FailedRun[]): readonly FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const run of runs) {
    const { runId, workflowId, workflowName } = run;
    const error = truncate(run.error ?? '', MAX_ERROR_LENGTH);
    const at = run.completedAt ?? run.createdAt;
    const key = JSON.stringify([workflowId, causeOf(error)]);
    const group = groups.get(key);
    if (group === undefined) {
      const times = { firstAt: at, lastAt: at };
      groups.set(key, { workflowId, workflowName, error, count: 1, ...times, runIds: [runId] });
    } else {
      groups.set(key, {
        ...group,
        count: group.count + 1,
        firstAt: at < group.firstAt ? at : group.firstAt,
        lastAt: at > group.lastAt ? at : group.lastAt,
        runIds: group.runIds.length < MAX_IDS ? [...group.runIds, runId] : group.runIds,
      });
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || compare(b.lastAt, a.lastAt));
}

/** An error without what differs from run to run: ids, and numbers of more digits than a status code. */
function causeOf(error: string): string {
  return error.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4,}/gi, '#');
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
