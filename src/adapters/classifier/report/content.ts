import { itemAt } from '../../../lib/array.ts';
import { GOAL, MORE } from '../training/learning-curve.ts';
import type { Training } from '../training/train.ts';
import type { TestFigures } from './test-model.ts';

/** The report as JSON: what the text shows, with the names of intents. Shares are rounded to four decimals. */
export type ReportContent = ReturnType<typeof reportContent>;

/** Collects what a report tells. `hash` and `bytes` are those of the model file. */
export function reportContent(
  { model, report }: Training,
  file: { readonly path: string; readonly hash: string; readonly bytes: number },
  test: TestFigures | undefined,
) {
  const { tickets, curve } = report;
  const nameOf = (intent: number): string => itemAt(model.intents, intent);
  return {
    tickets: {
      examples: model.training.examples,
      intents: model.intents.length,
      duplicates: tickets.duplicates,
      contradictions: tickets.contradictions,
    },
    training: model.training,
    features: { rules: model.usesRules },
    cross_validation: {
      accuracy: round(model.figures.accuracy),
      macro_f1: round(model.figures.macroF1),
      calibration_error: round(model.figures.calibrationError),
    },
    calibration: report.bins.map(({ from, to, count, confidence, accuracy }) => ({
      from,
      to,
      count,
      confidence: round(confidence),
      accuracy: round(accuracy),
    })),
    unknown_intents_measured: report.scopeMeasured,
    intents: model.figures.perIntent.map(({ intent, examples, precision, recall, f1, threshold }, at) => ({
      intent,
      examples,
      precision: round(precision),
      recall: round(recall),
      f1: round(f1),
      threshold,
      threshold_basis: itemAt(report.thresholds, at).basis,
      recall_now: round(itemAt(curve.perIntent, at).recallNow),
      recall_with_more: round(itemAt(curve.perIntent, at).recallWithMore),
      more_examples_needed: itemAt(curve.perIntent, at).needed ?? null,
    })),
    confusions: report.confusions.map(({ expected, predicted, count }) => ({
      expected: nameOf(expected),
      predicted: nameOf(predicted),
      count,
    })),
    outlook: {
      more_examples: MORE,
      recall_goal: GOAL,
      accuracy_now: round(curve.accuracyNow),
      accuracy_with_more: round(curve.accuracyWithMore),
    },
    test: test === undefined ? null : testContent(test),
    model: file,
  };
}

function testContent(test: TestFigures) {
  return {
    tickets: test.tickets,
    accuracy: round(test.accuracy),
    macro_f1: round(test.macroF1),
    calibration_error: round(test.calibrationError),
    above_threshold: round(test.aboveThreshold),
    right_above_threshold: round(test.rightAboveThreshold),
    other_tickets: test.otherTickets,
    others_above_threshold: round(test.othersAboveThreshold),
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
