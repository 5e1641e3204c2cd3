import type { IntentClassifier, TextVectors } from '../../domain/playbook/intent-classifier.ts';
import { itemAt } from '../../lib/array.ts';
import { calibrationError } from '../../lib/learning/calibration.ts';
import { accuracyOf, GOAL, type Judged, leastTarget, leastTickets, MORE, scoreJudged } from './figures.ts';
import type { TrainingRecord, VectorHead } from './intent-model.ts';
import type { CleanTickets, LabeledTicket } from './tickets.ts';
import type { Outlook, Training } from './training.ts';

/** The highest error target that `train` takes. */
const MAX_TARGET = 0.3;

/** The report as JSON: what the text shows, with the names of intents. Shares are rounded to four decimals. */
type ReportContent = ReturnType<typeof reportContent>;

/** A ticket of an ordinary intent that raises a concern. */
export interface AlarmingTicket {
  readonly line: number;
  readonly intent: string;
  readonly concerns: readonly string[];
}

/** The parts of a report beside the training. */
interface ReportInput {
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

/** The figures of words and vectors together; null without vectors. */
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

// Text of a report

/** The most rows of a list of lines. */
const MAX_SHOWN = 10;

/** Formats a report as plain text with tables. */
export function formatTrainingReport(report: ReportContent): string {
  const { tickets, training, cross_validation: scores, outlook, model, test } = report;
  const sections = [
    [`${tickets.examples} tickets of ${tickets.intents} intents`, ...duplicatesOf(report)],
    table([
      [`cross-validated, ${training.folds} folds`, ''],
      ['accuracy', share(scores.accuracy)],
      ['macro_f1', share(scores.macro_f1)],
      ['calibration_error', share(scores.calibration_error)],
    ]),
    vectorLines(report),
    table([
      ['confidence', 'tickets', 'right'],
      ...report.calibration
        .filter(({ count }) => count > 0)
        .map(({ from, to, count, accuracy }) => [`${from} to ${to}`, String(count), share(accuracy)]),
    ]),
    table([
      ['error target', 'answered', 'of all wrong'],
      ...report.targets.map(({ target_error, answered, wrong }) => [
        `${target_error * 100} %${target_error === training.targetError ? ' (chosen)' : ''}`,
        percent(answered),
        percent(wrong),
      ]),
    ]),
    [report.advice],
    table([
      [
        'intent',
        'examples',
        'precision',
        'recall',
        'f1',
        'threshold',
        `recall, ${outlook.more_examples} more`,
        'needed',
      ],
      ...report.intents.map((one) => [
        one.intent,
        String(one.examples),
        share(one.precision),
        share(one.recall),
        share(one.f1),
        `${one.threshold.toFixed(2)}${basisMarks[one.threshold_basis]}`,
        share(one.recall_with_more),
        one.more_examples_needed === null ? 'many' : String(one.more_examples_needed),
      ]),
    ]),
    notesOf(report),
    table([
      ['confused', 'with', 'times'],
      ...report.confusions.map(({ expected, predicted, count }) => [expected, predicted, String(count)]),
    ]),
    [
      `estimate: accuracy ${share(outlook.accuracy_now)} now, ${share(outlook.accuracy_with_more)} with ${outlook.more_examples} more tickets spread like these`,
    ],
    alarmingLines(report),
    ...(test === null ? [] : [testLines(test, '')]),
    ...(report.test_with_vectors === null ? [] : [testLines(report.test_with_vectors, ', with vectors')]),
    [`${model.path}: ${model.bytes} bytes, ${model.hash}`],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

const basisMarks = { own: ' *', pooled: '' } as const;

function notesOf({ intents, outlook }: ReportContent): readonly string[] {
  const has = (basis: keyof typeof basisMarks): boolean =>
    intents.some(({ threshold_basis }) => threshold_basis === basis);
  return [
    `needed: an estimate of how many more examples it takes to find ${outlook.recall_goal * 100} % of the texts of the intent`,
    ...(has('own') ? ['* higher than that of all intents together, because of its own mistakes'] : []),
  ];
}

function duplicatesOf({ tickets: { duplicates, contradictions } }: ReportContent): readonly string[] {
  const more = contradictions.length - MAX_SHOWN;
  return [
    ...(duplicates > 0 ? [`${duplicates} tickets repeat an earlier one and are left out`] : []),
    ...(contradictions.length > 0
      ? [`${contradictions.length} messages have different intents and are left out:`]
      : []),
    ...contradictions
      .slice(0, MAX_SHOWN)
      .map(({ lines, intents }) => `  lines ${lines.slice(0, MAX_SHOWN).join(', ')}: ${intents.join(', ')}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function alarmingLines({ alarming }: ReportContent): readonly string[] {
  if (alarming.length === 0) return [];
  const more = alarming.length - MAX_SHOWN;
  return [
    `${alarming.length} tickets of ordinary intents raise a concern; with --harmless they are learned as harmless:`,
    ...alarming
      .slice(0, MAX_SHOWN)
      .map(({ line, intent, concerns }) => `  line ${line}, ${intent}: ${concerns.join(', ')}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** Words alone beside words and vectors. */
function vectorLines({ cross_validation: words, targets, vectors }: ReportContent): readonly string[] {
  if (vectors === null) return [];
  const both = vectors.cross_validation;
  return table([
    [`vectors of ${vectors.model}`, 'words alone', 'with vectors'],
    ['accuracy', share(words.accuracy), share(both.accuracy)],
    ['macro_f1', share(words.macro_f1), share(both.macro_f1)],
    ['calibration_error', share(words.calibration_error), share(both.calibration_error)],
    ...vectors.targets.map(({ target_error, answered }, at) => [
      `answered, error target ${target_error * 100} %`,
      percent(targets[at]?.answered ?? 0),
      percent(answered),
    ]),
  ]);
}

function testLines(test: NonNullable<ReportContent['test']>, how: string): readonly string[] {
  return table([
    [`tested on ${test.tickets} tickets${how}`, ''],
    ['accuracy', share(test.accuracy)],
    ['macro_f1', share(test.macro_f1)],
    ['calibration_error', share(test.calibration_error)],
    ['above their threshold', share(test.above_threshold)],
    ['of these right', share(test.right_above_threshold)],
    ...(test.other_tickets === 0
      ? []
      : [[`of ${test.other_tickets} tickets of other intents above it`, share(test.others_above_threshold)]]),
  ]);
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

function share(value: number): string {
  return value.toFixed(3);
}

/** Aligns columns: the first to the left, the others to the right. A table without rows is left out. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length < 2) return [];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

// Test on other tickets

/** The figures of a model on tickets that it was not trained on. Shares are from 0 to 1. */
interface TestFigures {
  /** The tickets whose intent the model knows. */
  readonly tickets: number;
  readonly accuracy: number;
  readonly macroF1: number;
  readonly calibrationError: number;
  /** The share of them whose confidence reaches the suggested threshold, and how many of these are right. */
  readonly aboveThreshold: number;
  readonly rightAboveThreshold: number;
  /** The tickets of other intents, and the share of them above a threshold: all of these would be wrong answers. */
  readonly otherTickets: number;
  readonly othersAboveThreshold: number;
}

/** Tests a model: by words, or with vectors of all tickets also by these. */
export function testModel(
  { rank, ...classifier }: IntentClassifier,
  intents: readonly string[],
  tickets: readonly LabeledTicket[],
  vectors?: TextVectors,
): TestFigures {
  const { thresholds } = vectors === undefined ? classifier : (classifier.vectors ?? classifier);
  const judged = tickets.map(({ message, intent }): Judged => {
    const [best] = rank(message, undefined, vectors?.of(message));
    const expected = intents.indexOf(intent);
    const predicted = best === undefined ? -1 : intents.indexOf(best.intent);
    return { expected, predicted, confidence: best?.confidence ?? 0, right: expected === predicted };
  });
  const reaches = ({ predicted, confidence }: Judged): boolean =>
    confidence >= (thresholds.get(intents[predicted] ?? '') ?? 1);
  const known = judged.filter(({ expected }) => expected >= 0);
  const others = judged.filter(({ expected }) => expected < 0);
  const above = known.filter(reaches);
  const scores = scoreJudged(known, intents.length);
  return {
    tickets: known.length,
    accuracy: scores.accuracy,
    macroF1: scores.macroF1,
    calibrationError: calibrationError(known),
    aboveThreshold: shareOf(above.length, known.length),
    rightAboveThreshold: accuracyOf(above),
    otherTickets: others.length,
    othersAboveThreshold: shareOf(others.filter(reaches).length, others.length),
  };
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
