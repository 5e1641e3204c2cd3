import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BUCKETS,
  featuresOfWord,
  hashText,
  meaningBucket,
  pairBucket,
} from '../../../src/lib/learning/text-reader.ts';
import { tokenize } from '../../../src/lib/text/tokenize.ts';

const lettersOf = (word: string): readonly number[] => [...featuresOfWord(word).buckets].slice(1);

/** The share of the letter sequences of a word that another word has too. */
function shared(one: string, other: string): number {
  const letters = new Set(lettersOf(other));
  const own = lettersOf(one);
  return own.filter((bucket) => letters.has(bucket)).length / own.length;
}

describe('the features of a word', () => {
  test.each([
    ['order', 'orders'],
    ['cancel', 'cancelled'],
    ['refund', 'refunding'],
  ])('have the same stem for %s and %s, and other letters', (one, other) => {
    expect(featuresOfWord(one).hash).toBe(featuresOfWord(other).hash);
    expect(featuresOfWord(one).buckets[0]).toBe(featuresOfWord(other).buckets[0]);
    expect(lettersOf(one)).not.toEqual(lettersOf(other));
  });

  test.each([
    ['invoice', 'invioce'],
    ['delivery', 'delivry'],
    ['rechnung', 'rechung'],
    ['lawyer', 'lawer'],
  ])('share letters between %s and the typo %s', (right, wrong) => {
    expect(shared(wrong, right)).toBeGreaterThan(0.2);
    expect(shared(wrong, right)).toBeGreaterThan(shared(wrong, 'kettle'));
  });

  test('have no letters for marks and single letters', () => {
    for (const token of ['?', '!', '$', '\n', 'x']) expect(lettersOf(token)).toEqual([]);
  });

  test('are few, the same each time, and in the buckets, for any word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        for (const token of tokenize(text)) {
          const features = featuresOfWord(token);
          expect(featuresOfWord(token)).toEqual(features);
          expect(features.buckets.every((bucket) => bucket < BUCKETS)).toBe(true);
          expect(features.buckets.length).toBeLessThanOrEqual(3 * 30);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('are spread over the buckets', () => {
    const buckets = Array.from({ length: 10_000 }, (_, at) => hashText(`word ${at}`) % BUCKETS);
    expect(new Set(buckets).size).toBeGreaterThan(9_000);
  });
});

describe('the bucket of two words', () => {
  const [my, order, orders] = ['my', 'order', 'orders'].map((word) => featuresOfWord(word).hash);

  test('depends on their order and on whether there is one between them, and not on inflections', () => {
    const [first, second] = [Number(my), Number(order)];
    const buckets = [
      ...[pairBucket(first, second, false), pairBucket(second, first, false)],
      ...[pairBucket(first, second, true), pairBucket(second, first, true)],
    ];
    expect(new Set(buckets).size).toBe(4);
    for (const bucket of buckets) expect(bucket).toBeLessThan(BUCKETS);
    expect(pairBucket(first, Number(orders), false)).toBe(buckets[0]);
  });
});

test('the bucket of a class of meaning is another one than that of two classes', () => {
  const [one, other] = [hashText('money.refund'), hashText('time.late')];
  const buckets = [meaningBucket(one), meaningBucket(other), meaningBucket(one, other)];
  expect(new Set(buckets).size).toBe(3);
});
