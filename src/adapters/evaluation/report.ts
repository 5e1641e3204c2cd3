import type { Evaluation } from '../../application/evaluation/evaluate.ts';
import type { Scores } from '../../domain/evaluation/scores.ts';
import { dispositions } from '../../domain/message/message.ts';
import { type Gate, type GatedScore, gatedScores } from './command-line.ts';

const scoreOf: Readonly<Record<GatedScore, (scores: Scores) => number | null>> = {
  classification_accuracy: ifClassified((scores) => scores.classificationAccuracy),
  macro_f1: ifClassified((scores) => scores.macroF1),
  tool_selection_accuracy: (scores) => scores.toolSelectionAccuracy,
  escalation_accuracy: (scores) => scores.escalationAccuracy,
  concern_recall: (scores) => scores.concerns.recall,
  concern_precision: (scores) => scores.concerns.precision,
  answered_wrong_rate: (scores) => scores.answeredWrongRate,
  calibration_error: ifClassified((scores) => scores.calibrationError),
};

/** A score of intents, which is not judged without a ticket that expects one. */
function ifClassified(scoreIn: (scores: Scores) => number): (scores: Scores) => number | null {
  return (scores) => (scores.perIntent.length === 0 ? null : scoreIn(scores));
}

/** One line for each gate that an evaluation failed. A score that was not judged fails every gate. */
export function failedGates(scores: Scores, gates: readonly Gate[]): readonly string[] {
  return gates.flatMap(({ name, limit }) => {
    const value = scoreOf[name](scores);
    if (value === null) return [`${name} was not judged`];
    const isMinimum = gatedScores[name] === 'minimum';
    if (isMinimum ? value >= limit : value <= limit) return [];
    return [`${name} is ${value}, ${isMinimum ? 'below' : 'above'} ${limit}`];
  });
}

/** One line for each stage and reason for which the rules decided instead of the language model. */
export function modelFallbacks(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].map(([cause, count]) => `fallbacks to the rules: ${count} (${cause})`);
}

/** Formats an evaluation as tables of plain text. */
export function formatReport({ dataset, scores }: Pick<Evaluation, 'dataset' | 'scores'>): string {
  const from = dataset.seed === null ? '' : `, seed ${dataset.seed}`;
  const lines = [
    `${scores.totalTickets} tickets (${dataset.name}${from}). ${dataset.description}`,
    '',
    ...table([['score', ''], ...scoreRows(scores).map(([name, value]) => [name, format(value)])]),
    '',
    ...table([
      ['intent', 'precision', 'recall', 'f1', 'support'],
      ...scores.perIntent.map(([intent, { precision, recall, f1, support }]) => [
        intent,
        format(precision),
        format(recall),
        format(f1),
        String(support),
      ]),
    ]),
    '',
    ...concernTable(scores),
    ...dispositionTable(scores),
    ...reasonTable(scores),
    ...table([
      ['confidence', 'tickets', 'accuracy'],
      ...scores.calibration.map(({ from, to, count, accuracy }) => [
        `${from.toFixed(1)} to ${to.toFixed(1)}`,
        String(count),
        accuracy === null ? '' : format(accuracy),
      ]),
    ]),
    '',
    ...table([
      ['threshold', 'no person', 'error rate', 'escalated'],
      ...scores.thresholds.map(({ threshold, coverage, errorRate, escalationRate }) => [
        threshold.toFixed(2),
        format(coverage),
        format(errorRate),
        format(escalationRate),
      ]),
    ]),
  ];
  return lines.join('\n');
}

/** The scores that are one number each. */
function scoreRows(scores: Scores): readonly (readonly [string, number | null])[] {
  return [
    ['classification_accuracy', scores.classificationAccuracy],
    ['macro_f1', scores.macroF1],
    ['tool_selection_accuracy', scores.toolSelectionAccuracy],
    ['escalation_accuracy', scores.escalationAccuracy],
    ['escalation_rate', scores.escalationRate],
    ['concern_recall', scores.concerns.recall],
    ['concern_precision', scores.concerns.precision],
    ['answered_wrong_rate', scores.answeredWrongRate],
    ['failure_rate', scores.failureRate],
    ['calibration_error', scores.calibrationError],
    ['average_latency_ms', scores.averageLatencyMs],
    ['p95_latency_ms', scores.p95LatencyMs],
  ];
}

/** An evaluation and the name of the classifier that it is about. */
export interface NamedEvaluation {
  readonly name: string;
  readonly evaluation: Pick<Evaluation, 'dataset' | 'scores'>;
}

/** Formats evaluations of the same tickets side by side: the scores, and the F1 of each intent. */
export function formatComparison(evaluations: readonly NamedEvaluation[]): string {
  const [first] = evaluations;
  if (first === undefined) throw new Error('there is nothing to compare');
  const { dataset, scores } = first.evaluation;
  const header = (title: string) => [title, ...evaluations.map(({ name }) => name)];
  const scoresOf = evaluations.map(({ evaluation }) => new Map(scoreRows(evaluation.scores)));
  const f1Of = evaluations.map(
    ({ evaluation }) => new Map(evaluation.scores.perIntent.map(([intent, { f1 }]) => [intent, f1])),
  );
  const intents = [...new Set(f1Of.flatMap((scoresByIntent) => [...scoresByIntent.keys()]))];
  return [
    `${scores.totalTickets} tickets (${dataset.name}). ${dataset.description}`,
    '',
    ...table([
      header('score'),
      ...scoreRows(scores).map(([name]) => [name, ...scoresOf.map((row) => format(row.get(name) ?? null))]),
    ]),
    '',
    ...table([
      header('f1'),
      ...intents.map((intent) => [intent, ...f1Of.map((row) => format(row.get(intent) ?? null))]),
    ]),
  ].join('\n');
}

function concernTable({ concerns }: Scores): readonly string[] {
  if (concerns.perConcern.length === 0) return [];
  const rows = concerns.perConcern.map(([concern, { recall, precision, support }]) => [
    concern,
    format(recall),
    format(precision),
    String(support),
  ]);
  return [...table([['concern', 'recall', 'precision', 'support'], ...rows]), ''];
}

function dispositionTable({ dispositions: counts }: Scores): readonly string[] {
  if (counts.length === 0) return [];
  const rows = counts.map(([expected, row]) => {
    const actual = new Map(row);
    return [expected, ...dispositions.map((disposition) => String(actual.get(disposition) ?? 0))];
  });
  return [...table([['expected', ...dispositions], ...rows]), ''];
}

function reasonTable({ escalationReasons }: Scores): readonly string[] {
  if (escalationReasons.length === 0) return [];
  const rows = escalationReasons.map(([reason, count]) => [reason, String(count)]);
  return [...table([['escalated because', 'tickets'], ...rows]), ''];
}

function format(value: number | null): string {
  return value === null ? 'not judged' : value.toFixed(3);
}

/** Aligns the columns of rows: the first one left, the others right. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (column: number): number =>
    Math.max(...rows.flatMap((row) => row.slice(column, column + 1).map((cell) => cell.length)));
  const align = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widthOf(column)) : cell.padStart(widthOf(column));
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}
