import type { Evaluation } from '../../application/evaluation/evaluate.ts';
import type { Scores } from '../../domain/evaluation/scores.ts';
import type { Gate, GatedScore } from './command-line.ts';

const scoreOf: Readonly<Record<GatedScore, (scores: Scores) => number | null>> = {
  classification_accuracy: (scores) => scores.classificationAccuracy,
  macro_f1: (scores) => scores.macroF1,
  tool_selection_accuracy: (scores) => scores.toolSelectionAccuracy,
  escalation_accuracy: (scores) => scores.escalationAccuracy,
};

/** The gates that an evaluation did not reach, one line each; a score that was not judged reaches no gate. */
export function missedGates(scores: Scores, gates: readonly Gate[]): readonly string[] {
  return gates.flatMap(({ name, least }) => {
    const reached = scoreOf[name](scores);
    if (reached !== null && reached >= least) return [];
    return [reached === null ? `${name} was not judged` : `${name} is ${reached}, below ${least}`];
  });
}

/** How often the language model gave no decision, by stage and reason: those scores are the rules'. */
export function modelFailures(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].map(([what, count]) => `decisions left to the rules: ${count} (${what})`);
}

/** An evaluation as a table for people. */
export function report({ dataset, scores }: Evaluation): string {
  const from = dataset.seed === null ? '' : `, seed ${dataset.seed}`;
  const lines = [
    `${scores.totalTickets} tickets (${dataset.name}${from})`,
    '',
    ...table([
      ['score', ''],
      ['classification_accuracy', figure(scores.classificationAccuracy)],
      ['macro_f1', figure(scores.macroF1)],
      ['tool_selection_accuracy', figure(scores.toolSelectionAccuracy)],
      ['escalation_accuracy', figure(scores.escalationAccuracy)],
      ['escalation_rate', figure(scores.escalationRate)],
      ['failure_rate', figure(scores.failureRate)],
      ['calibration_error', figure(scores.calibrationError)],
      ['average_latency_ms', figure(scores.averageLatencyMs)],
      ['p95_latency_ms', figure(scores.p95LatencyMs)],
    ]),
    '',
    ...table([
      ['intent', 'precision', 'recall', 'f1', 'support'],
      ...scores.perIntent.map(([intent, { precision, recall, f1, support }]) => [
        intent,
        figure(precision),
        figure(recall),
        figure(f1),
        String(support),
      ]),
    ]),
    '',
    ...table([
      ['threshold', 'answered', 'of it wrong', 'escalated'],
      ...scores.thresholds.map(({ threshold, coverage, errorRate, escalationRate }) => [
        threshold.toFixed(2),
        figure(coverage),
        figure(errorRate),
        figure(escalationRate),
      ]),
    ]),
  ];
  return lines.join('\n');
}

function figure(value: number | null): string {
  return value === null ? 'not judged' : value.toFixed(3);
}

/** Rows with their columns aligned: the first to the left, the others to the right. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
