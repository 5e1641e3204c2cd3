import { type Intent, intents, type RecordedIntent } from '../message/message.ts';

/** A message with what the stages ought to make of it. */
export interface Ticket {
  readonly message: string;
  readonly expectedIntent: Intent;
  /** Names of the tools that ought to be called; not judged when absent. */
  readonly expectedTools?: readonly string[] | undefined;
  /** Whether it ought to go to a person; not judged when absent. */
  readonly expectedEscalated?: boolean | undefined;
}

/** A ticket with what the stages made of it. */
export interface JudgedTicket {
  readonly ticket: Ticket;
  readonly predicted: RecordedIntent;
  readonly confidence: number;
  readonly tools: readonly string[];
  readonly escalated: boolean;
  /** Whether it would be escalated at a threshold of 0 too: for another reason than low confidence. */
  readonly escalatedAnyway: boolean;
  readonly failed: boolean;
  readonly latencyMs: number;
}

/** How well one intent is told from the others. */
export interface IntentScore {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Tickets that expected this intent. */
  readonly support: number;
}

/** What would happen were the verifier's threshold there. */
export interface ThresholdScore {
  readonly threshold: number;
  /** Share of all tickets that would be answered. */
  readonly coverage: number;
  /** Share of those answered whose intent is wrong. */
  readonly errorRate: number;
  /** Share of all tickets that would go to a person. */
  readonly escalationRate: number;
}

/** Scores over a set of judged tickets (decisions, section 6). Shares are from 0 to 1. */
export interface Scores {
  readonly totalTickets: number;
  readonly classificationAccuracy: number;
  /** Mean F1 over the intents that were expected or predicted. */
  readonly macroF1: number;
  /** Share of the tickets with expected tools for which exactly those were called; null where none says what it expects. */
  readonly toolSelectionAccuracy: number | null;
  /** Share of the tickets with an expected escalation that was met; null where none says what it expects. */
  readonly escalationAccuracy: number | null;
  readonly escalationRate: number;
  readonly failureRate: number;
  readonly averageLatencyMs: number;
  readonly p95LatencyMs: number;
  /** Mean distance between confidence and accuracy over ten bins of confidence, weighed by their tickets. */
  readonly calibrationError: number;
  readonly perIntent: readonly (readonly [Intent, IntentScore])[];
  /** By expected intent, how often each intent was predicted. */
  readonly confusion: readonly (readonly [Intent, readonly (readonly [RecordedIntent, number])[]])[];
  /** The first twenty tickets whose intent is wrong. */
  readonly misclassified: readonly JudgedTicket[];
  /** In steps of 0.05 from 0 to 1. */
  readonly thresholds: readonly ThresholdScore[];
}

const MAX_MISCLASSIFIED = 20;
const BINS = 10;
const THRESHOLD_STEPS = 20;

/** Scores what the stages made of some tickets. All figures are finite; shares of nothing are 0. */
export function score(judged: readonly JudgedTicket[]): Scores {
  const counts = countPairs(judged);
  const perIntent = scoreIntents(counts);
  const wrong = judged.filter((one) => !isCorrect(one));
  return {
    totalTickets: judged.length,
    classificationAccuracy: share(judged, isCorrect),
    macroF1: mean(perIntent.map(([, { f1 }]) => f1)),
    toolSelectionAccuracy: shareOfExpected(judged, ({ ticket, tools }) =>
      ticket.expectedTools === undefined ? undefined : isSameSet(ticket.expectedTools, tools),
    ),
    escalationAccuracy: shareOfExpected(judged, ({ ticket, escalated }) =>
      ticket.expectedEscalated === undefined ? undefined : ticket.expectedEscalated === escalated,
    ),
    escalationRate: share(judged, ({ escalated }) => escalated),
    failureRate: share(judged, ({ failed }) => failed),
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
    // The harmonic mean of the two, told from the counts: it is rounded once, and never divides by nothing.
    const f1 = (2 * hits) / (support + predicted);
    scores.push([intent, { precision, recall, f1, support }]);
  }
  return scores;
}

function calibrationError(judged: readonly JudgedTicket[]): number {
  const bins = Array.from({ length: BINS }, () => ({ tickets: 0, confidence: 0, right: 0 }));
  for (const one of judged) {
    const bin = bins[Math.min(BINS - 1, Math.floor(one.confidence * BINS))];
    if (bin === undefined) continue;
    bin.tickets += 1;
    bin.confidence += one.confidence;
    bin.right += isCorrect(one) ? 1 : 0;
  }
  const distance = sum(bins.map(({ confidence, right }) => Math.abs(confidence - right)));
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
    errorRate: share(answered, (one) => !isCorrect(one)),
    escalationRate: (judged.length - answered.length) / tickets,
  };
}

function latencies(judged: readonly JudgedTicket[]): Pick<Scores, 'averageLatencyMs' | 'p95LatencyMs'> {
  const sorted = judged.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const p95 = sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
  return { averageLatencyMs: mean(sorted), p95LatencyMs: p95 };
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size === right.size && a.every((item) => right.has(item));
}

function shareOfExpected(
  judged: readonly JudgedTicket[],
  isMet: (one: JudgedTicket) => boolean | undefined,
): number | null {
  const met = judged.map(isMet).filter((outcome) => outcome !== undefined);
  return met.length === 0 ? null : share(met, (outcome) => outcome);
}

function share<T>(items: readonly T[], counts: (item: T) => boolean): number {
  let counted = 0;
  for (const item of items) if (counts(item)) counted += 1;
  return items.length === 0 ? 0 : counted / items.length;
}

function mean(figures: readonly number[]): number {
  return figures.length === 0 ? 0 : sum(figures) / figures.length;
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
