import { describe, expect, test } from 'vitest';
import { failedGates, formatReport, modelFallbacks } from '../../../src/adapters/evaluation/report.ts';
import { type Scores, score } from '../../../src/domain/evaluation/scores.ts';

const ticket = { message: 'hello', expectedIntent: 'refund', expectedEscalated: false } as const;
const seen = {
  ticket,
  predicted: 'refund',
  confidence: 0.9,
  tools: [],
  escalated: false,
  escalatedAnyway: false,
  failed: false,
  latencyMs: 1.25,
} as const;

/** Two of three intents are right; there are no expected tools. */
const scores: Scores = score([seen, seen, { ...seen, predicted: 'order_status' }]);

describe('gates', () => {
  test('give no line when they pass', () => {
    expect(
      failedGates(scores, [
        { name: 'classification_accuracy', minimum: 0.66 },
        { name: 'classification_accuracy', minimum: 2 / 3 },
        { name: 'macro_f1', minimum: 0.4 },
        { name: 'escalation_accuracy', minimum: 1 },
      ]),
    ).toEqual([]);
  });

  test('give a line with the score and the minimum when they fail, also when the score was not judged', () => {
    expect(
      failedGates(scores, [
        { name: 'classification_accuracy', minimum: 0.667 },
        { name: 'macro_f1', minimum: 0.5 },
        { name: 'tool_selection_accuracy', minimum: 0 },
      ]),
    ).toEqual([
      `classification_accuracy is ${2 / 3}, below 0.667`,
      'macro_f1 is 0.4, below 0.5',
      'tool_selection_accuracy was not judged',
    ]);
  });
});

describe('a report', () => {
  const lines = formatReport({ dataset: { name: 'synthetic', size: 3, seed: 7 }, scores }).split('\n');

  test('begins with the data set', () => {
    expect(lines[0]).toBe('3 tickets (synthetic, seed 7)');
    expect(formatReport({ dataset: { name: 'request', size: 3, seed: null }, scores })).toMatch(
      /^3 tickets \(request\)\n/,
    );
  });

  test('has a row for each score, each intent and each threshold', () => {
    expect(lines).toContain('classification_accuracy       0.667');
    expect(lines).toContain('tool_selection_accuracy  not judged');
    expect(lines).toContain('average_latency_ms            1.250');
    expect(lines.find((line) => line.startsWith('refund'))).toMatch(/^refund +1\.000 +0\.667 +0\.800 +3$/);
    expect(lines.find((line) => line.startsWith('order_status'))).toMatch(
      /^order_status +0\.000 +0\.000 +0\.000 +0$/,
    );
    expect(lines.filter((line) => /^[01]\.\d\d /.test(line))).toHaveLength(21);
    expect(lines.find((line) => line.startsWith('0.45'))).toMatch(/^0\.45 +1\.000 +0\.333 +0\.000$/);
  });

  test('aligns its columns, without blanks at the end of a line', () => {
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
    const header = lines.findIndex((line) => line.startsWith('threshold'));
    const rows = lines.slice(header, header + 22);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
  });
});

test('decisions of the rules instead of the language model are counted by stage and reason', () => {
  expect(modelFallbacks(new Map())).toEqual([]);
  expect(modelFallbacks(new Map([['classifier: unauthorized', 12]]))).toEqual([
    'fallbacks to the rules: 12 (classifier: unauthorized)',
  ]);
});
