import type { ReportContent } from './content.ts';

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
