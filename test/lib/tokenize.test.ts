import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOneEditApart, isPunctuation, tokenize } from '../../src/lib/text/tokenize.ts';
import { runsOf } from '../support/extent.ts';

describe('the words of a text', () => {
  test.each([
    ['Where is MY order?', ['where', 'is', 'my', 'order', '?']],
    ["I don't, can't, won't", ['i', 'dont', ',', 'cant', ',', 'wont']],
    ["I'd, we'll, you've, Tom's", ['i', ',', 'we', ',', 'you', ',', 'tom']],
    ['I\u2019d like it, it isn\u2019t', ['i', 'like', 'it', ',', 'it', 'isnt']],
    ["rock'n'roll", ['rock', 'roll']],
    ['order42x', ['order', '42', 'x']],
    ['Café Ærø naïve Straße', ['cafe', 'aero', 'naive', 'strasse']],
    ['ＦＵＬＬ ｗｉｄｔｈ', ['full', 'width']],
    ['re\u200bfu\u00adnd', ['refund']],
    ['e\u0301te\u0301', ['ete']],
    ['$12.50 or 1,000 €', ['$', '12', '50', 'or', '1', '000', '€']],
    ['wait... what?!', ['wait', '.', 'what', '?', '!']],
    ['(a) [b] #c /d', ['a', 'b', 'c', 'd']],
    ['заказ 注文', []],
    ['', []],
    [' \t\n', ['\n']],
  ])('of %j are %j', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  test('are lower-case letters, digits or a punctuation mark, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(
          tokenize(text).filter((word) => !isPunctuation(word) && !/^(?:[a-z]+|\d+)$/.test(word)),
        ).toEqual([]);
      }),
    );
  });

  test('are the same for a text in capitals', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(tokenize(text.toUpperCase())).toEqual(tokenize(text));
      }),
    );
  });
});

describe('one edit', () => {
  test.each([
    ['refund', 'refund'],
    ['refund', 'refnd'],
    ['refund', 'refuund'],
    ['refund', 'refumd'],
    ['refund', 'refnud'],
    ['refund', 'erfund'],
    ['refund', 'refunds'],
    ['', 'a'],
  ])('separates %s and %s', (one, other) => {
    expect(isOneEditApart(one, other)).toBe(true);
    expect(isOneEditApart(other, one)).toBe(true);
  });

  test.each([
    ['refund', 'rfnd'],
    ['refund', 'refunded'],
    ['abcd', 'badc'],
    ['order', 'ordain'],
    ['', 'ab'],
  ])('does not separate %s and %s', (one, other) => {
    expect(isOneEditApart(one, other)).toBe(false);
    expect(isOneEditApart(other, one)).toBe(false);
  });

  test('agrees with the complete edit distance', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(isOneEditApart(one, other)).toBe(distance(one, other) <= 1);
      }),
      { numRuns: runsOf(600, 2_000) },
    );
  });
});

/** The edit distance of two words, with a swap of neighbors as one edit, by the table of all prefixes. */
function distance(one: string, other: string): number {
  const table: number[][] = Array.from({ length: one.length + 1 }, () =>
    new Array<number>(other.length + 1).fill(0),
  );
  const at = (row: number, column: number): number => table[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 0; row <= one.length; row++) {
    for (let column = 0; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const least =
        row === 0 || column === 0
          ? row + column
          : Math.min(
              at(row - 1, column) + 1,
              at(row, column - 1) + 1,
              at(row - 1, column - 1) + (same ? 0 : 1),
              swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
            );
      table[row]?.splice(column, 1, least);
    }
  }
  return at(one.length, other.length);
}
