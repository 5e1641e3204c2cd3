import { describe, expect, test } from 'vitest';
import { bringsSomething, decideVerdict, reasons } from '../../../src/adapters/stages/verifier.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { articlesOutcome, outcomeOf, policyOutcome, verificationOf } from './stage-inputs.ts';

const THRESHOLD = 0.45;

describe('the verifier', () => {
  test('lets a sure answer with something to say go out', () => {
    const decided = decideVerdict(verificationOf('I want a refund', 'refund', [policyOutcome]), THRESHOLD);
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
  ])('compares confidence %d with its threshold', (confidence, expected) => {
    const input = verificationOf('I want a refund', 'refund', [policyOutcome], confidence);
    expect(decideVerdict(input, THRESHOLD).value.reasons).toEqual(expected);
  });

  test('escalates nothing for its confidence at threshold 0, and nearly everything at 1', () => {
    const input = verificationOf('I want a refund', 'refund', [policyOutcome], 0);
    expect(decideVerdict(input, 0).value.escalated).toBe(false);
    expect(
      decideVerdict({ ...input, classification: { intent: 'refund', confidence: 0.999 } }, 1).value.escalated,
    ).toBe(true);
  });

  test('escalates who asks for a person, as the intent or beside it', () => {
    expect(decideVerdict(verificationOf('agent please', 'human_agent'), THRESHOLD).value.reasons).toContain(
      'human_requested',
    );
    const beside = verificationOf('Refund me, or let me speak to a manager', 'refund', [policyOutcome]);
    expect(decideVerdict(beside, THRESHOLD).value).toEqual({ escalated: true, reasons: ['human_requested'] });
  });

  test('escalates what there is nothing to answer with', () => {
    const nothing = decideVerdict(verificationOf('Where is my order?', 'order_status'), THRESHOLD);
    expect(nothing.value).toEqual({ escalated: true, reasons: ['nothing_to_answer_with'] });
    const empty = outcomeOf('search_help_center', { articles: [] });
    expect(
      decideVerdict(verificationOf('Hm?', 'general_question', [empty]), THRESHOLD).value.reasons,
    ).toEqual(['nothing_to_answer_with']);
  });

  test('lets spam rest although nothing was called for it', () => {
    const decided = decideVerdict(verificationOf('You won a prize', 'spam'), THRESHOLD);
    expect(decided.value).toEqual({ escalated: false, reasons: ['spam'] });
    expect(
      decideVerdict(verificationOf('You won a prize', 'spam', [], 0.3), THRESHOLD).value.reasons,
    ).toEqual(['low_confidence']);
  });

  test.each([
    ['legal_action', 'I want a refund or my lawyer will write to you'],
    ['fraud', 'I want a refund, this charge is fraud'],
    ['injury', 'I want a refund, the kettle burnt my hand'],
    ['self_harm', 'I want a refund, I want to die'],
    ['data_protection', 'I want a refund and all my personal data deleted'],
  ] as const)('escalates %s, however sure the answer', (reason, text) => {
    const decided = decideVerdict(verificationOf(text, 'refund', [policyOutcome], 1), THRESHOLD);
    expect(decided.value).toEqual({ escalated: true, reasons: [reason] });
    expect(decided.summary).toBe(`Escalated: ${reasons[reason]}.`);
  });

  test('tells all reasons, the gravest first', () => {
    const input = verificationOf('Get me an agent or my lawyer will write to you', 'order_status', [], 0.2);
    expect(decideVerdict(input, THRESHOLD).value.reasons).toEqual([
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
  ])('takes the output %j for something to answer with: %j', (output, expected) => {
    expect(bringsSomething(outcomeOf('any', output))).toBe(expected);
  });

  test('takes a failed call for nothing', () => {
    expect(bringsSomething({ ...articlesOutcome, status: 'error' })).toBe(false);
    expect(bringsSomething({ ...articlesOutcome, output: null })).toBe(false);
  });
});
