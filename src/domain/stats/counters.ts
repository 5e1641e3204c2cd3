import { routingStatuses } from '../routing/routing.ts';
import { LATENCY_BUCKETS } from './latency.ts';

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
