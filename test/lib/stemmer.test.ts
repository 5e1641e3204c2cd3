import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stem } from '../../src/lib/text/stemmer.ts';

function expectStemOf(word: string): void {
  const found = stem(word);
  if (
    found.length <= word.length &&
    found.length >= Math.min(2, word.length) &&
    word.startsWith(found.slice(0, 2))
  )
    return;
  expect.fail(`the stem of ${word} is ${found}`);
}

describe('the stem of an English word', () => {
  test.each([
    'refund refunds refunded refunding',
    'summarise summarises summarised summarising',
    'summarize summarizes summarized summarizing',
    'summary summaries',
    'reply replies replied replying',
    'stop stops stopped stopping',
    'cancel cancels canceled cancelled cancelling',
    'call calls called calling',
    'use uses used using',
    'care cares cared caring',
    'hope hopes hoped hoping',
    'hop hops hopped hopping',
    'escalate escalates escalated escalating',
    'agree agrees agreed agreeing',
    'ship ships shipped shipping',
    'box boxes boxed boxing',
    'match matches matched matching',
    'class classes',
    'echo echoes echoed echoing',
    'tie ties tied',
    'play plays played playing',
    'translate translates translated translating',
    'route routes routed routing',
  ])('is the same for %s', (words) => {
    expect(new Set(words.split(' ').map(stem)).size).toBe(1);
  });

  test.each([
    'hope hop',
    'care car',
    'us use',
    'thing th',
    'bring br',
    'status statu',
    'this thi',
    'need nee',
    'order ordinary',
    'refund fund',
    'support supper',
    'bill ball',
  ])('differs for %s', (words) => {
    expect(new Set(words.split(' ').map(stem)).size).toBe(2);
  });

  test('does not change other scripts, short and very long words', () => {
    for (const word of ['', 'a', 'is', 'aed', 'заказы', '退款', 'naïves', 'x2s', 's'.repeat(100)])
      expect(stem(word)).toBe(word);
  });

  test('begins like the word and is neither longer nor empty', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abdegilnstyz'), minLength: 1, maxLength: 12 }),
        expectStemOf,
      ),
    );
  });

  test('is such for every word of up to five of these letters', () => {
    let words = [''];
    for (let length = 1; length <= 5; length++) {
      words = words.flatMap((word) => Array.from('adeginsy', (letter) => word + letter));
      for (const word of words) expectStemOf(word);
    }
  });
});
