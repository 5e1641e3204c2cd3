import { itemAt } from '../../lib/array.ts';
import {
  type Concern,
  concerns,
  type Disposition,
  type Intent,
  intents,
  type RecordedIntent,
} from '../message/message.ts';
import {
  type ClassifiedTicket,
  expectsEscalation,
  isClassified,
  isCorrect,
  isHandledWrongly,
  isSameSet,
  type JudgedTicket,
} from './tickets.ts';

/** The scores of judged tickets (decisions, section 6). Shares are from 0 to 1. */
export interface Scores {
  readonly totalTickets: number;
  /** The share of right intents, over the tickets with an expected one, as all scores of intents are. */
  readonly classificationAccuracy: number;
  /** Mean F1 over the intents that were expected or predicted. */
  readonly macroF1: number;
  /** The share of the tickets with expected tools for which exactly those were called; null where there are none. */
  readonly toolSelectionAccuracy: number | null;
  /** The share of the tickets with an expected escalation that was met; null where there are none. */
  readonly escalationAccuracy: number | null;
  readonly escalationRate: number;
  /** The number of tickets that were escalated for each reason, the most frequent first; a ticket may have several. */
  readonly escalationReasons: readonly (readonly [string, number])[];
  /**
   * The share of all tickets that were answered although the intent is wrong, or although they should have been
   * escalated or should have got no reply.
   */
  readonly answeredWrongRate: number;
  readonly failureRate: number;
  readonly averageLatencyMs: number;
  readonly p95LatencyMs: number;
  /** The mean distance between confidence and accuracy over the bins of `calibration`, weighted by their tickets. */
  readonly calibrationError: number;
  /** Ten bins of confidence, from 0 to 1. */
  readonly calibration: readonly CalibrationBin[];
  readonly perIntent: readonly (readonly [Intent, IntentScore])[];
  /** The counts of predicted intents, by expected intent. */
  readonly confusion: readonly (readonly [Intent, readonly (readonly [RecordedIntent, number])[]])[];
  readonly concerns: ConcernScores;
  /** The counts of decided dispositions, by expected disposition; over the tickets that state one. */
  readonly dispositions: readonly (readonly [Disposition, readonly (readonly [Disposition, number])[]])[];
  /** The first twenty tickets with a wrong intent. */
  readonly misclassified: readonly ClassifiedTicket[];
  /** In steps of 0.05 from 0 to 1. */
  readonly thresholds: readonly ThresholdScore[];
}

/** The recognition of one intent. */
export interface IntentScore {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Tickets that expected this intent. */
  readonly support: number;
}

/** The share of right intents among tickets of about the same confidence. */
export interface CalibrationBin {
  /** The least confidence. */
  readonly from: number;
  /** The confidence below which it ends; the last one includes 1. */
  readonly to: number;
  readonly count: number;
  /** The share of right intents; null without tickets. */
  readonly accuracy: number | null;
}

/** The effect of a threshold of the verifier. */
export interface ThresholdScore {
  readonly threshold: number;
  /** The share of all tickets that would need no person: they are answered, or get no reply. */
  readonly coverage: number;
  /** The share of these that are answered with a wrong intent, or not as they should be. */
  readonly errorRate: number;
  /** The share of all tickets that would be escalated. Drafts are neither covered nor escalated. */
  readonly escalationRate: number;
}

/** The naming of one concern. */
export interface ConcernScore {
  /** The share of the tickets that expect it for which it was named; null where there are none. */
  readonly recall: number | null;
  /** The share of the tickets for which it was named that expect it; null where there are none. */
  readonly precision: number | null;
  /** Tickets that expect it. */
  readonly support: number;
}

/** The finding of concerns, over the tickets that state theirs. */
export interface ConcernScores {
  /**
   * The share of the tickets with expected concerns that were escalated for a concern, whichever; null where there are
   * none.
   */
  readonly recall: number | null;
  /** The share of the tickets escalated for a concern that expect one, whichever; null where there are none. */
  readonly precision: number | null;
  /** The concerns that were expected or named. */
  readonly perConcern: readonly (readonly [Concern, ConcernScore])[];
}

const MAX_MISCLASSIFIED = 20;

/** Computes the scores of judged tickets. All numbers are finite; the share of an empty set is 0 or null. */
export function score(judged: readonly JudgedTicket[]): Scores {
  const classified = judged.filter(isClassified);
  const confusion = countPairs(
    classified.map(({ ticket, predicted }) => [ticket.expectedIntent, predicted] as const),
  );
  const perIntent = scoreIntents(confusion);
  return {
    totalTickets: judged.length,
    classificationAccuracy: shareOf(classified, isCorrect),
    macroF1: mean(perIntent.map(([, { f1 }]) => f1)),
    toolSelectionAccuracy: shareOfJudged(judged, ({ ticket, tools }) =>
      ticket.expectedTools === undefined ? undefined : isSameSet(ticket.expectedTools, tools),
    ),
    escalationAccuracy: shareOfJudged(judged, ({ ticket, escalated }) => {
      const expected = expectsEscalation(ticket);
      return expected === undefined ? undefined : expected === escalated;
    }),
    escalationRate: shareOf(judged, ({ escalated }) => escalated),
    escalationReasons: countReasons(judged),
    answeredWrongRate: shareOf(judged, (one) => one.disposition === 'answered' && isHandledWrongly(one)),
    failureRate: shareOf(judged, ({ failed }) => failed),
    ...latencies(judged),
    calibrationError: calibrationErrorOf(classified),
    calibration: calibrate(classified),
    perIntent,
    confusion: rowsOf(confusion),
    concerns: scoreConcerns(judged),
    dispositions: rowsOf(countPairs(judged.flatMap(dispositionsOf))),
    misclassified: classified.filter((one) => !isCorrect(one)).slice(0, MAX_MISCLASSIFIED),
    thresholds: scoreThresholds(judged),
  };
}

function countReasons(judged: readonly JudgedTicket[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const reason of judged.flatMap(({ reasons }) => reasons)) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

function dispositionsOf({
  ticket,
  disposition,
}: JudgedTicket): readonly (readonly [Disposition, Disposition])[] {
  return ticket.expectedDisposition === undefined ? [] : [[ticket.expectedDisposition, disposition]];
}

function rowsOf<Row, Column>(
  counts: ReadonlyMap<Row, ReadonlyMap<Column, number>>,
): readonly (readonly [Row, readonly (readonly [Column, number])[]])[] {
  return [...counts].map(([row, columns]) => [row, [...columns]]);
}

function latencies(judged: readonly JudgedTicket[]): Pick<Scores, 'averageLatencyMs' | 'p95LatencyMs'> {
  const sorted = judged.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const p95 = sorted.length === 0 ? 0 : itemAt(sorted, Math.ceil(sorted.length * 0.95) - 1);
  return { averageLatencyMs: mean(sorted), p95LatencyMs: p95 };
}

/** Scores the intents that were expected or predicted, by how often each was predicted for each expected one. */
function scoreIntents(
  counts: ReadonlyMap<Intent, ReadonlyMap<RecordedIntent, number>>,
): (readonly [Intent, IntentScore])[] {
  const scores: (readonly [Intent, IntentScore])[] = [];
  for (const intent of inOrder(counts)) {
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

/**
 * The intents that were expected or predicted: those of the built-in playbook in its order, then the others by name.
 */
function inOrder(counts: ReadonlyMap<Intent, ReadonlyMap<RecordedIntent, number>>): readonly Intent[] {
  const seen = new Set([...counts].flatMap(([expected, row]) => [expected, ...row.keys()]));
  const builtIn: ReadonlySet<string> = new Set(intents);
  const others = [...seen].filter((intent) => !builtIn.has(intent) && intent !== 'unknown').sort();
  return [...intents, ...others];
}

const BINS = 10;
const THRESHOLD_STEPS = 20;

/** The calibration in ten bins of confidence. */
function calibrate(judged: readonly ClassifiedTicket[]): readonly CalibrationBin[] {
  const bins = binsOf(judged);
  return Array.from({ length: BINS }, (_, bin) => {
    const tickets = bins.get(bin) ?? [];
    const accuracy = tickets.length === 0 ? null : shareOf(tickets, isCorrect);
    return { from: bin / BINS, to: (bin + 1) / BINS, count: tickets.length, accuracy };
  });
}

/** The mean distance between confidence and accuracy over the bins, weighted by their tickets. */
function calibrationErrorOf(judged: readonly ClassifiedTicket[]): number {
  const distance = sum(
    [...binsOf(judged).values()].map((tickets) => {
      const confidence = sum(tickets.map((ticket) => ticket.confidence));
      return Math.abs(confidence - tickets.filter(isCorrect).length);
    }),
  );
  return judged.length === 0 ? 0 : distance / judged.length;
}

function binsOf(judged: readonly ClassifiedTicket[]): ReadonlyMap<number, readonly ClassifiedTicket[]> {
  return Map.groupBy(judged, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
}

/** The effect of each threshold from 0 to 1, in steps of 0.05. */
function scoreThresholds(judged: readonly JudgedTicket[]): readonly ThresholdScore[] {
  return Array.from({ length: THRESHOLD_STEPS + 1 }, (_, step) =>
    atThreshold(judged, step / THRESHOLD_STEPS),
  );
}

function atThreshold(judged: readonly JudgedTicket[], threshold: number): ThresholdScore {
  const handled = judged.filter(({ dependsOnThreshold, escalated, disposition, confidence }) =>
    dependsOnThreshold ? confidence >= threshold : !escalated && disposition !== 'draft',
  );
  const drafts = judged.filter(({ disposition }) => disposition === 'draft');
  const tickets = Math.max(1, judged.length);
  return {
    threshold,
    coverage: handled.length / tickets,
    errorRate: shareOf(handled, isHandledWrongly),
    escalationRate: (judged.length - handled.length - drafts.length) / tickets,
  };
}

/** The expectation of a ticket, and what was found. */
interface Found {
  readonly expected: readonly Concern[];
  readonly actual: readonly Concern[];
}

/** Scores the concerns of judged tickets. Tickets that do not state their concerns are left out. */
function scoreConcerns(judged: readonly JudgedTicket[]): ConcernScores {
  const stated = judged.flatMap(({ ticket: { expectedConcerns: expected }, concerns: actual }): Found[] =>
    expected === undefined ? [] : [{ expected, actual }],
  );
  const perConcern = concerns.flatMap((concern): (readonly [Concern, ConcernScore])[] => {
    const named = stated.filter(
      ({ expected, actual }) => expected.includes(concern) || actual.includes(concern),
    );
    if (named.length === 0) return [];
    const support = named.filter(({ expected }) => expected.includes(concern)).length;
    return [[concern, { ...recallAndPrecision(named, (found) => found.includes(concern)), support }]];
  });
  return { ...recallAndPrecision(stated, (found) => found.length > 0), perConcern };
}

function recallAndPrecision(
  stated: readonly Found[],
  holds: (found: readonly Concern[]) => boolean,
): Pick<ConcernScore, 'recall' | 'precision'> {
  return {
    recall: shareOfJudged(stated, ({ expected, actual }) => (holds(expected) ? holds(actual) : undefined)),
    precision: shareOfJudged(stated, ({ expected, actual }) => (holds(actual) ? holds(expected) : undefined)),
  };
}

/** The share of the items that match, from 0 to 1; 0 where there are none. */
function shareOf<T>(items: readonly T[], matches: (item: T) => boolean): number {
  let count = 0;
  for (const item of items) if (matches(item)) count += 1;
  return items.length === 0 ? 0 : count / items.length;
}

/**
 * The share of the items that match among those that are judged, which are not undefined; null where there are none.
 */
function shareOfJudged<T>(items: readonly T[], matches: (item: T) => boolean | undefined): number | null {
  const judged = items.map(matches).filter((outcome) => outcome !== undefined);
  return judged.length === 0 ? null : shareOf(judged, (outcome) => outcome);
}

/** The mean of values; 0 where there are none. */
function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

/** The sum of values. */
function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Counts pairs: how often each second value occurs, by the first. Both are in the order in which they occur first. */
function countPairs<Row extends string, Column extends string>(
  pairs: readonly (readonly [Row, Column])[],
): ReadonlyMap<Row, ReadonlyMap<Column, number>> {
  const counts = new Map<Row, Map<Column, number>>();
  for (const [first, second] of pairs) {
    const row = counts.get(first) ?? new Map<Column, number>();
    counts.set(first, row.set(second, (row.get(second) ?? 0) + 1));
  }
  return counts;
}
