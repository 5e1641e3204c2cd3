import type { EventSink } from '../../domain/events.ts';
import { type InboxItem, isWaiting, priorities, waitingStatuses } from '../../domain/inbox/item.ts';
import { type InboxCounts, rankOf } from '../../domain/inbox/order.ts';
import { createRunningRuns } from '../../domain/run/running-runs.ts';
import { countEvent } from '../../domain/stats/count-event.ts';
import type { Counter } from '../../domain/stats/counters.ts';
import { escalatedShare, type Series, seriesOf, spanOf, type TimeSpan } from '../../domain/stats/series.ts';
import type { Ports } from '../../ports/ports.ts';
import { createReportFailures, type FailureReport } from './failures.ts';

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
