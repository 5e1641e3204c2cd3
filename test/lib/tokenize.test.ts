import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOneEditApart, isPunctuation, MAX_TOKENS, tokenize } from '../../src/lib/text/tokenize.ts';
import { runsOf } from '../support/extent.ts';
import { hostilePieces, LONGEST_MESSAGE, repeated } from '../support/hostile-texts.ts';

describe('the words of a text', () => {
  test.each([
    ['Where is MY order?', ['where', 'is', 'my', 'order', '?']],
    ['(a) [b] #c /d x_y', ['a', 'b', 'c', 'd', 'x', 'y']],
    ['wait... what?!', ['wait', '.', 'what', '?', '!']],
    ['ＦＵＬＬ ｗｉｄｔｈ', ['full', 'width']],
    ['re\u200bfu\u00adnd', ['refund']],
    ['\ud800 bike \udc00 😀', ['bike']],
    ['', []],
    [' \t\n\n\n', ['\n']],
  ])('of %j are %j', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  test.each([
    ["I don't, can't, won't", ['i', 'dont', ',', 'cant', ',', 'wont']],
    ["I'd, we'll, you've, Tom's", ['i', ',', 'we', ',', 'you', ',', 'tom']],
    ['I\u2019d like it, it isn\u2019t', ['i', 'like', 'it', ',', 'it', 'isnt']],
    ["rock'n'roll, o'clock", ['rock', 'roll', ',', 'o', 'clock']],
    ['aujourd’hui', ['aujourd', 'hui']],
  ])('of %j lose the endings of contractions, but for negations', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  test.each([
    ['Schöne Grüße aus der STRASSE', 'schoene gruesse aus der strasse'],
    ['Schoene Gruesse aus der Straße', 'schoene gruesse aus der strasse'],
    ['u\u0308ber e\u0301te\u0301', 'ueber ete'],
    ['Café naïve Ñandú Łódź Ærø œuvre', 'cafe naive nandu lodz aeroe oeuvre'],
    ['İstanbul ẞ kılıç', 'istanbul ss kilic'],
  ])('of %j have no accents, and umlauts in two letters', (text, words) => {
    expect(tokenize(text).join(' ')).toBe(words);
  });

  test.each([
    ['order42x A-1234', ['order', '42', 'x', 'a', '1234']],
    ['$12.50 or 1,000 €', ['$', '12.50', 'or', '1,000', '€']],
    ['1.234,56.', ['1.234,56', '.']],
    ['1, 2. 3', ['1', ',', '2', '.', '3']],
  ])('of %j are numbers apart from letters', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  test.each([
    ['заказ', ['заказ']],
    ['הזמנה, طلب', ['הזמנה', ',', 'طلب']],
    ['प्रेम', ['प्रेम']],
    ['我的注文はどこ', ['我', '的', '注', '文', 'は', 'ど', 'こ']],
  ])('of %j are those of its script', (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });

  test('of one letter many times are short, and so are their number and length', () => {
    expect(tokenize('sooooo niiice')).toEqual(['soo', 'niice']);
    expect(tokenize(`${'ab'.repeat(500)} ${'12'.repeat(500)}`).map(({ length }) => length)).toEqual([28, 28]);
    expect(tokenize('a '.repeat(MAX_TOKENS + 10))).toHaveLength(MAX_TOKENS);
  });

  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
    fc.string({ unit: fc.constantFrom(..."aÄßé1.,?'’ \n本สд"), maxLength: 60 }),
  );

  test('are a mark, a number, or letters of any script, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const strange = tokenize(text).filter(
          (word) => !isPunctuation(word) && !/^(?:[\p{L}\p{N}\p{M}]+|\d[\d.,]*)$/u.test(word),
        );
        expect(strange).toEqual([]);
      }),
    );
  });

  test('are the same when they are read again, and in capitals', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcäöüßé 12,.?!'), maxLength: 100 }), (text) => {
        const words = tokenize(text);
        expect(tokenize(text.toUpperCase())).toEqual(words);
        expect(tokenize(words.join(' '))).toEqual(words);
      }),
    );
  });

  test.each(hostilePieces)('take a time that is linear in the length of a text of %j', (piece) => {
    // Were it quadratic, the longest message would take minutes here.
    const text = repeated(piece, 40 * LONGEST_MESSAGE);
    expect(tokenize(text).length).toBeLessThanOrEqual(MAX_TOKENS);
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
