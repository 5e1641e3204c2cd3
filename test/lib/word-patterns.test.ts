import { describe, expect, test } from 'vitest';
import { createWordMatcher, indexByFirstWord, parseWordPattern } from '../../src/lib/text/word-patterns.ts';

const sets = new Map([['@fruit', ['apple', 'pear']]]);

/**
 * The words that a pattern matches from a place on; undefined where it matches none. `|` and `,` end sentences and
 * clauses.
 */
function matched(pattern: string, text: string, from = 0, end?: number): string | undefined {
  const words: string[] = [];
  const breaks: number[] = [];
  for (const token of text.split(' ')) {
    if (token === '|' || token === ',') breaks[words.length] = token === '|' ? 2 : 1;
    else words.push(token);
  }
  const match = createWordMatcher({
    length: words.length,
    wordAt: (at) => words[at],
    startsClause: (at) => at === 0 || (breaks[at] ?? 0) > 0,
    endsClause: (at) => at >= words.length || (breaks[at] ?? 0) > 0,
    isOutside: (at) => breaks[at] === 2,
    isBarrier: (at) => words[at] === 'my',
  });
  const behind = match(parseWordPattern(pattern, sets), from, end);
  return behind < 0 ? undefined : words.slice(from, behind).join(' ');
}

describe('a pattern of words', () => {
  test.each([
    ['eat the apple', 'eat the apple now', 'eat the apple'],
    ['eat/take the apple', 'take the apple', 'take the apple'],
    ['eat (the) apple', 'eat apple', 'eat apple'],
    ['(please) eat (the/an) apple', 'please eat an apple', 'please eat an apple'],
    ['(please) eat', 'eat', 'eat'],
    ['eat ..2 @fruit', 'eat one green pear', 'eat one green pear'],
    ['eat ..2 @fruit', 'eat pear', 'eat pear'],
    ['eat Äpfel', 'eat aepfel', 'eat aepfel'],
    ['^ eat', 'eat', 'eat'],
    ['eat $', 'eat , drink', 'eat'],
    ['eat drink', 'eat , drink', 'eat drink'],
    ['eat the apple', 'eat the', undefined],
    ['eat ..1 pear', 'eat one green pear', undefined],
    ['eat ..2 pear', 'eat my pear', undefined],
    ['eat ..2 pear', 'eat | pear', undefined],
    ['eat drink', 'eat | drink', undefined],
    ['eat $', 'eat drink', undefined],
  ])('%j has in %j the match %j', (pattern, text, expected) => {
    expect(matched(pattern, text)).toBe(expected);
  });

  test('begins at a clause where it says so', () => {
    expect(matched('^ eat', 'drink eat', 1)).toBeUndefined();
    expect(matched('^ eat', 'drink , eat', 1)).toBe('eat');
  });

  test('ends at a place where that is asked', () => {
    expect(matched('not (really)', 'not really', 0, 1)).toBe('not');
    expect(matched('not (really)', 'not really', 0, 2)).toBe('not really');
    expect(matched('not', 'not really', 0, 2)).toBeUndefined();
  });

  test('is found by each word that it can begin with', () => {
    const index = indexByFirstWord([parseWordPattern('^ (now/please) eat/take it')]);
    expect([...index.keys()].sort()).toEqual(['eat', 'now', 'please', 'take']);
  });

  test.each([
    ['..2 eat', 'does not begin with a word: ..2 eat'],
    ['^', 'does not begin with a word: ^'],
    ['(eat)', 'does not begin with a word: (eat)'],
    ['eat @meat', 'names no known set: @meat'],
    ["eat d'un/s'abord", "has an alternative that is no word: s'abord"],
  ])('%j is refused: it %s', (pattern, message) => {
    expect(() => parseWordPattern(pattern, sets)).toThrow(`a pattern of words ${message}`);
  });
});
