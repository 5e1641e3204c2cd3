import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scoreModelConfidence } from '../../src/domain/evaluation/model-confidence.ts';
import type { JudgedTicket } from '../../src/domain/evaluation/tickets.ts';
import { type Sureness, surenesses } from '../../src/domain/playbook/playbook.ts';

/** A ticket that expects `refund`, of which the model says `intent`. */
function said(sure: Sureness, intent: string | null, predicted = 'refund'): JudgedTicket {
  return {
    ticket: { message: 'hello', expectedIntent: 'refund' },
    predicted,
    confidence: 0.9,
    tools: [],
    escalated: false,
    reasons: [],
    disposition: 'answered',
    concerns: [],
    dependsOnThreshold: true,
    failed: false,
    latencyMs: 1,
    evidence: [{ stage: 'classifier', summary: 'It is classified.', model: { intent, sure } }],
  };
}

/** Tickets with this sureness, of which so many are right. */
function tickets(sure: Sureness, right: number, wrong: number): readonly JudgedTicket[] {
  return [
    ...Array.from({ length: right }, () => said(sure, 'refund')),
    ...Array.from({ length: wrong }, () => said(sure, 'spam')),
  ];
}

describe('the confidence of a model', () => {
  test('is the share that is right, drawn to the default as by ten tickets', () => {
    const judged = [...tickets('certain', 39, 1), ...tickets('likely', 8, 2), ...tickets('unsure', 5, 5)];
    expect(scoreModelConfidence(judged)).toEqual([
      { sure: 'certain', count: 40, right: 39, lowerBound: expect.closeTo(0.895, 3), value: 0.97 },
      { sure: 'likely', count: 10, right: 8, lowerBound: expect.closeTo(0.541, 3), value: 0.78 },
      { sure: 'unsure', count: 10, right: 5, lowerBound: expect.closeTo(0.269, 3), value: 0.45 },
    ]);
  });

  test('is the default for a sureness that never occurs', () => {
    expect(scoreModelConfidence(tickets('certain', 10, 0))).toEqual([
      { sure: 'certain', count: 10, right: 10, lowerBound: expect.closeTo(0.787, 3), value: 0.98 },
      { sure: 'likely', count: 0, right: 0, lowerBound: null, value: 0.75 },
      { sure: 'unsure', count: 0, right: 0, lowerBound: null, value: 0.4 },
    ]);
  });

  test('is one for words whose shares are out of order', () => {
    const judged = [...tickets('certain', 2, 8), ...tickets('likely', 9, 1)];
    // (2 + 9.5 + 9 + 7.5) / 40
    expect(scoreModelConfidence(judged)?.map(({ value }) => value)).toEqual([0.7, 0.7, 0.4]);
  });

  test('stays from 0.01 to 0.99', () => {
    const judged = [...tickets('certain', 5_000, 0), ...tickets('unsure', 0, 5_000)];
    expect(scoreModelConfidence(judged)?.map(({ value }) => value)).toEqual([0.99, 0.75, 0.01]);
  });

  test('counts the intent by the model, not the one that was decided in its place', () => {
    const judged = [said('likely', 'spam', 'refund'), said('likely', 'refund', 'human_agent')];
    expect(scoreModelConfidence(judged)?.[1]).toMatchObject({ count: 2, right: 1 });
    expect(scoreModelConfidence([said('likely', null, 'refund')])?.[1]).toMatchObject({ right: 1 });
  });

  test('is not known without a sureness, and not from tickets without an expected intent', () => {
    const [one] = tickets('certain', 1, 0);
    if (one === undefined) throw new Error('there is no ticket');
    expect(scoreModelConfidence([])).toBeUndefined();
    expect(scoreModelConfidence([{ ...one, evidence: [] }])).toBeUndefined();
    expect(
      scoreModelConfidence([{ ...one, ticket: { message: 'hello', expectedConcerns: [] } }]),
    ).toBeUndefined();
  });

  test('never rises from a surer word to a less sure one, whatever was said', () => {
    const sample = fc.array(fc.tuple(fc.constantFrom(...surenesses), fc.boolean()), { minLength: 1 });
    fc.assert(
      fc.property(sample, (words) => {
        const scores = scoreModelConfidence(
          words.map(([sure, isRight]) => said(sure, isRight ? 'refund' : 'spam')),
        );
        const [certain = 0, likely = 0, unsure = 0] = scores?.map(({ value }) => value) ?? [];
        expect(certain).toBeGreaterThanOrEqual(likely);
        expect(likely).toBeGreaterThanOrEqual(unsure);
        expect(unsure).toBeGreaterThanOrEqual(0.01);
        expect(certain).toBeLessThanOrEqual(0.99);
      }),
    );
  });
});
