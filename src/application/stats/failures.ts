import {
  type FailedRun,
  type FailureGroup,
  groupFailures,
  MAX_FAILURE_GROUPS,
} from '../../domain/stats/failures.ts';
import type { Ports } from '../../ports/ports.ts';

/** The failed runs of a window. */
export interface FailureReport {
  /** Failed runs that were found. */
  readonly count: number;
  /** The largest groups, at most 20. */
  readonly groups: readonly FailureGroup[];
  /** True where there are more failed runs than were read, or more groups. */
  readonly isTruncated: boolean;
  /** Those that gave up, because their process was lost too often while a step was under way. */
  readonly parked: { readonly count: number; readonly runIds: readonly string[] };
}

/** Most failed runs that are read. */
const MAX_RUNS = 1_000;

/** Most pages that are read: those of a store that searches long may have few runs. */
const MAX_PAGES = 10;

const PAGE_SIZE = 200;

/** Most ids of parked runs. */
const MAX_IDS = 5;

/** For so many milliseconds a report is given again, because it takes longer than all else. */
const REUSE_MS = 4_000;

/** Reports the FAILED runs that were created since a time. Rejects with `unavailable`. */
export type ReportFailures = (since: number, windowMs: number) => Promise<FailureReport>;

interface LatestReport {
  readonly windowMs: number;
  /** Of the monotonic clock. */
  readonly at: number;
  readonly report: Promise<FailureReport>;
}

/** Creates that function. Reports of the same window may be up to four seconds old. */
export function createReportFailures({ runs, clock }: Pick<Ports, 'runs' | 'clock'>): ReportFailures {
  let latest: LatestReport | undefined;

  async function find(since: number): Promise<FailureReport> {
    const found: FailedRun[] = [];
    let cursor: number | null | undefined;
    for (let pages = 0; pages < MAX_PAGES && found.length < MAX_RUNS && cursor !== null; pages++) {
      const page = await runs.listAll({ statuses: ['FAILED'], since }, { limit: PAGE_SIZE, cursor });
      for (const { runId, workflowId, workflowName, error, gaveUp, createdAt, completedAt } of page.items) {
        found.push({ runId, workflowId, workflowName, error, gaveUp, createdAt, completedAt });
      }
      cursor = page.nextCursor;
    }
    const isMore = found.length > MAX_RUNS || (cursor !== null && cursor !== undefined);
    found.length = Math.min(found.length, MAX_RUNS);
    const groups = groupFailures(found);
    const parked = found.filter(({ gaveUp }) => gaveUp === true);
    return {
      count: found.length,
      groups: groups.slice(0, MAX_FAILURE_GROUPS),
      isTruncated: isMore || groups.length > MAX_FAILURE_GROUPS,
      parked: { count: parked.length, runIds: parked.slice(0, MAX_IDS).map(({ runId }) => runId) },
    };
  }

  return async (since, windowMs) => {
    const at = clock.monotonic();
    if (latest?.windowMs === windowMs && at - latest.at < REUSE_MS) return latest.report;
    const report = find(since);
    latest = { windowMs, at, report };
    report.catch(() => {
      // Those who ask next try again.
      if (latest?.report === report) latest = undefined;
    });
    return report;
  };
}
