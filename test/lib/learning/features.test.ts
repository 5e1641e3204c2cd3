import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BUCKETS,
  bucketOf,
  featuresOfWord,
  hashText,
  pairBucket,
} from '../../../src/lib/learning/features.ts';
import { tokenize } from '../../../src/lib/text/tokenize.ts';

/** The share of the letter sequences of a word that another word has too. */
function shared(one: string, other: string): number {
  const letters = new Set(featuresOfWord(other).letters);
  const own = featuresOfWord(one).letters;
  return own.filter((bucket) => letters.has(bucket)).length / own.length;
}

describe('the features of a word', () => {
  test('are the same for the same word', () => {
    expect(featuresOfWord('refund')).toEqual(featuresOfWord('refund'));
  });

  test.each([
    ['order', 'orders'],
    ['cancel', 'cancelled'],
    ['refund', 'refunding'],
  ])('have the same stem for %s and %s, and other letters', (one, other) => {
    expect(featuresOfWord(one).hash).toBe(featuresOfWord(other).hash);
    expect(featuresOfWord(one).letters).not.toEqual(featuresOfWord(other).letters);
  });

  test.each([
    ['invoice', 'invioce'],
    ['delivery', 'delivry'],
    ['password', 'pasword'],
    ['lawyer', 'lawer'],
  ])('share letters between %s and the typo %s', (right, wrong) => {
    expect(shared(wrong, right)).toBeGreaterThan(0.2);
    expect(shared(wrong, right)).toBeGreaterThan(shared(wrong, 'kettle'));
  });

  test('are the same for straight and curly apostrophes', () => {
    for (const [straight, curly] of [
      ["I don't want it", 'I don’t want it'],
      ["I'd like a refund", 'I‘d like a refund'],
    ] as const) {
      expect(tokenize(curly).map(featuresOfWord)).toEqual(tokenize(straight).map(featuresOfWord));
    }
  });

  test('are those of the length for numbers, and of two letters for repeated ones', () => {
    expect(featuresOfWord('12345')).toEqual(featuresOfWord('67890'));
    expect(featuresOfWord('12345')).not.toEqual(featuresOfWord('123'));
    expect(featuresOfWord('sooooo')).toEqual(featuresOfWord('soo'));
  });

  test('have no letters for punctuation and single letters', () => {
    for (const token of ['?', '!', '$', '\n', 'x']) expect(featuresOfWord(token).letters).toEqual([]);
  });

  test('are few and in the buckets for any word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5_000 }), (text) => {
        for (const token of [...tokenize(text), 'a'.repeat(2_000)]) {
          const { hash, letters } = featuresOfWord(token);
          for (const bucket of [...letters, bucketOf(hash)]) {
            expect(Number.isInteger(bucket) && bucket >= 0 && bucket < BUCKETS).toBe(true);
          }
          expect(letters.length).toBeLessThanOrEqual(3 * 26);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('are spread over the buckets', () => {
    const buckets = Array.from({ length: 10_000 }, (_, at) => bucketOf(hashText(`word ${at}`)));
    expect(new Set(buckets).size).toBeGreaterThan(9_000);
  });
});

describe('the bucket of two words', () => {
  const [my, order] = [featuresOfWord('my'), featuresOfWord('order')];

  test('depends on their order and on whether there is one between them', () => {
    const buckets = [
      ...[pairBucket(my, order, false), pairBucket(order, my, false)],
      ...[pairBucket(my, order, true), pairBucket(order, my, true)],
    ];
    expect(new Set(buckets).size).toBe(4);
    for (const bucket of buckets) expect(bucket).toBeLessThan(BUCKETS);
  });

  test('is the same for words with the same stem', () => {
    expect(pairBucket(my, featuresOfWord('orders'), false)).toBe(pairBucket(my, order, false));
  });
});
