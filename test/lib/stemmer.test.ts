import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stem } from '../../src/lib/text/stemmer.ts';

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
    for (const word of ['', 'a', 'is', 'заказы', '退款', 'naïves', 'x2s', 's'.repeat(100)])
      expect(stem(word)).toBe(word);
  });

  test('begins like the word and is neither longer nor empty', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abdegilnstyz'), minLength: 1, maxLength: 12 }),
        (word) => {
          const found = stem(word);
          expect(found.length).toBeGreaterThan(0);
          expect(found.length).toBeLessThanOrEqual(word.length);
          expect(found.slice(0, 2)).toBe(word.slice(0, 2));
        },
      ),
    );
  });
});
