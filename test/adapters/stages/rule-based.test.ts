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
import { assorted } from './assorted.ts';
import { articlesOutcome, context, messageOf } from './stage-inputs.ts';

const stages = createRuleBasedStages({ escalationThreshold: 0.45 });

describe('the deterministic stages', () => {
  test.each([
    ...hostilePieces.map((piece) => repeated(piece, LONGEST_MESSAGE)),
    ...assorted.slice(0, 40).map(([, text]) => text),
  ])('keep the contract of the pipeline for any text', (text) => {
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

  test('decide the same when the stages of several messages interleave', () => {
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

  test('escalate below the threshold in their options', () => {
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
