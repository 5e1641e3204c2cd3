import type { EventSink } from '../../domain/events.ts';
import { type InboxItem, isWaiting, priorities, waitingStatuses } from '../../domain/inbox/item.ts';
import { type InboxCounts, rankOf } from '../../domain/inbox/order.ts';
import { createRunningRuns } from '../../domain/run/running-runs.ts';
import { countEvent } from '../../domain/stats/count-event.ts';
import type { Counter } from '../../domain/stats/counters.ts';
import {
  type FailedRun,
  type FailureGroup,
  groupFailures,
  MAX_FAILURE_GROUPS,
} from '../../domain/stats/failures.ts';
import { escalatedShare, type Series, seriesOf, spanOf, type TimeSpan } from '../../domain/stats/series.ts';
import type { Ports } from '../../ports/ports.ts';

/** The time that is asked for: both in milliseconds, whole minutes, and the window a multiple of the step. */
export interface StatsRequest {
  /** At most 24 hours. */
  readonly windowMs: number;
  readonly stepMs: number;
}

/** The statistics of the whole service in a window, and its state now. Times are milliseconds since the epoch. */
export interface StatsReport extends TimeSpan, Series {
  /** Null without messages. */
  readonly escalatedShare: number | null;
  readonly now: {
    readonly at: number;
    /** Runs that run, and background runs that wait for their start. */
    readonly runs: { readonly running: number; readonly waiting: number };
    readonly inbox: InboxCounts;
  };
  readonly needs: {
    /** Items that wait and are overdue, and when the oldest of them was opened. */
    readonly overdue: { readonly count: number; readonly oldestOpenedAt: number | null };
    /** FAILED runs that were created in the window. */
    readonly failures: FailureReport;
  };
}

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

/** The counters of the service. */
export interface Stats {
  /**
   * Reads a window whose last step is the running one. Rejects with `unavailable` when a store cannot be reached. With
   * a store that processes share, what others have counted may be missing for up to five seconds.
   */
  read(request: StatsRequest): Promise<StatsReport>;
  /**
   * The number of background runs that wait for their start, in all processes that share the queue; as it was lately
   * where the queue cannot be read.
   */
  waitingRuns(): Promise<number>;
}

type StatsPorts = Pick<Ports, 'clock' | 'stats' | 'runs' | 'runQueue' | 'inbox'>;

/** Creates the counters, and the sink of the events that they count. */
export function createStats(ports: StatsPorts): Stats & { readonly sink: EventSink } {
  const { clock, stats, runQueue, inbox } = ports;
  const reportFailures = createReportFailures(ports);
  const add = (counter: Counter): void => stats.add(clock.now(), counter);
  const running = createRunningRuns();
  return {
    sink(event) {
      countEvent(event, add);
      const before = running.size;
      running.follow(event);
      if (running.size !== before) stats.setRunning(running.size);
    },
    waitingRuns: () => runQueue.depth(),
    async read({ windowMs, stepMs }) {
      const at = clock.now();
      const span = spanOf(at, windowMs, stepMs);
      const [reading, waiting, counts, failures] = await Promise.all([
        stats.read(span.from, span.until),
        runQueue.depth(),
        inbox.counts(),
        reportFailures(span.from, windowMs),
      ]);
      const oldestOpenedAt = counts.overdue === 0 ? null : await oldestOverdue(inbox);
      const series = seriesOf(reading.minutes, span);
      return {
        ...span,
        ...series,
        escalatedShare: escalatedShare(series.totals),
        now: { at, runs: { running: reading.running, waiting }, inbox: counts },
        needs: { overdue: { count: counts.overdue, oldestOpenedAt }, failures },
      };
    },
  };
}

/** When the oldest overdue item was opened: overdue items stand first, by priority and then the oldest first. */
async function oldestOverdue(inbox: Pick<Ports['inbox'], 'list'>): Promise<number | null> {
  const firsts = await Promise.all(
    priorities.map(async (priority): Promise<InboxItem | undefined> => {
      const rank = rankOf({ isOverdue: true, priority, openedAt: new Date(0).toISOString(), endedAt: null });
      const page = await inbox.list({ statuses: waitingStatuses }, { limit: 1, after: { rank, itemId: '' } });
      return page.items[0];
    }),
  );
  const times = firsts.flatMap((item) =>
    item?.isOverdue === true && isWaiting(item) ? [Date.parse(item.openedAt)] : [],
  );
  return times.length === 0 ? null : Math.min(...times);
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

/**
 * Creates the function that reports the FAILED runs which were created since a time, or rejects with `unavailable`.
 * Reports of the same window may be up to four seconds old.
 */
function createReportFailures({ runs, clock }: Pick<Ports, 'runs' | 'clock'>) {
  let latest:
    | { readonly windowMs: number; readonly at: number; readonly report: Promise<FailureReport> }
    | undefined;

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

  return async (since: number, windowMs: number): Promise<FailureReport> => {
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
