import { describe, expect, test } from 'vitest';
import { classifyClauses, hearCues } from '../../../../src/adapters/stages/rules/classify.ts';
import type { Clause, Stance } from '../../../../src/adapters/stages/rules/clause.ts';
import { numberConcepts } from '../../../../src/adapters/stages/rules/concept.ts';
import { createCueIndex } from '../../../../src/adapters/stages/rules/cue-index.ts';
import type { CueTable } from '../../../../src/adapters/stages/rules/tables.ts';
import { type Intent, intents } from '../../../../src/domain/message/message.ts';

const none = {};
const table: CueTable<Intent> = {
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
const findCues = createCueIndex(numbers, intents, table);

function clause(concepts: string, stance: Stance = 'told', turned = false): Clause {
  const names = concepts.split(' ');
  return { concepts: names.flatMap((name) => numbers.get(name) ?? []), stance, turned };
}

function classify(...clauses: Clause[]) {
  return classifyClauses(hearCues(clauses, findCues));
}

test('a cue that names an unknown concept is refused', () => {
  const faulty = { ...table, spam: { strong: 'cancel !ordr' } };
  expect(() => createCueIndex(numbers, intents, faulty)).toThrow('ordr');
});

describe('clauses', () => {
  test('that say nothing make an unsure general question', () => {
    expect(classify()).toMatchObject({ intent: 'general_question', cues: [] });
    expect(classify(clause('idle')).confidence).toBeCloseTo(1 / intents.length);
  });

  test('speak with their heaviest cue, which is told', () => {
    expect(classify(clause('order where'))).toMatchObject({ intent: 'order_status', cues: ['where order'] });
  });

  test('make more certain the heavier their cue is', () => {
    const confidences = ['order', 'happy', 'cancel', 'order where'].map(
      (concepts) => classify(clause(concepts)).confidence,
    );
    expect(confidences).toEqual([...confidences].sort());
    expect(confidences[0]).toBeLessThan(0.45);
    expect(confidences[1]).toBeGreaterThan(0.45);
  });

  test('are unsure between intents for which they say as much', () => {
    const { confidence, alternatives } = classify(clause('money'));
    expect(confidence).toBeLessThan(0.5);
    expect(alternatives[0]?.confidence).toBeCloseTo(confidence);
  });

  test('do not speak with a cue whose absent concept is there', () => {
    expect(classify(clause('money happy')).intent).toBe('feedback');
  });

  test('count most where they ask, then where they tell, least where they give a reason', () => {
    expect(classify(clause('cancel', 'asked'), clause('where order')).intent).toBe('cancellation');
    expect(classify(clause('cancel'), clause('where order', 'aside')).intent).toBe('cancellation');
    expect(classify(clause('cancel', 'aside'), clause('where', 'asked')).intent).toBe('order_status');
  });

  test('that ask with no more than a hint take nothing from those that tell', () => {
    const told = classify(clause('cancel')).confidence;
    expect(classify(clause('order', 'asked'), clause('cancel')).confidence).toBeGreaterThan(told * 0.9);
  });

  test('after a but count more, and so does the first of two wishes', () => {
    expect(classify(clause('cancel'), clause('money back')).intent).toBe('refund');
    expect(classify(clause('happy'), clause('where', 'told', true)).intent).toBe('order_status');
    expect(classify(clause('happy', 'asked'), clause('where', 'asked')).intent).toBe('feedback');
    expect(classify(clause('where', 'asked'), clause('happy', 'asked')).intent).toBe('order_status');
  });

  test('that repeat an intent add to it, but never drown another', () => {
    const once = classify(clause('cancel')).confidence;
    const thousand = Array.from({ length: 1_000 }, () => clause('happy'));
    expect(classify(clause('cancel'), clause('cancel')).confidence).toBeGreaterThan(once);
    expect(classify(clause('where order'), ...thousand).intent).toBe('order_status');
  });
});
