import { describe, expect, test } from 'vitest';
import { createRuleBasedStages } from '../../../src/adapters/rule-based.ts';
import {
  parseDecision,
  parsePlan,
  parseReply,
  parseVerdict,
} from '../../../src/domain/message/stage-contract.ts';
import { hostilePieces, LONGEST_MESSAGE, repeated } from '../../support/hostile-texts.ts';
import { articlesOutcome, context, messageOf, parseIntent } from './stage-inputs.ts';
import { assorted } from './texts.ts';

const stages = createRuleBasedStages({ escalationThreshold: 0.45 });

describe('the deterministic stages', () => {
  test.each([
    ...hostilePieces.map((piece) => repeated(piece, LONGEST_MESSAGE)),
    ...assorted.slice(0, 40).map(([, text]) => text),
  ])('keep the contract of the pipeline for any text', (text) => {
    const message = messageOf(text);
    const classified = stages.classify(message, context);
    const classification = parseDecision(classified, parseIntent).value;
    const planned = stages.plan({ message, classification, hasTool: () => true }, context);
    expect(parseDecision(planned, parsePlan).value.toolCalls.length).toBeLessThanOrEqual(2);
    const input = { message, classification, outcomes: [articlesOutcome] };
    const verified = stages.verify(input, context);
    const verdict = parseDecision(verified, parseVerdict).value;
    const replied = stages.respond({ ...input, verdict }, context);
    const parseResponse = verdict.disposition === 'no_reply' ? String : parseReply;
    expect(() => parseDecision(replied, parseResponse)).not.toThrow();
  });

  test('decide the same for the same message', () => {
    for (const [, text] of assorted) {
      expect(stages.classify(messageOf(text), context)).toEqual(stages.classify(messageOf(text), context));
    }
  });

  test('read a text the same way whatever was read before it', () => {
    const texts = ['plase cancle my ordr', 'I forgot my pasword', 'You will hear from my lawyer'];
    const read = () => texts.map((text) => stages.classify(messageOf(text), context));
    const before = read();
    // More different words than are kept.
    for (let at = 0; at < 200; at++)
      stages.classify(messageOf(wordsOf(100, `${at.toString(36)}zq`)), context);
    expect(read()).toEqual(before);
    expect(createRuleBasedStages().classify(messageOf('plase cancle my ordr'), context)).toEqual(before[0]);
  });

  test('decide the same when the stages of several messages interleave', () => {
    const texts = [
      'Cancel my order, please',
      'You will hear from my lawyer',
      'Let me speak to a human',
      'How can I cancel my booking?',
    ];
    const inputs = texts.map((text) => ({
      message: messageOf(text),
      classification: { intent: 'cancellation', confidence: 1 } as const,
      outcomes: [articlesOutcome],
    }));
    const oneByOne = inputs.map((input) => stages.verify(input, context));
    for (const { message } of inputs) stages.classify(message, context);
    expect(inputs.map((input) => stages.verify(input, context))).toEqual(oneByOne);
    expect(oneByOne.map((decided) => parseDecision(decided, parseVerdict).value.reasons[0])).toEqual([
      ...['answerable', 'legal', 'human_requested', 'answerable'],
    ]);
  });

  test('escalate below the threshold in their options', () => {
    const input = {
      message: messageOf('What are your opening hours?'),
      classification: { intent: 'general_question', confidence: 0.9 } as const,
      outcomes: [articlesOutcome],
    };
    const strict = createRuleBasedStages({ escalationThreshold: 0.95 });
    expect(strict.verify(input, context)).toMatchObject({ value: { escalated: true } });
    expect(stages.verify(input, context)).toMatchObject({ value: { escalated: false } });
  });
});

/** Different words. */
function wordsOf(count: number, start: string): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return Array.from(
    { length: count },
    (_, at) => `${start}${letters[at % 26]}${letters[Math.floor(at / 26) % 26]}`,
  ).join(' ');
}
