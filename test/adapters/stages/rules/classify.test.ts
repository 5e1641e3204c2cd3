import { describe, expect, test } from 'vitest';
import { classifyClauses, detectCues } from '../../../../src/adapters/stages/rules/classify.ts';
import type { Clause, ClauseKind } from '../../../../src/adapters/stages/rules/clauses.ts';
import { numberConcepts } from '../../../../src/adapters/stages/rules/concepts.ts';
import { type CueTable, createCueMatcher } from '../../../../src/adapters/stages/rules/cue-matcher.ts';
import { type BuiltInIntent, intents } from '../../../../src/domain/message/message.ts';

const none = {};
const table: CueTable<BuiltInIntent> = {
  refund: { decisive: 'money back', strong: 'money !happy', hint: 'order' },
  order_status: { decisive: 'where order', fair: 'where' },
  order_change: none,
  cancellation: { strong: 'cancel' },
  shipping: none,
  billing: { strong: 'money !happy' },
  account: none,
  technical_issue: none,
  complaint: none,
  feedback: { fair: 'happy' },
  subscription: none,
  human_agent: none,
  spam: none,
  general_question: none,
};
const numbers = numberConcepts(['money', 'back', 'happy', 'order', 'where', 'cancel', 'idle']);
const matchCues = createCueMatcher(numbers, intents, table);

function clause(concepts: string, kind: ClauseKind = 'statement', contrasts = false): Clause {
  const names = concepts.split(' ');
  return { concepts: names.flatMap((name) => numbers.get(name) ?? []), kind, contrasts };
}

function classify(...clauses: Clause[]) {
  return classifyClauses(detectCues(clauses, matchCues));
}

test('a cue with an unknown concept is rejected', () => {
  const faulty = { ...table, spam: { strong: 'cancel !ordr' } };
  expect(() => createCueMatcher(numbers, intents, faulty)).toThrow('ordr');
});

describe('clauses', () => {
  test('without cues are an uncertain general question', () => {
    expect(classify()).toMatchObject({ intent: 'general_question', cues: [] });
    expect(classify(clause('idle')).confidence).toBeCloseTo(1 / intents.length);
  });

  test('count with their heaviest cue, which is named', () => {
    expect(classify(clause('order where'))).toMatchObject({ intent: 'order_status', cues: ['where order'] });
  });

  test('give more confidence the heavier their cue is', () => {
    const confidences = ['order', 'happy', 'cancel', 'order where'].map(
      (concepts) => classify(clause(concepts)).confidence,
    );
    expect(confidences).toEqual([...confidences].sort());
    expect(confidences[0]).toBeLessThan(0.45);
    expect(confidences[1]).toBeGreaterThan(0.45);
  });

  test('give little confidence when two intents weigh the same', () => {
    const { confidence, alternatives } = classify(clause('money'));
    expect(confidence).toBeLessThan(0.5);
    expect(alternatives[0]?.confidence).toBeCloseTo(confidence);
  });

  test('do not match a cue with an excluded concept', () => {
    expect(classify(clause('money happy')).intent).toBe('feedback');
  });

  test('count most as a request, less as a statement, least as background', () => {
    expect(classify(clause('cancel', 'request'), clause('where order')).intent).toBe('cancellation');
    expect(classify(clause('cancel'), clause('where order', 'background')).intent).toBe('cancellation');
    expect(classify(clause('cancel', 'background'), clause('where', 'request')).intent).toBe('order_status');
  });

  test('that request with only a hint do not weaken statements', () => {
    const alone = classify(clause('cancel')).confidence;
    expect(classify(clause('order', 'request'), clause('cancel')).confidence).toBeGreaterThan(alone * 0.9);
  });

  test('count more after a but, and as the first of two requests', () => {
    expect(classify(clause('cancel'), clause('money back')).intent).toBe('refund');
    expect(classify(clause('happy'), clause('where', 'statement', true)).intent).toBe('order_status');
    expect(classify(clause('happy', 'request'), clause('where', 'request')).intent).toBe('feedback');
    expect(classify(clause('where', 'request'), clause('happy', 'request')).intent).toBe('order_status');
  });

  test('that repeat an intent add to it within a limit', () => {
    const once = classify(clause('cancel')).confidence;
    const thousand = Array.from({ length: 1_000 }, () => clause('happy'));
    expect(classify(clause('cancel'), clause('cancel')).confidence).toBeGreaterThan(once);
    expect(classify(clause('where order'), ...thousand).intent).toBe('order_status');
  });
});
