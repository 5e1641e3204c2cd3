import { describe, expect, test } from 'vitest';
import { createAssessorFor } from '../../../src/adapters/rule-based.ts';
import { withDoubt } from '../../../src/adapters/stages/assessment.ts';
import { hasContent, reasons, verifyAnswer } from '../../../src/adapters/stages/verifier.ts';
import { type Concern, concerns, type Intent } from '../../../src/domain/message/message.ts';
import { parseDecision, parseVerdict } from '../../../src/domain/message/stage-contract.ts';
import type { Playbook } from '../../../src/domain/playbook/playbook.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { VerificationInput } from '../../../src/ports/stages.ts';
import {
  articlesOutcome,
  assessor,
  messageOf,
  notFoundOf,
  outcomeOf,
  policyOutcome,
  twoIntents,
  verificationOf,
} from './stage-inputs.ts';

const THRESHOLD = 0.97;
const { playbook } = assessor;
const orderOutcome = outcomeOf('check_order_status', { order_id: 'A-1', status: 'shipped' });

/** A verdict, which must keep the contract. */
function verify(input: VerificationInput, escalationThreshold = THRESHOLD, own: Playbook = playbook) {
  const decision = verifyAnswer(input, {
    assessor: createAssessorFor({ playbook: own }),
    escalationThreshold,
  });
  expect(parseDecision(decision, parseVerdict).value).toEqual(decision.value);
  return decision;
}

const refundOf = (confidence = 0.99, outcomes = [policyOutcome]) =>
  verificationOf('I want a refund', 'refund', outcomes, confidence);

describe('the verifier', () => {
  test('accepts a confident answer with content', () => {
    const decided = verify(refundOf());
    expect(decided.value).toEqual({
      escalated: false,
      reasons: ['answerable'],
      disposition: 'answered',
      concerns: [],
    });
    expect(decided.source).toBe('deterministic');
    expect(decided.summary).toBe(`Not escalated: ${reasons.answerable}.`);
    const { answerable, ...others } = decided.data;
    expect(answerable).toBeGreaterThanOrEqual(THRESHOLD);
    expect(answerable).toBeLessThanOrEqual(0.999);
    expect(others).toEqual({
      escalated: false,
      disposition: 'answered',
      reasons: ['answerable'],
      concerns: [],
      explanations: [reasons.answerable],
      confidence: 0.99,
      threshold: THRESHOLD,
    });
  });

  test.each([
    [0.5, 0.96, ['answerable']],
    [0.97, 0.96, ['low_confidence']],
    [0.97, 0.999, ['answerable']],
  ])('compares with the threshold %d the confidence %d', (threshold, confidence, expected) => {
    expect(verify(refundOf(confidence), threshold).value.reasons).toEqual(expected);
  });

  test('answers only what is sure enough after the doubt of the judgement, whatever the intent', () => {
    const doubtful = 'I would like the refund that we spoke about, as agreed';
    const { doubt } = assessor.assess(messageOf(doubtful));
    expect(doubt).toBeGreaterThan(0);
    const decided = verify(verificationOf(doubtful, 'refund', [policyOutcome], 0.9), 0);
    expect(decided.data['answerable']).toBeCloseTo(withDoubt(0.9, doubt), 3);
    expect(decided.data['answerable']).toBeLessThan(0.9);
    const between = (0.9 + Number(decided.data['answerable'])) / 2;
    const { value } = verify(verificationOf(doubtful, 'refund', [policyOutcome], 0.9), between);
    expect(value.reasons).toContain('needs_person');
    expect(value.reasons).not.toContain('low_confidence');
  });

  test('escalates nearly every confidence at threshold 1', () => {
    expect(verify(refundOf(0.999), 1).value.escalated).toBe(true);
    expect(verify(refundOf(1), 1).value.escalated).toBe(false);
  });

  test('never answers with less confidence than the message needs, whatever the threshold is', () => {
    const leastConfidence = assessor.leastConfidence(refundOf(1).message, 'refund');
    expect(leastConfidence).toBeGreaterThan(0);
    const low = verify(refundOf(leastConfidence - 0.01), 0);
    expect(low.value.reasons).toEqual(['low_confidence']);
    expect(low.data['threshold']).toBeCloseTo(leastConfidence, 3);
    expect(verify(refundOf(0.999), 0).value.escalated).toBe(false);
  });

  test('asks for more confidence where the playbook does for the intent', () => {
    const refund = { ...assessor.intentOf('refund'), threshold: 0.98 };
    const strict = { ...playbook, intents: new Map([...playbook.intents, ['refund', refund]]) };
    const decided = verify(refundOf(0.975), THRESHOLD, strict);
    expect(decided.value.reasons).toEqual(['low_confidence']);
    expect(decided.data).toMatchObject({ threshold: 0.98 });
    expect(verify(refundOf(0.9999), THRESHOLD, strict).value.escalated).toBe(false);
  });

  test('escalates a request for a person, as the intent or beside it', () => {
    expect(verify(verificationOf('agent please', 'human_agent')).value.reasons).toContain('human_requested');
    const text = 'Refund me, or put me through to a human agent. I want to speak to a person.';
    const { value } = verify(verificationOf(text, 'refund', [policyOutcome]));
    expect(value).toMatchObject({ escalated: true, disposition: 'escalated' });
    expect(value.reasons).toContain('human_requested');
  });

  test('escalates where there is nothing to answer with', () => {
    const expected = { escalated: true, reasons: ['nothing_to_answer_with'] };
    expect(verify(refundOf(0.99, [])).value).toMatchObject(expected);
    const empty = outcomeOf('search_help_center', { articles: [] });
    const question = verificationOf('What are your opening hours?', 'general_question', [empty]);
    expect(verify(question).value).toMatchObject(expected);
  });

  test('answers a missing order number with a question, and an unknown order with the result', () => {
    expect(verify(verificationOf('Where is my order?', 'order_status')).value).toEqual({
      escalated: false,
      reasons: ['question_asked'],
      disposition: 'answered',
      concerns: [],
    });
    const unknown = verificationOf('Where is my order 5512?', 'order_status', [
      notFoundOf('check_order_status'),
    ]);
    expect(verify(unknown).value).toEqual({
      escalated: false,
      reasons: ['not_found'],
      disposition: 'answered',
      concerns: [],
    });
  });

  test('escalates an order with a number whose tool was not called', () => {
    const { value } = verify(verificationOf('Where is my order 5512?', 'order_status'));
    expect(value.reasons).toEqual(['nothing_to_answer_with']);
    const answered = verificationOf('Where is my order 5512?', 'order_status', [orderOutcome]);
    expect(verify(answered).value.reasons).toEqual(['answerable']);
  });

  test.each<[Intent, string]>([
    ['feedback', 'I love the new shop, well done'],
    ['order_status', 'Where is my order?'],
  ])('needs no tool for %s in %j', (intent, text) => {
    expect(verify(verificationOf(text, intent)).value.escalated).toBe(false);
  });

  test('wants an answer to each of two wishes', () => {
    const { message, intents, intent } = twoIntents();
    const classification = { intent, confidence: 0.99 };
    const outcomes = intents.map((name) => {
      const tool = assessor.intentOf(name).tools[0]?.name ?? 'search_help_center';
      const title = { title: 'One', excerpt: 'Do this.' };
      return outcomeOf(tool, { articles: [title] }, { intent: name });
    });
    const input = { message, classification, outcomes };
    expect(verify(input).value).toMatchObject({ escalated: false, reasons: ['answerable'] });
    for (const outcome of outcomes) {
      expect(verify({ ...input, outcomes: [outcome] }).value).toMatchObject({
        escalated: true,
        reasons: ['nothing_to_answer_with'],
      });
    }
  });

  test('sends no reply to spam', () => {
    const { value, summary } = verify(
      verificationOf('Get rich now! Cheap pills, visit http://win.example', 'spam'),
    );
    expect(value).toEqual({ escalated: false, reasons: ['spam'], disposition: 'no_reply', concerns: [] });
    expect(summary).toBe(`Not escalated and not answered: ${reasons.spam}.`);
  });

  test('takes a bounce for one, whatever the words of its text', () => {
    const input = { ...refundOf(), message: messageOf('Where is my order A-1234?', { automatic: 'bounce' }) };
    expect(verify(input).value).toMatchObject({ reasons: ['bounce'], disposition: 'no_reply' });
  });

  test.each(['auto_reply', 'bounce', 'empty'] as const)('sends no reply to %s', (automatic) => {
    const text = automatic === 'empty' ? '' : 'I am away until Monday, thank you for your message.';
    const input = { ...refundOf(), message: messageOf(text, { automatic }) };
    expect(verify(input).value).toEqual({
      escalated: false,
      reasons: [automatic],
      disposition: 'no_reply',
      concerns: [],
    });
  });

  test.each(['ok thanks', 'Thank you very much!', 'hi', 'Good morning'])(
    'answers %j at any confidence',
    (text) => {
      const { value } = verify(verificationOf(text, 'feedback', [], 0.1));
      expect(value).toEqual({
        escalated: false,
        reasons: ['small_talk'],
        disposition: 'answered',
        concerns: [],
      });
    },
  );

  test.each<[Concern, string]>([
    ['legal', 'You will hear from my lawyer'],
    ['injury', 'The kettle exploded and burned my hand'],
    ['self_harm', 'I want to kill myself'],
    ['privacy', 'Under the GDPR I ask you to erase all data about me'],
  ])('escalates %s at any confidence', (concern, text) => {
    const { value, summary } = verify(verificationOf(text, 'refund', [policyOutcome], 1));
    expect(value).toMatchObject({ escalated: true, disposition: 'escalated' });
    expect(value.concerns).toContain(concern);
    expect(value.reasons).toContain(concern);
    expect(summary).toContain(reasons[concern]);
  });

  test.each(concerns)('escalates %s that the classifier found', (concern) => {
    const classification = { intent: 'refund', confidence: 1, concerns: [concern] } as const;
    const { value } = verify({ ...refundOf(), classification });
    expect(value).toEqual({
      escalated: true,
      reasons: [concern],
      disposition: 'escalated',
      concerns: [concern],
    });
  });

  test('removes no concern of the rules where the classifier found none', () => {
    const classification = { intent: 'refund', confidence: 1, concerns: [] } as const;
    const message = messageOf('You will hear from my lawyer');
    expect(verify({ ...refundOf(), message, classification }).value.concerns).toContain('legal');
  });

  test('escalates an automatic message and spam with a concern of the classifier', () => {
    const classification = { intent: 'spam', confidence: 1, concerns: ['threat'] } as const;
    expect(verify({ ...refundOf(), classification }).value.disposition).toBe('escalated');
    const automatic = messageOf('I want a refund', { automatic: 'auto_reply' });
    expect(verify({ ...refundOf(), classification, message: automatic }).value.disposition).toBe('escalated');
  });

  test('escalates a language without replies, and answers where it is not known', () => {
    const inLanguage = (language: string) => ({
      ...refundOf(),
      message: messageOf('I want a refund', { language }),
    });
    expect(verify(inLanguage('de')).value).toMatchObject({ escalated: true, reasons: ['language'] });
    expect(verify(inLanguage('und')).value.reasons).toEqual(['answerable']);
    const company = { ...playbook.company, languages: ['en', 'de'] as const };
    expect(verify(inLanguage('de'), THRESHOLD, { ...playbook, company }).value.reasons).toEqual(['language']);
    const { replies, ...refund } = assessor.intentOf('refund');
    const german = new Map([...replies, ['de', { render: () => 'So geht es.' }]]);
    const bilingual = {
      ...playbook,
      company,
      intents: new Map([...playbook.intents, ['refund', { ...refund, replies: german }]]),
    };
    expect(verify(inLanguage('de'), THRESHOLD, bilingual).value.escalated).toBe(false);
  });

  test('lists all reasons, concerns first', () => {
    const input = verificationOf('Where is my order 5512?', 'order_status', [], 0.2);
    const message = messageOf('Where is my order 5512?', { language: 'de' });
    expect(verify({ ...input, message }).value.reasons).toEqual([
      ...['language', 'low_confidence', 'nothing_to_answer_with'],
    ]);
    const classification = { ...input.classification, concerns: ['fraud', 'injury'] } as const;
    expect(verify({ ...input, message, classification }).value).toMatchObject({
      reasons: ['injury', 'fraud', 'language'],
      concerns: ['injury', 'fraud'],
    });
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
