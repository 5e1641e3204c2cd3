import { describe, expect, test } from 'vitest';
import { hasContent, reasons, verifyAnswer } from '../../../src/adapters/stages/verifier.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { articlesOutcome, outcomeOf, policyOutcome, verificationOf } from './stage-inputs.ts';

const THRESHOLD = 0.45;

describe('the verifier', () => {
  test('accepts a confident answer with content', () => {
    const decided = verifyAnswer(verificationOf('I want a refund', 'refund', [policyOutcome]), THRESHOLD);
    expect(decided.value).toEqual({ escalated: false, reasons: ['answerable'] });
    expect(decided.source).toBe('deterministic');
    expect(decided.summary).toBe(`Not escalated: ${reasons.answerable}.`);
    expect(decided.data).toEqual({
      escalated: false,
      reasons: ['answerable'],
      explanations: [reasons.answerable],
      confidence: 0.9,
      threshold: THRESHOLD,
    });
  });

  test.each([
    [0.44, ['low_confidence']],
    [0.45, ['answerable']],
    [0.9, ['answerable']],
  ])('compares the confidence %d with the threshold', (confidence, expected) => {
    const input = verificationOf('I want a refund', 'refund', [policyOutcome], confidence);
    expect(verifyAnswer(input, THRESHOLD).value.reasons).toEqual(expected);
  });

  test('escalates no confidence at threshold 0, and nearly every one at 1', () => {
    const input = verificationOf('I want a refund', 'refund', [policyOutcome], 0);
    expect(verifyAnswer(input, 0).value.escalated).toBe(false);
    expect(
      verifyAnswer({ ...input, classification: { intent: 'refund', confidence: 0.999 } }, 1).value.escalated,
    ).toBe(true);
  });

  test('escalates a request for a person, as the intent or beside it', () => {
    expect(verifyAnswer(verificationOf('agent please', 'human_agent'), THRESHOLD).value.reasons).toContain(
      'human_requested',
    );
    const beside = verificationOf('Refund me, or let me speak to a manager', 'refund', [policyOutcome]);
    expect(verifyAnswer(beside, THRESHOLD).value).toEqual({ escalated: true, reasons: ['human_requested'] });
  });

  test('escalates when there is nothing to answer with', () => {
    const nothing = verifyAnswer(verificationOf('Where is my order?', 'order_status'), THRESHOLD);
    expect(nothing.value).toEqual({ escalated: true, reasons: ['nothing_to_answer_with'] });
    const empty = outcomeOf('search_help_center', { articles: [] });
    expect(verifyAnswer(verificationOf('Hm?', 'general_question', [empty]), THRESHOLD).value.reasons).toEqual(
      ['nothing_to_answer_with'],
    );
  });

  test('does not escalate spam, which needs no tool', () => {
    const decided = verifyAnswer(verificationOf('You won a prize', 'spam'), THRESHOLD);
    expect(decided.value).toEqual({ escalated: false, reasons: ['spam'] });
    expect(verifyAnswer(verificationOf('You won a prize', 'spam', [], 0.3), THRESHOLD).value.reasons).toEqual(
      ['low_confidence'],
    );
  });

  test.each([
    ['legal_action', 'I want a refund or my lawyer will write to you'],
    ['fraud', 'I want a refund, this charge is fraud'],
    ['injury', 'I want a refund, the kettle burnt my hand'],
    ['self_harm', 'I want a refund, I want to die'],
    ['data_protection', 'I want a refund and all my personal data deleted'],
  ] as const)('escalates %s at any confidence', (reason, text) => {
    const decided = verifyAnswer(verificationOf(text, 'refund', [policyOutcome], 1), THRESHOLD);
    expect(decided.value).toEqual({ escalated: true, reasons: [reason] });
    expect(decided.summary).toBe(`Escalated: ${reasons[reason]}.`);
  });

  test('lists all reasons, the most serious first', () => {
    const input = verificationOf('Get me an agent or my lawyer will write to you', 'order_status', [], 0.2);
    expect(verifyAnswer(input, THRESHOLD).value.reasons).toEqual([
      'legal_action',
      'human_requested',
      'low_confidence',
      'nothing_to_answer_with',
    ]);
  });

  test.each<[JsonObject, boolean]>([
    [{}, false],
    [{ articles: [] }, false],
    [{ note: '', more: null, deep: {} }, false],
    [{ articles: [{}] }, true],
    [{ count: 0 }, true],
    [{ ok: false }, true],
    [{ policy: 'x' }, true],
  ])('finds content in the output %j: %j', (output, expected) => {
    expect(hasContent(outcomeOf('any', output))).toBe(expected);
  });

  test('finds no content in a failed call', () => {
    expect(hasContent({ ...articlesOutcome, status: 'error' })).toBe(false);
    expect(hasContent({ ...articlesOutcome, output: null })).toBe(false);
  });
});
