import { describe, expect, test } from 'vitest';
import { createVocabulary, MAX_REMEMBERED } from '../../../../src/adapters/stages/rules/vocabulary.ts';

/** A vocabulary that says words backwards, and how often it was asked for one. */
function counted() {
  const asked = new Map<string, number>();
  const lookUp = createVocabulary((word, thorough) => {
    asked.set(word, (asked.get(word) ?? 0) + 1);
    return `${[...word].reverse().join('')}${thorough ? '' : '?'}`;
  });
  return { lookUp, timesAsked: (word: string) => asked.get(word) ?? 0 };
}

/** A word for a number, no two alike. */
function wordFor(number: number): string {
  return `x${[...String(number)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('')}`;
}

describe('a vocabulary', () => {
  test('says what a word or mark is', () => {
    const { lookUp } = counted();
    expect(['order', '12345', '!'].map((word) => lookUp(word, true))).toEqual(['redro', '54321', '!']);
  });

  test('looks a word up once, however often it occurs', () => {
    const { lookUp, timesAsked } = counted();
    for (let round = 0; round < 10; round++) lookUp('order', true);
    expect(timesAsked('order')).toBe(1);
  });

  test('remembers nothing that was not looked up thoroughly, and all that was', () => {
    const { lookUp } = counted();
    expect([false, true, false].map((thorough) => lookUp('order', thorough))).toEqual([
      'redro?',
      'redro',
      'redro',
    ]);
  });

  test('remembers no long numbers and no endless words, for they seldom come again', () => {
    const { lookUp, timesAsked } = counted();
    const words = ['a'.repeat(25), '12345', '404'];
    for (const word of [...words, ...words]) lookUp(word, true);
    expect(words.map(timesAsked)).toEqual([2, 2, 1]);
  });

  test('forgets what it remembered once that is too much, and says the same afterwards', () => {
    const { lookUp, timesAsked } = counted();
    const words = Array.from({ length: MAX_REMEMBERED }, (_, number) => wordFor(number));
    for (const word of [...words, ...words]) lookUp(word, true);
    expect(timesAsked(wordFor(0))).toBe(1);
    lookUp('further', true);
    expect(lookUp(wordFor(0), true)).toBe([...wordFor(0)].reverse().join(''));
    expect(timesAsked(wordFor(0))).toBe(2);
  });
});
