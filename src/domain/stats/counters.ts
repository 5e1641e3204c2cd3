import { routingStatuses } from '../routing/routing.ts';

/** Buckets of latencies: enough for latencies of more than a day, which longer ones are read as. */
export const LATENCY_BUCKETS = 136;

/** The counters, by groups. Stores and clients know these names: they never change their meaning. */
export const counterGroups = {
  /** Ended messages, each once: those that failed, and the others by what is to happen with the reply. */
  messages: ['answered', 'escalated', 'no_reply', 'draft', 'failed'],
  /** Workflow runs: attempts that began to run their steps, and their ends. */
  runs: ['started', 'completed', 'failed', 'cancelled'],
  /** Ends of workflow steps. */
  steps: ['failed'],
  /** Calls of tools, whoever asked for them, and those of them that failed or found nothing. */
  tools: ['calls', 'errors', 'not_found'],
  /** Routed goals by their status. */
  routes: routingStatuses,
  /** Items of the inbox; `resolved` by a person, `withdrawn` because their subject is gone. */
  inbox: ['opened', 'resolved', 'expired', 'withdrawn', 'overdue'],
} as const;

/** The name of a group of counters. */
export type CounterGroup = keyof typeof counterGroups;

/** The counters of a group. */
export type GroupCounter<G extends CounterGroup> = (typeof counterGroups)[G][number];

/** The name of a counter: one of a group, or of a bucket of the latencies of messages. */
export type Counter =
  | { readonly [G in CounterGroup]: `${G}.${GroupCounter<G>}` }[CounterGroup]
  | `latency.${number}`;

/** The counters of the buckets of latencies. */
export const latencyCounters: readonly Counter[] = Array.from(
  { length: LATENCY_BUCKETS },
  (_, bucket) => `latency.${bucket}` as const,
);

/** All counters, in the order of {@link Counts}. */
export const counters: readonly Counter[] = [
  ...namesOf('messages'),
  ...namesOf('runs'),
  ...namesOf('steps'),
  ...namesOf('tools'),
  ...namesOf('routes'),
  ...namesOf('inbox'),
  ...latencyCounters,
];

/** The position of the first of them. */
const FIRST_LATENCY = counters.length - LATENCY_BUCKETS;

const positions: ReadonlyMap<string, number> = new Map(counters.map((name, index) => [name, index]));

/** The counts of {@link counters}, each at the index of its counter. */
export type Counts = ArrayLike<number>;

/** Counts that can be added to. */
export type MutableCounts = Float64Array;

/** The counts of one minute. */
export interface MinuteCounts {
  /** When the minute begins, in milliseconds since the epoch. */
  readonly at: number;
  readonly counts: Counts;
}

export const MINUTE_MS = 60_000;

/** The begin of the minute of a time; both in milliseconds since the epoch. */
export function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS) * MINUTE_MS;
}

/** Counts of nothing. */
export function noCounts(): MutableCounts {
  return new Float64Array(counters.length);
}

/** Adds to one counter. Ignores a name that this version does not know. */
export function addCount(counts: MutableCounts, counter: string, by = 1): void {
  const position = positions.get(counter);
  if (position !== undefined) counts[position] = (counts[position] ?? 0) + by;
}

/** Adds all counts. */
export function addCounts(counts: MutableCounts, added: Counts): void {
  for (let index = 0; index < counts.length; index++) {
    counts[index] = (counts[index] ?? 0) + (added[index] ?? 0);
  }
}

/** One counter. */
export function countOf(counts: Counts, counter: Counter): number {
  return counts[positions.get(counter) ?? -1] ?? 0;
}

/** The number of latencies in each bucket. */
export function latenciesOf(counts: Counts): readonly number[] {
  const latencies: number[] = [];
  for (let index = FIRST_LATENCY; index < counts.length; index++) latencies.push(counts[index] ?? 0);
  return latencies;
}

/** The counters that are not 0, by their names. */
export function namedCounts(counts: Counts): Record<string, number> {
  const named = counters.flatMap((name) => {
    const count = countOf(counts, name);
    return count === 0 ? [] : [[name, count] as const];
  });
  return Object.fromEntries(named);
}

function namesOf<G extends CounterGroup>(group: G): readonly Counter[] {
  // The template of two unions is the union of `Counter`, which TypeScript does not see for a type parameter.
  return counterGroups[group].map((name) => `${group}.${name}` as Counter);
}

/** The counts of one process in the last day, about 2 MB when all minutes are full. */
export interface MinuteTable {
  /** Adds 1 to a counter, in the minute of a time. */
  add(at: number, counter: Counter): void;
  /** The counts of the minute that begins at a time; undefined where nothing was counted. */
  get(at: number): Counts | undefined;
  /** The minutes that begin in a span, until exclusive. */
  read(from: number, until: number): readonly MinuteCounts[];
}

/** A day, the running minute, and some in case that the clock is set. */
const MAX_MINUTES = 1_445;

/** Creates an empty table. Of too many minutes the one that was counted first is dropped. */
export function createMinuteTable(): MinuteTable {
  const minutes = new Map<number, MutableCounts>();
  let last: { readonly at: number; readonly counts: MutableCounts } | undefined;

  function countsAt(at: number): MutableCounts {
    if (last?.at === at) return last.counts;
    const counts = minutes.get(at) ?? noCounts();
    minutes.set(at, counts);
    last = { at, counts };
    const [first] = minutes.keys();
    if (minutes.size > MAX_MINUTES && first !== undefined) minutes.delete(first);
    return counts;
  }

  return {
    add: (at, counter) => addCount(countsAt(minuteOf(at)), counter),
    get: (at) => minutes.get(at),
    read(from, until) {
      const found: MinuteCounts[] = [];
      for (const [at, counts] of minutes) {
        if (at >= from && at < until) found.push({ at, counts: counts.slice() });
      }
      return found;
    },
  };
}

/** The upper end of the first bucket, in milliseconds: shorter latencies are read as this one. */
const FIRST_MS = 0.01;

/** Buckets for each doubling: a bucket ends at 1.19 times its begin. */
const PER_DOUBLING = 4;

/** The most that a percentile may differ from the exact one, as a part of it, between 0.01 ms and a day. */
export const MAX_PERCENTILE_ERROR = 0.1;

/** The bucket of a latency in milliseconds: an integer from 0 to below {@link LATENCY_BUCKETS}. */
export function latencyBucket(ms: number): number {
  if (!(ms > FIRST_MS)) return 0;
  return Math.min(LATENCY_BUCKETS - 1, 1 + Math.floor(Math.log2(ms / FIRST_MS) * PER_DOUBLING));
}

/** The latency in milliseconds that stands for a bucket: the geometric mean of its ends, with three digits. */
function latencyOf(bucket: number): number {
  if (bucket === 0) return FIRST_MS;
  return Number((FIRST_MS * 2 ** ((bucket - 0.5) / PER_DOUBLING)).toPrecision(3));
}

/** Percentiles in milliseconds; null where nothing was measured. */
export interface Percentiles {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/**
 * Reads percentiles from the number of latencies in each bucket. A percentile is the shortest latency that at least
 * this share of all does not exceed, with an error of at most {@link MAX_PERCENTILE_ERROR}.
 */
export function percentilesOf(buckets: readonly number[]): Percentiles {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  const read = (share: number): number | null => {
    if (total === 0) return null;
    const rank = Math.max(1, Math.ceil(share * total));
    let seen = 0;
    const bucket = buckets.findIndex((count) => {
      seen += count;
      return seen >= rank;
    });
    return latencyOf(bucket);
  };
  return { p50: read(0.5), p95: read(0.95), p99: read(0.99) };
}
