import { itemAt } from '../../lib/array.ts';
import { type Intent, intents, type RecordedIntent } from '../message/message.ts';

/** A message and the expected decisions. */
export interface Ticket {
  readonly message: string;
  readonly expectedIntent: Intent;
  /** The names of the tools that should be called; not judged when absent. */
  readonly expectedTools?: readonly string[] | undefined;
  /** Whether it should be escalated; not judged when absent. */
  readonly expectedEscalated?: boolean | undefined;
}

/** A ticket and the actual decisions. */
export interface JudgedTicket {
  readonly ticket: Ticket;
  readonly predicted: RecordedIntent;
  readonly confidence: number;
  readonly tools: readonly string[];
  readonly escalated: boolean;
  /** True when it is escalated for a reason other than low confidence, so that no threshold changes that. */
  readonly escalatedAnyway: boolean;
  readonly failed: boolean;
  readonly latencyMs: number;
}

/** How well one intent is recognized. */
export interface IntentScore {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Tickets that expected this intent. */
  readonly support: number;
}

/** The effect of a threshold of the verifier. */
export interface ThresholdScore {
  readonly threshold: number;
  /** The share of all tickets that would be answered. */
  readonly coverage: number;
  /** The share of the answered ones with a wrong intent. */
  readonly errorRate: number;
  /** The share of all tickets that would be escalated. */
  readonly escalationRate: number;
}

/** The scores of judged tickets (decisions, section 6). Shares are from 0 to 1. */
export interface Scores {
  readonly totalTickets: number;
  readonly classificationAccuracy: number;
  /** Mean F1 over the intents that were expected or predicted. */
  readonly macroF1: number;
  /** The share of the tickets with expected tools for which exactly those were called; null where there are none. */
  readonly toolSelectionAccuracy: number | null;
  /** The share of the tickets with an expected escalation that was met; null where there are none. */
  readonly escalationAccuracy: number | null;
  readonly escalationRate: number;
  readonly failureRate: number;
  readonly averageLatencyMs: number;
  readonly p95LatencyMs: number;
  /** The mean distance between confidence and accuracy over ten bins of confidence, weighted by their tickets. */
  readonly calibrationError: number;
  readonly perIntent: readonly (readonly [Intent, IntentScore])[];
  /** How often each intent was predicted, by expected intent. */
  readonly confusion: readonly (readonly [Intent, readonly (readonly [RecordedIntent, number])[]])[];
  /** The first twenty tickets with a wrong intent. */
  readonly misclassified: readonly JudgedTicket[];
  /** In steps of 0.05 from 0 to 1. */
  readonly thresholds: readonly ThresholdScore[];
}

const MAX_MISCLASSIFIED = 20;
const BINS = 10;
const THRESHOLD_STEPS = 20;

/** Computes the scores of judged tickets. All numbers are finite; the share of an empty set is 0. */
export function score(judged: readonly JudgedTicket[]): Scores {
  const counts = countPairs(judged);
  const perIntent = scoreIntents(counts);
  const wrong = judged.filter((one) => !isCorrect(one));
  return {
    totalTickets: judged.length,
    classificationAccuracy: shareOf(judged, isCorrect),
    macroF1: mean(perIntent.map(([, { f1 }]) => f1)),
    toolSelectionAccuracy: shareOfExpected(judged, ({ ticket, tools }) =>
      ticket.expectedTools === undefined ? undefined : isSameSet(ticket.expectedTools, tools),
    ),
    escalationAccuracy: shareOfExpected(judged, ({ ticket, escalated }) =>
      ticket.expectedEscalated === undefined ? undefined : ticket.expectedEscalated === escalated,
    ),
    escalationRate: shareOf(judged, ({ escalated }) => escalated),
    failureRate: shareOf(judged, ({ failed }) => failed),
    ...latencies(judged),
    calibrationError: calibrationError(judged),
    perIntent,
    confusion: [...counts].map(([expected, predicted]) => [expected, [...predicted]]),
    misclassified: wrong.slice(0, MAX_MISCLASSIFIED),
    thresholds: Array.from({ length: THRESHOLD_STEPS + 1 }, (_, step) =>
      atThreshold(judged, step / THRESHOLD_STEPS),
    ),
  };
}

function isCorrect({ ticket, predicted }: JudgedTicket): boolean {
  return predicted === ticket.expectedIntent;
}

type Counts = ReadonlyMap<Intent, ReadonlyMap<RecordedIntent, number>>;

function countPairs(judged: readonly JudgedTicket[]): Counts {
  const counts = new Map<Intent, Map<RecordedIntent, number>>();
  for (const { ticket, predicted } of judged) {
    const row = counts.get(ticket.expectedIntent) ?? new Map<RecordedIntent, number>();
    counts.set(ticket.expectedIntent, row.set(predicted, (row.get(predicted) ?? 0) + 1));
  }
  return counts;
}

function scoreIntents(counts: Counts): (readonly [Intent, IntentScore])[] {
  const scores: (readonly [Intent, IntentScore])[] = [];
  for (const intent of intents) {
    const support = sum([...(counts.get(intent)?.values() ?? [])]);
    const predicted = sum([...counts.values()].map((row) => row.get(intent) ?? 0));
    if (support === 0 && predicted === 0) continue;
    const hits = counts.get(intent)?.get(intent) ?? 0;
    const precision = predicted === 0 ? 0 : hits / predicted;
    const recall = support === 0 ? 0 : hits / support;
    // The harmonic mean of precision and recall, from the counts: it is rounded once and never divides by zero.
    const f1 = (2 * hits) / (support + predicted);
    scores.push([intent, { precision, recall, f1, support }]);
  }
  return scores;
}

function calibrationError(judged: readonly JudgedTicket[]): number {
  const bins = Map.groupBy(judged, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  const distance = sum(
    [...bins.values()].map((tickets) => {
      const confidence = sum(tickets.map((ticket) => ticket.confidence));
      return Math.abs(confidence - tickets.filter(isCorrect).length);
    }),
  );
  return judged.length === 0 ? 0 : distance / judged.length;
}

function atThreshold(judged: readonly JudgedTicket[], threshold: number): ThresholdScore {
  const answered = judged.filter(
    ({ failed, escalatedAnyway, confidence }) => !failed && !escalatedAnyway && confidence >= threshold,
  );
  const tickets = Math.max(1, judged.length);
  return {
    threshold,
    coverage: answered.length / tickets,
    errorRate: shareOf(answered, (one) => !isCorrect(one)),
    escalationRate: (judged.length - answered.length) / tickets,
  };
}

function latencies(judged: readonly JudgedTicket[]): Pick<Scores, 'averageLatencyMs' | 'p95LatencyMs'> {
  const sorted = judged.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const p95 = sorted.length === 0 ? 0 : itemAt(sorted, Math.ceil(sorted.length * 0.95) - 1);
  return { averageLatencyMs: mean(sorted), p95LatencyMs: p95 };
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const [first, second] = [new Set(a), new Set(b)];
  return first.size === second.size && a.every((item) => second.has(item));
}

function shareOfExpected(
  judged: readonly JudgedTicket[],
  isMet: (one: JudgedTicket) => boolean | undefined,
): number | null {
  const met = judged.map(isMet).filter((outcome) => outcome !== undefined);
  return met.length === 0 ? null : shareOf(met, (outcome) => outcome);
}

function shareOf<T>(items: readonly T[], matches: (item: T) => boolean): number {
  let count = 0;
  for (const item of items) if (matches(item)) count += 1;
  return items.length === 0 ? 0 : count / items.length;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
