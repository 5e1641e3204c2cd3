import {
  addCounts,
  type CounterGroup,
  type Counts,
  countOf,
  type GroupCounter,
  latenciesOf,
  type MinuteCounts,
  noCounts,
  type Percentiles,
  percentilesOf,
} from './counters.ts';

/** The counters of some time, by groups, and the latencies of messages. */
export type Tally = {
  readonly [G in CounterGroup]: { readonly [C in GroupCounter<G>]: number };
} & { readonly latencyMs: Percentiles };

/** The counters of one step of a series. */
export interface SeriesPoint extends Tally {
  /** When the step begins, in milliseconds since the epoch. */
  readonly at: number;
}

/** A stretch of time of steps of the same length. All in milliseconds, since the epoch or of duration. */
export interface TimeSpan {
  readonly from: number;
  /** The end of the last step. */
  readonly until: number;
  readonly stepMs: number;
}

/** The span of a window whose last step is the one that contains `now`. Steps begin at multiples of their length. */
export function spanOf(now: number, windowMs: number, stepMs: number): TimeSpan {
  const until = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: until - windowMs, until, stepMs };
}

/** A series, and what its steps are together. */
export interface Series {
  readonly points: readonly SeriesPoint[];
  readonly totals: Tally;
}

/** The series of a span. Minutes outside of it are ignored; of several of the same minute, the counts are added. */
export function seriesOf(minutes: readonly MinuteCounts[], { from, until, stepMs }: TimeSpan): Series {
  const steps = Array.from({ length: Math.round((until - from) / stepMs) }, noCounts);
  const all = noCounts();
  for (const { at, counts } of minutes) {
    const step = steps[Math.floor((at - from) / stepMs)];
    if (step === undefined) continue;
    addCounts(step, counts);
    addCounts(all, counts);
  }
  const points = steps.map((counts, index) => ({ at: from + index * stepMs, ...tallyOf(counts) }));
  return { points, totals: tallyOf(all) };
}

/** Counts by groups. */
export function tallyOf(counts: Counts): Tally {
  return {
    messages: {
      answered: countOf(counts, 'messages.answered'),
      escalated: countOf(counts, 'messages.escalated'),
      no_reply: countOf(counts, 'messages.no_reply'),
      draft: countOf(counts, 'messages.draft'),
      failed: countOf(counts, 'messages.failed'),
    },
    latencyMs: percentilesOf(latenciesOf(counts)),
    runs: {
      started: countOf(counts, 'runs.started'),
      completed: countOf(counts, 'runs.completed'),
      failed: countOf(counts, 'runs.failed'),
      cancelled: countOf(counts, 'runs.cancelled'),
    },
    steps: { failed: countOf(counts, 'steps.failed') },
    tools: {
      calls: countOf(counts, 'tools.calls'),
      errors: countOf(counts, 'tools.errors'),
      not_found: countOf(counts, 'tools.not_found'),
    },
    routes: {
      completed: countOf(counts, 'routes.completed'),
      partial: countOf(counts, 'routes.partial'),
      failed: countOf(counts, 'routes.failed'),
    },
    inbox: {
      opened: countOf(counts, 'inbox.opened'),
      resolved: countOf(counts, 'inbox.resolved'),
      expired: countOf(counts, 'inbox.expired'),
      withdrawn: countOf(counts, 'inbox.withdrawn'),
      overdue: countOf(counts, 'inbox.overdue'),
    },
  };
}

/**
 * The share of messages that were handed to a person without a reply to the customer's question: escalated and failed
 * ones. Null without messages.
 */
export function escalatedShare({ messages }: Pick<Tally, 'messages'>): number | null {
  const { answered, escalated, no_reply: noReply, draft, failed } = messages;
  const total = answered + escalated + noReply + draft + failed;
  return total === 0 ? null : (escalated + failed) / total;
}
