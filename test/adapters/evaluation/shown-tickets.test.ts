import { describe, expect, test } from 'vitest';
import { formatShown, ticketsToShow, toJsonLines } from '../../../src/adapters/evaluation/report.ts';
import type { JudgedTicket } from '../../../src/domain/evaluation/tickets.ts';

const judged: JudgedTicket = {
  ticket: { message: 'My "lawyer"\nwill write', expectedIntent: 'refund', expectedConcerns: ['legal'] },
  predicted: 'feedback',
  confidence: 0.875,
  tools: [],
  escalated: true,
  disposition: 'escalated',
  concerns: ['legal'],
  reasons: ['concern'],
  dependsOnThreshold: false,
  failed: false,
  latencyMs: 1,
  evidence: [
    { stage: 'classifier', summary: 'It is feedback.', words: { legal: ['lawyer', 'will "write"'] } },
    { stage: 'verifier', summary: 'A person has to see it.' },
  ],
};

const shown = ticketsToShow([judged], 'wrong', new Set());

describe('a shown ticket', () => {
  test('has what was expected and decided, the confidence, the reasons, the concerns and the words', () => {
    expect(formatShown(shown, 'wrong', 4).split('\n')).toEqual([
      'wrong: 1 of 4 tickets',
      '',
      '1: "My \\"lawyer\\"\\nwill write"',
      '  mistakes: intent',
      '  expected: refund, escalated, concerns: legal',
      '  decided:  feedback, escalated, concerns: legal, confidence 0.88',
      '  because:  concern',
      '  classifier: It is feedback.',
      '    legal: "lawyer", "will \\"write\\""',
      '  verifier: A person has to see it.',
    ]);
  });

  test('is one line of JSON Lines, with the words and the classifier', () => {
    const lines = toJsonLines([...shown, ...shown], 'own.json').split('\n');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      classifier: 'own.json',
      number: 1,
      message: judged.ticket.message,
      reasons: ['concern'],
      evidence: [{ stage: 'classifier', words: { legal: ['lawyer', 'will "write"'] } }, {}],
    });
    expect(toJsonLines([], null)).toBe('');
  });
});
