import { describe, expect, test } from 'vitest';
import { type Signal, signals } from '../../../src/adapters/stages/analysis/signals.ts';
import { findWishes } from '../../../src/adapters/stages/wishes.ts';
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

function wishesOf(text: string, loud: Partial<Record<Signal, number>> = {}, own = rank, intents = known) {
  const silent = Object.fromEntries(signals.map((signal) => [signal, 0])) as Record<Signal, number>;
  return findWishes(text, { intents: own(text), signals: { ...silent, ...loud } }, own, intents);
}

describe('the wishes of a message', () => {
  test('are one where its parts say the same, or say little', () => {
    for (const text of [
      'I want my money back',
      'I want my money back. Please send my money now!',
      'My money is late. Thank you very much for that.',
    ]) {
      expect(wishesOf(text)).toMatchObject({ intent: 'refund', wishes: ['refund'] });
    }
    expect(wishesOf('money? where?').wishes).toHaveLength(1);
  });

  test.each([
    'I want my money back. Also where is the other parcel?',
    'I want my money back and where is the other parcel',
    'Ich will mein money zurück und where ist mein Paket',
    'I want my money back\nwhere is the other parcel',
  ])('are two in %j, in their order', (text) => {
    const { intent, wishes, confidence } = wishesOf(text);
    expect(wishes).toEqual(['refund', 'order_status']);
    expect(intent).toBe('refund');
    // An answer to both is right only where both are.
    expect(confidence).toBeCloseTo(1 / 1.1);
  });

  test('are as sure as the least sure of them', () => {
    const own = (text: string): readonly RankedIntent[] =>
      rank(text).map((one) =>
        one.intent === 'order_status' ? { ...one, confidence: one.confidence * 0.8 } : one,
      );
    const { wishes, confidence } = wishesOf('I want my money back. Also where is the other parcel?', {}, own);
    expect(wishes).toEqual(['refund', 'order_status']);
    expect(confidence).toBeCloseTo(0.8 / 1.1);
  });

  test('are each there once', () => {
    const text =
      'I want my money back. Also where is the parcel? And my money is late. And where is that invoice?';
    const { wishes } = wishesOf(text);
    expect(new Set(wishes).size).toBe(wishes.length);
    expect(wishes).toEqual(['refund', 'order_status']);
  });

  test('are never spam, and never something that the playbook does not have', () => {
    expect(wishesOf('Buy these cheap pills now. I want my money back.').wishes).toEqual(['refund']);
    expect(wishesOf('pills pills pills').intent).not.toBe('spam');
    expect(wishesOf('Send me the recipe please. I want my money back.').wishes).toEqual(['refund']);
    const none = wishesOf('recipe recipe recipe');
    expect(known.has(none.intent)).toBe(true);
    expect(none.confidence).toBeLessThan(0.1);
  });

  test('are looked for in the first parts of a text only', () => {
    const far = `${'I want my money back. '.repeat(200)} And where is the other parcel?`;
    expect(wishesOf(far).wishes).toEqual(['refund']);
  });

  test('are ranked with all intents, the likeliest first', () => {
    const { ranked } = wishesOf('I want my money back');
    expect(ranked.map(({ intent }) => intent)).toEqual(expect.arrayContaining(['refund', 'billing']));
    expect(ranked).toEqual(ranked.toSorted((a, b) => b.confidence - a.confidence));
  });
});

describe('the intents that every playbook has', () => {
  test.each([
    ['human_agent', { human: 0.9 }],
    ['feedback', { feedback: 0.9 }],
  ] as const)('such as %s are found by the signals', (intent, loud) => {
    expect(wishesOf('is anybody there', loud)).toMatchObject({ intent, confidence: 0.9, wishes: [intent] });
    // Not beside a wish that is surer.
    expect(wishesOf('money money money', { human: 0.55, feedback: 0.65 }).intent).toBe('refund');
  });

  test('are left to a classifier that knows them', () => {
    const own = (): readonly RankedIntent[] => [
      { intent: 'refund', confidence: 0.5 },
      { intent: 'human_agent', confidence: 0.1 },
      { intent: 'feedback', confidence: 0.1 },
    ];
    expect(wishesOf('is anybody there', { human: 0.9, feedback: 0.9 }, own).intent).toBe('refund');
  });

  test('are what is left of a playbook without a classifier', () => {
    const nothing = (): readonly RankedIntent[] => [];
    expect(wishesOf('hello', {}, nothing)).toMatchObject({ intent: 'feedback', confidence: 0 });
    expect(wishesOf('hello', { human: 0.8 }, nothing)).toMatchObject({
      intent: 'human_agent',
      confidence: 0.8,
    });
  });
});
