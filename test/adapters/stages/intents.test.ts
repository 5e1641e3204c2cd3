import { describe, expect, test } from 'vitest';
import { type Signal, signals } from '../../../src/adapters/stages/analysis/judgement.ts';
import { findIntents } from '../../../src/adapters/stages/assessment.ts';
import type { RankedIntent } from '../../../src/domain/playbook/intent-classifier.ts';

const known = new Set(['refund', 'order_status', 'billing', 'human_agent', 'feedback', 'spam']);

/** The intents that words stand for: the more words of a text say it, the surer it is. */
const words: Readonly<Record<string, string>> = {
  money: 'refund',
  where: 'order_status',
  invoice: 'billing',
  pills: 'spam',
  recipe: 'cooking',
};

function rank(text: string): readonly RankedIntent[] {
  const found = (text.toLowerCase().match(/[a-z]+/g) ?? []).flatMap((word) => words[word] ?? []);
  const intents = [...new Set([...found, 'refund', 'order_status', 'billing', 'spam'])];
  return intents
    .map((intent) => ({
      intent,
      confidence: found.filter((one) => one === intent).length / (found.length + 0.1),
    }))
    .sort((a, b) => b.confidence - a.confidence);
}

function intentsOf(text: string, loud: Partial<Record<Signal, number>> = {}, own = rank, names = known) {
  const silent = Object.fromEntries(signals.map((signal) => [signal, 0])) as Record<Signal, number>;
  return findIntents(text, { intents: own(text), signals: { ...silent, ...loud } }, own, names);
}

describe('the intents of a message', () => {
  test('are one where its parts say the same, or say little', () => {
    for (const text of [
      'I want my money back',
      'I want my money back. Please send my money now!',
      'My money is late. Thank you very much for that.',
    ]) {
      expect(intentsOf(text)).toMatchObject({ intent: 'refund', intents: ['refund'] });
    }
    expect(intentsOf('money? where?').intents).toHaveLength(1);
  });

  test.each([
    'I want my money back. Also where is the other parcel?',
    'I want my money back and where is the other parcel',
    'Ich will mein money zurück und where ist mein Paket',
    'I want my money back\nwhere is the other parcel',
  ])('are two in %j, in their order', (text) => {
    const { intent, intents, confidence } = intentsOf(text);
    expect(intents).toEqual(['refund', 'order_status']);
    expect(intent).toBe('refund');
    // An answer to both is right only where both are.
    expect(confidence).toBeCloseTo(1 / 1.1);
  });

  test('are as sure as the least sure of them', () => {
    const own = (text: string): readonly RankedIntent[] =>
      rank(text).map((one) =>
        one.intent === 'order_status' ? { ...one, confidence: one.confidence * 0.8 } : one,
      );
    const { intents, confidence } = intentsOf(
      'I want my money back. Also where is the other parcel?',
      {},
      own,
    );
    expect(intents).toEqual(['refund', 'order_status']);
    expect(confidence).toBeCloseTo(0.8 / 1.1);
  });

  test('are each there once', () => {
    const text =
      'I want my money back. Also where is the parcel? And my money is late. And where is that invoice?';
    const { intents } = intentsOf(text);
    expect(new Set(intents).size).toBe(intents.length);
    expect(intents).toEqual(['refund', 'order_status']);
  });

  test('are never spam, and never something that the playbook does not have', () => {
    expect(intentsOf('Buy these cheap pills now. I want my money back.').intents).toEqual(['refund']);
    expect(intentsOf('pills pills pills').intent).not.toBe('spam');
    expect(intentsOf('Send me the recipe please. I want my money back.').intents).toEqual(['refund']);
    const none = intentsOf('recipe recipe recipe');
    expect(known.has(none.intent)).toBe(true);
    expect(none.confidence).toBeLessThan(0.1);
  });

  test('are looked for in the first parts of a text only', () => {
    const far = `${'I want my money back. '.repeat(200)} And where is the other parcel?`;
    expect(intentsOf(far).intents).toEqual(['refund']);
  });

  test('are ranked with all intents, the likeliest first', () => {
    const { ranked } = intentsOf('I want my money back');
    expect(ranked.map(({ intent }) => intent)).toEqual(expect.arrayContaining(['refund', 'billing']));
    expect(ranked).toEqual(ranked.toSorted((a, b) => b.confidence - a.confidence));
  });
});

describe('the intents that every playbook has', () => {
  test.each([
    ['human_agent', { human: 0.9 }],
    ['feedback', { feedback: 0.9 }],
  ] as const)('such as %s are found by the signals', (intent, loud) => {
    expect(intentsOf('is anybody there', loud)).toMatchObject({ intent, confidence: 0.9, intents: [intent] });
    // Not beside an intent that is surer.
    expect(intentsOf('money money money', { human: 0.55, feedback: 0.65 }).intent).toBe('refund');
  });

  test('are left to a classifier that knows them', () => {
    const own = (): readonly RankedIntent[] => [
      { intent: 'refund', confidence: 0.5 },
      { intent: 'human_agent', confidence: 0.1 },
      { intent: 'feedback', confidence: 0.1 },
    ];
    expect(intentsOf('is anybody there', { human: 0.9, feedback: 0.9 }, own).intent).toBe('refund');
  });

  test('are what is left of a playbook without a classifier', () => {
    const nothing = (): readonly RankedIntent[] => [];
    expect(intentsOf('hello', {}, nothing)).toMatchObject({ intent: 'feedback', confidence: 0 });
    expect(intentsOf('hello', { human: 0.8 }, nothing)).toMatchObject({
      intent: 'human_agent',
      confidence: 0.8,
    });
  });
});
