import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentenceSpans } from '../../src/lib/text/sentences.ts';
import { summarize } from '../../src/lib/text/summary.ts';
import { runsOf } from '../support/extent.ts';

/** Characters of a long text; with a time that grows faster than them, the test would not end. */
const LENGTH = runsOf(300_000, 1_000_000);

const article = `Customer support teams answer thousands of messages every day. Most of these messages ask about the same few things: refunds, late deliveries and broken products. Dr. Lee, who studies support teams at the University of Leeds, found that 62.5 percent of all messages could be answered from an existing article. "We were surprised," she said. The weather that week was mild. Teams that routed messages automatically answered customers twice as fast. However, customers who wanted a person became angry when a machine answered. The study therefore recommends that support teams route messages automatically but escalate them early. It was published on Jan. 5 in the U.S. and will be repeated next year.`;

describe('a summary', () => {
  test('has the most important sentences in their order', () => {
    expect(summarize(article, 3)).toEqual({
      summary:
        'Customer support teams answer thousands of messages every day. Dr. Lee, who studies support teams at the University of Leeds, found that 62.5 percent of all messages could be answered from an existing article. Teams that routed messages automatically answered customers twice as fast.',
      sentenceCount: 3,
      originalSentenceCount: 9,
    });
  });

  test('of one sentence is the one with the most common words', () => {
    expect(
      summarize('It rained. The parcel is late. The parcel service lost the parcel. Oh dear.', 1).summary,
    ).toBe('The parcel service lost the parcel.');
  });

  test.each([
    'Could you send a new one?',
    'I need the invoice.',
    'Please call me back.',
    'The customer asks for a replacement.',
    'It has to arrive by Friday.',
    'We leave on the third, so send it within two days.',
    'The fee was 45 EUR.',
    'The charge came to $30.',
    'It is about A-1234.',
    'See invoice 20931.',
  ])('keeps what is wanted, by when, how much and of which order: %j', (wanted) => {
    const rain = ['rain', 'snow', 'wind', 'fog'].map(
      (kind) => `The weather report spoke of ${kind} in the weather.`,
    );
    const text = [...rain.slice(0, 2), wanted, ...rain.slice(2)].join(' ');
    expect(summarize(text, 1).summary).toBe(wanted);
  });

  test('prefers a request with its deadline to an amount', () => {
    const text = 'It rained. The fee was 45 EUR. Refund order A-1234 by Friday, please. It rained again.';
    expect(summarize(text, 1).summary).toBe('Refund order A-1234 by Friday, please.');
    expect(summarize(text, 2).summary).toBe('The fee was 45 EUR. Refund order A-1234 by Friday, please.');
  });

  test('is the complete text where it has no more sentences than requested', () => {
    expect(summarize('One. Two.', 2)).toEqual({
      summary: 'One. Two.',
      sentenceCount: 2,
      originalSentenceCount: 2,
    });
    expect(summarize('One. Two.', Number.MAX_SAFE_INTEGER).sentenceCount).toBe(2);
  });

  test('of an empty text is empty', () => {
    expect(summarize(' \n ', 3)).toEqual({ summary: '', sentenceCount: 0, originalSentenceCount: 0 });
  });

  test('repeats no sentence while there are others', () => {
    const text = 'Refund my order. Refund my order. Refund my order. The sky is blue.';
    expect(summarize(text, 2).summary).toBe('Refund my order. The sky is blue.');
  });

  test('keeps list items on separate lines, and adds no blanks to scripts without blanks', () => {
    expect(summarize('- milk\n- bread\n- eggs', 3).summary).toBe('- milk\n- bread\n- eggs');
    expect(summarize('你好。今天下雨了！再见。', 3).summary).toBe('你好。今天下雨了！再见。');
    expect(summarize('One.   Two.\n\nThree.', 3).summary).toBe('One. Two.\nThree.');
  });

  test('truncates a very long sentence', () => {
    const { summary, originalSentenceCount } = summarize('a'.repeat(1_000_000), 3);
    expect(originalSentenceCount).toBe(1);
    expect(summary).toBe(`${'a'.repeat(2_000)}…`);
  });

  test('has the requested number of sentences of the text, and is always the same', () => {
    const sentence = fc
      .array(fc.constantFrom('order', 'orders', 'late', 'the', 'refund', 'parcel', 'Paris', 'it', 'now'), {
        minLength: 1,
        maxLength: 12,
      })
      .map((words) => `${words.join(' ')}.`);
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), (all, most) => {
        const text = all.join(' ');
        const { summary, sentenceCount, originalSentenceCount } = summarize(text, most);
        expect(summarize(text, most).summary).toBe(summary);
        expect(originalSentenceCount).toBe(all.length);
        expect(sentenceCount).toBe(Math.min(most, all.length));
        let at = 0;
        for (const { start, end } of sentenceSpans(summary)) {
          const found = all.indexOf(summary.slice(start, end), at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + 1;
        }
      }),
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 1, max: 5 }),
        (text, most) => {
          const { summary, sentenceCount, originalSentenceCount } = summarize(text, most);
          expect(summary.isWellFormed()).toBe(true);
          expect(sentenceCount).toBe(Math.min(most, originalSentenceCount));
        },
      ),
    );
  });

  test.each([' ', 'a', '.', '. ', 'a. ', 'Ab. ', 'あ。', '\n', 'a ', 'constructor. ', '😀'])(
    'is found for a long text of %j',
    (unit) => {
      const text = unit.repeat(Math.ceil(LENGTH / unit.length));
      const { summary, sentenceCount } = summarize(text, 3);
      expect(sentenceCount).toBeLessThanOrEqual(3);
      expect(summary.length).toBeLessThanOrEqual(3 * 2_002);
    },
  );
});
