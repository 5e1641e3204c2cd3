import { describe, expect, test } from 'vitest';
import { createRuleBasedStages } from '../../../src/adapters/stages/rule-based.ts';
import {
  parseClassification,
  parseDecision,
  parsePlan,
  parseReply,
  parseVerdict,
} from '../../../src/domain/message/stage-contract.ts';
import { hostilePieces, LONGEST_MESSAGE, repeated } from '../../support/hostile-texts.ts';
import { countWork } from '../../support/work/count-work.ts';
import { assorted } from './assorted.ts';
import { articlesOutcome, context, messageOf } from './stage-inputs.ts';

const stages = createRuleBasedStages({ escalationThreshold: 0.45 });

describe('the deterministic stages', () => {
  test.each([
    ...hostilePieces.map((piece) => repeated(piece, LONGEST_MESSAGE)),
    ...assorted.slice(0, 40).map(([, text]) => text),
  ])('keep the contract of the pipeline and decide at once', (text) => {
    const message = messageOf(text);
    const classified = stages.classify(message, context);
    const classification = parseDecision(classified, parseClassification).value;
    const planned = stages.plan({ message, classification, hasTool: () => true }, context);
    expect(parseDecision(planned, parsePlan).value.toolCalls.length).toBeLessThanOrEqual(1);
    const input = { message, classification, outcomes: [articlesOutcome] };
    const verified = stages.verify(input, context);
    const verdict = parseDecision(verified, parseVerdict).value;
    expect(() => parseDecision(stages.respond({ ...input, verdict }, context), parseReply)).not.toThrow();
  });

  test('decide the same for the same message', () => {
    for (const [, text] of assorted) {
      expect(stages.classify(messageOf(text), context)).toEqual(stages.classify(messageOf(text), context));
    }
  });

  test('decide the same whichever messages come between their stages', () => {
    const texts = [
      'Cancel my order, please',
      'I will sue you',
      'Let me speak to a human',
      'Where is my parcel?',
    ];
    const inputs = texts.map((text) => ({
      message: messageOf(text),
      classification: { intent: 'cancellation', confidence: 1 } as const,
      outcomes: [articlesOutcome],
    }));
    const oneByOne = inputs.map((input) => stages.verify(input, context));
    for (const { message } of inputs) stages.classify(message, context);
    expect(inputs.map((input) => stages.verify(input, context))).toEqual(oneByOne);
    expect(oneByOne.map((decided) => parseDecision(decided, parseVerdict).value.reasons)).toEqual([
      ['answerable'],
      ['legal_action'],
      ['human_requested'],
      ['answerable'],
    ]);
  });

  test('look into a bounded number of misspelt words, no two of them alike', () => {
    const letters = [...'bcdfghjklmnpqrstvwxz'];
    const gibberish = (start: string, count: number): string =>
      Array.from({ length: count }, (_, at) => {
        const [one, two] = [letters[at % 20], letters[Math.floor(at / 20)]];
        return `${start}${one}q${two}qz`;
      }).join(' ');
    const few = countWork(() => stages.classify(messageOf(gibberish('re', 100)), context));
    const many = countWork(() => stages.classify(messageOf(gibberish('de', 400)), context));
    expect(many).toBeLessThan(few * 2);
  });

  test('escalate by the threshold they are given', () => {
    const message = messageOf('asdf qwer');
    const input = {
      message,
      classification: { intent: 'general_question', confidence: 0.07 } as const,
      outcomes: [articlesOutcome],
    };
    const lenient = createRuleBasedStages({ escalationThreshold: 0.05 });
    expect(stages.verify(input, context)).toMatchObject({ value: { escalated: true } });
    expect(lenient.verify(input, context)).toMatchObject({ value: { escalated: false } });
  });
});
