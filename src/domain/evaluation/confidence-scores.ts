import { shareOf, sum } from './shares.ts';
import { type ClassifiedTicket, isCorrect, isHandledWrongly, type JudgedTicket } from './tickets.ts';

/** How often the intent was right among tickets of about the same confidence. */
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

const BINS = 10;
const THRESHOLD_STEPS = 20;

/** The calibration in ten bins of confidence. */
export function calibrate(judged: readonly ClassifiedTicket[]): readonly CalibrationBin[] {
  const bins = binsOf(judged);
  return Array.from({ length: BINS }, (_, bin) => {
    const tickets = bins.get(bin) ?? [];
    const accuracy = tickets.length === 0 ? null : shareOf(tickets, isCorrect);
    return { from: bin / BINS, to: (bin + 1) / BINS, count: tickets.length, accuracy };
  });
}

/** The mean distance between confidence and accuracy over the bins, weighted by their tickets. */
export function calibrationErrorOf(judged: readonly ClassifiedTicket[]): number {
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
export function scoreThresholds(judged: readonly JudgedTicket[]): readonly ThresholdScore[] {
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
