import { describe, expect, test } from 'vitest';
import { createWordCache, MAX_CACHED_WORDS } from '../../../../src/adapters/stages/rules/word-cache.ts';

/** A cache over a lookup that reverses words, and how often each word was looked up. */
function counted() {
  const lookups = new Map<string, number>();
  const lookUp = createWordCache((word, correctSpelling) => {
    lookups.set(word, (lookups.get(word) ?? 0) + 1);
    return `${[...word].reverse().join('')}${correctSpelling ? '' : '?'}`;
  });
  return { lookUp, countOf: (word: string) => lookups.get(word) ?? 0 };
}

/** A word for a number, no two alike. */
function wordFor(number: number): string {
  return `x${[...String(number)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('')}`;
}

describe('a word cache', () => {
  test('returns the result of the lookup', () => {
    const { lookUp } = counted();
    expect(['order', '12345', '!'].map((word) => lookUp(word, true))).toEqual(['redro', '54321', '!']);
  });

  test('looks up a word once', () => {
    const { lookUp, countOf } = counted();
    for (let round = 0; round < 10; round++) lookUp('order', true);
    expect(countOf('order')).toBe(1);
  });

  test('caches only results with spelling correction', () => {
    const { lookUp } = counted();
    expect([false, true, false].map((correctSpelling) => lookUp('order', correctSpelling))).toEqual([
      'redro?',
      'redro',
      'redro',
    ]);
  });

  test('does not cache long numbers and long words', () => {
    const { lookUp, countOf } = counted();
    const words = ['a'.repeat(25), '12345', '404'];
    for (const word of [...words, ...words]) lookUp(word, true);
    expect(words.map(countOf)).toEqual([2, 2, 1]);
  });

  test('is cleared when it is full, and returns the same results afterwards', () => {
    const { lookUp, countOf } = counted();
    const words = Array.from({ length: MAX_CACHED_WORDS }, (_, number) => wordFor(number));
    for (const word of [...words, ...words]) lookUp(word, true);
    expect(countOf(wordFor(0))).toBe(1);
    lookUp('further', true);
    expect(lookUp(wordFor(0), true)).toBe([...wordFor(0)].reverse().join(''));
    expect(countOf(wordFor(0))).toBe(2);
  });
});
