import type { Evaluation } from '../../application/evaluation/evaluate.ts';
import type { Scores } from '../../domain/evaluation/scores.ts';
import type { Gate, GatedScore } from './command-line.ts';

const scoreOf: Readonly<Record<GatedScore, (scores: Scores) => number | null>> = {
  classification_accuracy: (scores) => scores.classificationAccuracy,
  macro_f1: (scores) => scores.macroF1,
  tool_selection_accuracy: (scores) => scores.toolSelectionAccuracy,
  escalation_accuracy: (scores) => scores.escalationAccuracy,
};

/** One line for each gate that an evaluation failed. A score that was not judged fails every gate. */
export function failedGates(scores: Scores, gates: readonly Gate[]): readonly string[] {
  return gates.flatMap(({ name, minimum }) => {
    const value = scoreOf[name](scores);
    if (value !== null && value >= minimum) return [];
    return [value === null ? `${name} was not judged` : `${name} is ${value}, below ${minimum}`];
  });
}

/** One line for each stage and reason for which the rules decided instead of the language model. */
export function modelFallbacks(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].map(([cause, count]) => `fallbacks to the rules: ${count} (${cause})`);
}

/** Formats an evaluation as tables of plain text. */
export function formatReport({ dataset, scores }: Evaluation): string {
  const from = dataset.seed === null ? '' : `, seed ${dataset.seed}`;
  const lines = [
    `${scores.totalTickets} tickets (${dataset.name}${from})`,
    '',
    ...table([
      ['score', ''],
      ['classification_accuracy', format(scores.classificationAccuracy)],
      ['macro_f1', format(scores.macroF1)],
      ['tool_selection_accuracy', format(scores.toolSelectionAccuracy)],
      ['escalation_accuracy', format(scores.escalationAccuracy)],
      ['escalation_rate', format(scores.escalationRate)],
      ['failure_rate', format(scores.failureRate)],
      ['calibration_error', format(scores.calibrationError)],
      ['average_latency_ms', format(scores.averageLatencyMs)],
      ['p95_latency_ms', format(scores.p95LatencyMs)],
    ]),
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
    ...table([
      ['threshold', 'answered', 'error rate', 'escalated'],
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
