import { describe, expect, test } from 'vitest';
import { createVocabulary, MAX_REMEMBERED } from '../../../../src/adapters/stages/rules/vocabulary.ts';

/** A vocabulary that says words backwards, and how often it was asked for one. */
function counted() {
  const asked = new Map<string, number>();
  const wordsOf = createVocabulary((word) => {
    asked.set(word, (asked.get(word) ?? 0) + 1);
    return [...word].reverse().join('');
  });
  return { wordsOf, timesAsked: (word: string) => asked.get(word) ?? 0 };
}

/** A word for a number, no two alike. */
function wordFor(number: number): string {
  return `x${[...String(number)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('')}`;
}

describe('a vocabulary', () => {
  test('says what each word and mark of a text is, in their order', () => {
    const { wordsOf } = counted();
    expect(wordsOf('Order 12345, my order!')).toEqual(['redro', '54321', ',', 'ym', 'redro', '!']);
    expect(wordsOf('')).toEqual([]);
  });

  test('looks a word up once, however often it occurs', () => {
    const { wordsOf, timesAsked } = counted();
    for (let round = 0; round < 10; round++) wordsOf('an order is an order');
    expect(timesAsked('order')).toBe(1);
  });

  test('remembers no long numbers and no endless words, for they seldom come again', () => {
    const { wordsOf, timesAsked } = counted();
    const endless = 'a'.repeat(25);
    for (let round = 0; round < 2; round++) wordsOf(`${endless} 12345 404`);
    expect([timesAsked(endless), timesAsked('12345'), timesAsked('404')]).toEqual([2, 2, 1]);
  });

  test('forgets what it remembered once that is too much, and says the same afterwards', () => {
    const { wordsOf, timesAsked } = counted();
    const words = Array.from({ length: MAX_REMEMBERED }, (_, number) => wordFor(number));
    wordsOf(words.join(' '));
    wordsOf(words.join(' '));
    expect(timesAsked(wordFor(0))).toBe(1);
    wordsOf('further');
    expect(wordsOf(wordFor(0))).toEqual([[...wordFor(0)].reverse().join('')]);
    expect(timesAsked(wordFor(0))).toBe(2);
  });
});
