import { itemAt } from '../../lib/array.ts';
import type { Disposition, Intent, RecordedIntent } from '../message/message.ts';
import { type ConcernScores, scoreConcerns } from './concern-scores.ts';
import {
  type CalibrationBin,
  calibrate,
  calibrationErrorOf,
  scoreThresholds,
  type ThresholdScore,
} from './confidence-scores.ts';
import { type IntentScore, scoreIntents } from './intent-scores.ts';
import { isSameSet } from './mistakes.ts';
import { countPairs, mean, shareOf, shareOfJudged } from './shares.ts';
import {
  type ClassifiedTicket,
  expectsEscalation,
  isClassified,
  isCorrect,
  isHandledWrongly,
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
