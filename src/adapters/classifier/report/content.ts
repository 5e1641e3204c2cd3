import { itemAt } from '../../../lib/array.ts';
import type { TrainingRecord, VectorHead } from '../intent-model.ts';
import { GOAL, MORE } from '../learning-curve.ts';
import { leastTarget, leastTickets } from '../thresholds.ts';
import type { CleanTickets } from '../tickets/clean.ts';
import type { Outlook, Training } from '../training.ts';
import type { TestFigures } from './test-model.ts';

/** The highest error target that `train` takes. */
const MAX_TARGET = 0.3;

/** The report as JSON: what the text shows, with the names of intents. Shares are rounded to four decimals. */
export type ReportContent = ReturnType<typeof reportContent>;

/** A ticket of an ordinary intent that raises a concern. */
export interface AlarmingTicket {
  readonly line: number;
  readonly intent: string;
  readonly concerns: readonly string[];
}

/** What a report is made of beside the training. */
export interface ReportInput {
  readonly tickets: CleanTickets;
  readonly alarming: readonly AlarmingTicket[];
  /** The model file. */
  readonly file: { readonly path: string; readonly hash: string; readonly bytes: number };
  readonly test: TestFigures | undefined;
  /** The same by words and vectors. */
  readonly testWithVectors: TestFigures | undefined;
}

/** Collects what a report tells. */
export function reportContent({ model, report }: Training, input: ReportInput) {
  const { tickets, alarming, file, test, testWithVectors } = input;
  const { curve } = report;
  const nameOf = (intent: number): string => itemAt(model.intents, intent);
  return {
    tickets: {
      examples: model.training.examples,
      intents: model.intents.length,
      duplicates: tickets.duplicates,
      contradictions: tickets.contradictions,
    },
    training: model.training,
    cross_validation: scoresContent(model.figures),
    calibration: report.bins.map(({ from, to, count, confidence, accuracy }) => ({
      from,
      to,
      count,
      confidence: round(confidence),
      accuracy: round(accuracy),
    })),
    targets: report.outlook.map(targetContent),
    vectors: vectorsContent(model.vectors, report.outlookWithVectors ?? []),
    advice: adviceOf(
      model.training,
      report.confusions.map(({ expected, predicted }) => [nameOf(expected), nameOf(predicted)] as const),
    ),
    alarming,
    intents: model.figures.perIntent.map(({ intent, examples, precision, recall, f1, threshold }, at) => ({
      intent,
      examples,
      precision: round(precision),
      recall: round(recall),
      f1: round(f1),
      threshold,
      threshold_basis: itemAt(report.thresholds, at).basis,
      recall_with_more: round(curve.perIntent[at]?.recallWithMore ?? 0),
      more_examples_needed: curve.perIntent[at]?.needed ?? null,
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
    test_with_vectors: testWithVectors === undefined ? null : testContent(testWithVectors),
    model: file,
  };
}

function scoresContent({ accuracy, macroF1, calibrationError }: VectorHead['figures']) {
  return {
    accuracy: round(accuracy),
    macro_f1: round(macroF1),
    calibration_error: round(calibrationError),
  };
}

function targetContent({ targetError, answered, wrong }: Outlook) {
  return { target_error: targetError, answered: round(answered), wrong: round(wrong) };
}

/** How good words and vectors are together; null without vectors. */
function vectorsContent(head: VectorHead | undefined, outlook: readonly Outlook[]) {
  if (head === undefined) return null;
  return {
    model: head.model,
    dimensions: head.dimensions,
    cross_validation: scoresContent(head.figures),
    targets: outlook.map(targetContent),
  };
}

/** One sentence about what to do first. */
function adviceOf(
  { examples, targetError }: TrainingRecord,
  confused: readonly (readonly [string, string])[],
): string {
  const least = leastTickets(targetError);
  if (examples < least) {
    const few = `${examples} tickets cannot show an error below ${100 * targetError} %`;
    const target = leastTarget(examples);
    const other = target > MAX_TARGET ? '' : `, or --target-error ${target}`;
    return `${few}, so that nothing is answered: it takes ${least}${other}.`;
  }
  const [first] = confused;
  if (first === undefined) return 'No two intents are confused with each other: more tickets of any help.';
  const [one, other] = first;
  return `Add tickets to "${one}" and "${other}" first: they are confused with each other.`;
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
