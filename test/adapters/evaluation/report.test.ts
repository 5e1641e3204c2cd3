import { describe, expect, test } from 'vitest';
import {
  failedGates,
  formatComparison,
  formatReport,
  modelFallbacks,
} from '../../../src/adapters/evaluation/report.ts';
import { type Scores, score } from '../../../src/domain/evaluation/scores.ts';

const ticket = { message: 'hello', expectedIntent: 'refund', expectedEscalated: false } as const;
const seen = {
  ticket,
  predicted: 'refund',
  confidence: 0.9,
  tools: [],
  escalated: false,
  reasons: [],
  disposition: 'answered',
  concerns: [],
  dependsOnThreshold: true,
  failed: false,
  latencyMs: 1.25,
  evidence: [],
} as const;

/** Two of three intents are right; there are no expected tools. */
const scores: Scores = score([seen, seen, { ...seen, predicted: 'order_status' }]);

describe('gates', () => {
  test('give no line when they pass', () => {
    expect(
      failedGates(scores, [
        { name: 'classification_accuracy', limit: 0.66 },
        { name: 'classification_accuracy', limit: 2 / 3 },
        { name: 'macro_f1', limit: 0.4 },
        { name: 'escalation_accuracy', limit: 1 },
        { name: 'answered_wrong_rate', limit: 0.34 },
        { name: 'answered_wrong_rate', limit: 1 / 3 },
        { name: 'calibration_error', limit: 0.5 },
      ]),
    ).toEqual([]);
  });

  test('give a line with the score and the minimum when they fail, also when the score was not judged', () => {
    expect(
      failedGates(scores, [
        { name: 'classification_accuracy', limit: 0.667 },
        { name: 'macro_f1', limit: 0.5 },
        { name: 'tool_selection_accuracy', limit: 0 },
      ]),
    ).toEqual([
      `classification_accuracy is ${2 / 3}, below 0.667`,
      'macro_f1 is 0.4, below 0.5',
      'tool_selection_accuracy was not judged',
    ]);
  });
});

describe('a gate on a rate where lower is better', () => {
  test('is the highest acceptable rate', () => {
    expect(
      failedGates(scores, [
        { name: 'answered_wrong_rate', limit: 0.33 },
        { name: 'calibration_error', limit: 0 },
      ]),
    ).toEqual([
      `answered_wrong_rate is ${1 / 3}, above 0.33`,
      expect.stringMatching(/^calibration_error is 0\.23\d*, above 0$/),
    ]);
  });

  test('fails when no ticket expects an intent', () => {
    const withoutIntent = score([{ ...seen, ticket: { message: 'hello', expectedConcerns: [] } }]);
    const gates = ['classification_accuracy', 'macro_f1', 'calibration_error', 'concern_recall'] as const;
    expect(
      failedGates(
        withoutIntent,
        gates.map((name) => ({ name, limit: name === 'calibration_error' ? 1 : 0 })),
      ),
    ).toEqual(gates.map((name) => `${name} was not judged`));
  });
});

describe('a report', () => {
  const lines = formatReport({
    dataset: { name: 'synthetic', size: 3, seed: 7, description: 'Tickets of a test.' },
    scores,
  }).split('\n');

  test('begins with the data set', () => {
    expect(lines[0]).toBe('3 tickets (synthetic, seed 7). Tickets of a test.');
    expect(
      formatReport({
        dataset: { name: 'request', size: 3, seed: null, description: 'Tickets of a test.' },
        scores,
      }),
    ).toMatch(/^3 tickets \(request\)\. Tickets of a test\.\n/);
  });

  test('has a row for each score, each intent and each threshold', () => {
    expect(lines).toContain('classification_accuracy       0.667');
    expect(lines).toContain('tool_selection_accuracy  not judged');
    expect(lines).toContain('average_latency_ms            1.250');
    expect(lines.find((line) => line.startsWith('refund'))).toMatch(/^refund +1\.000 +0\.667 +0\.800 +3$/);
    expect(lines.find((line) => line.startsWith('order_status'))).toMatch(
      /^order_status +0\.000 +0\.000 +0\.000 +0$/,
    );
    expect(lines).toContain('answered_wrong_rate           0.333');
    expect(lines).toContain('0.9 to 1.0        3     0.667');
    expect(lines).toContain('0.0 to 0.1        0');
    expect(lines.filter((line) => /^[01]\.\d\d /.test(line))).toHaveLength(21);
    expect(lines.find((line) => line.startsWith('0.45'))).toMatch(/^0\.45 +1\.000 +0\.333 +0\.000$/);
  });

  test('has a row for each concern and each disposition, where tickets expect them', () => {
    expect(lines.filter((line) => /^(?:concern|expected) /.test(line))).toEqual([]);
    const judged = score([
      { ...seen, ticket: { message: 'hello', expectedConcerns: [], expectedDisposition: 'answered' } },
      {
        ...seen,
        ticket: { message: 'x', expectedConcerns: ['fraud'], expectedDisposition: 'escalated' },
        escalated: true,
        disposition: 'escalated',
        concerns: ['fraud', 'legal'],
      },
    ]);
    const report = formatReport({
      dataset: { name: 'request', size: 2, seed: null, description: 'Tickets of a test.' },
      scores: judged,
    });
    const written = report.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    expect(written).toContain('concern_recall 1.000');
    expect(written).toContain('fraud 1.000 1.000 1');
    expect(written).toContain('legal not judged 0.000 0');
    expect(written).toContain('expected answered escalated no_reply draft');
    expect(written).toContain('answered 1 0 0 0');
    expect(written).toContain('escalated 0 1 0 0');
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

describe('a comparison', () => {
  const dataset = { name: 'request', size: 3, seed: null, description: 'Tickets of a test.' } as const;
  const better = score([seen, seen, seen]);
  const lines = formatComparison([
    { name: 'old.json', evaluation: { dataset, scores } },
    { name: 'new.json', evaluation: { dataset, scores: better } },
  ]).split('\n');

  test('has the scores of each classifier side by side', () => {
    expect(lines[0]).toBe('3 tickets (request). Tickets of a test.');
    expect(lines.find((line) => line.startsWith('score'))).toMatch(/^score +old\.json +new\.json$/);
    expect(lines.find((line) => line.startsWith('classification_accuracy'))).toMatch(/ 0\.667 +1\.000$/);
    expect(lines.find((line) => line.startsWith('refund'))).toMatch(/^refund +0\.800 +1\.000$/);
  });

  test('shows an intent that only one of them predicted', () => {
    expect(lines.find((line) => line.startsWith('order_status'))).toMatch(/ 0\.000 +not judged$/);
  });
});

test('a report counts why tickets were escalated, the most frequent reason first', () => {
  const escalated = (...reasons: string[]) =>
    ({ ...seen, escalated: true, disposition: 'escalated', reasons }) as const;
  const counted = score([escalated('legal', 'language'), escalated('language'), seen]);
  const dataset = { name: 'request', size: 3, seed: null, description: 'Tickets of a test.' } as const;
  expect(formatReport({ dataset, scores: counted })).toMatch(
    /escalated because +tickets\nlanguage +2\nlegal +1\n/,
  );
  expect(formatReport({ dataset, scores })).not.toContain('escalated because');
});
