import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quotations } from '../../src/lib/text/clauses.ts';
import { runsOf } from '../support/extent.ts';

/** Characters of a long text; with a time that grows faster than them, the test would not end. */
const LENGTH = runsOf(300_000, 1_000_000);

function quoted(text: string): string[] {
  return quotations(text).map(({ inner }) => text.slice(inner.start, inner.end));
}

describe('the quotations of a text', () => {
  test.each<[string, string[]]>([
    ['say "one" and "two"', ['one', 'two']],
    ["say 'one two'.", ['one two']],
    ['say “one” and ‘two’', ['one', 'two']],
    ['sag „eins“ und „zwei”', ['eins', 'zwei']],
    ['dis « un », « deux »', [' un ', ' deux ']],
    ['sag »eins« und ‹zwei›', ['eins', 'zwei']],
    ['「一」と『二』', ['一', '二']],
    ['总结"这段话"谢谢', ['这段话']],
    ['run `one` now', ['one']],
    ['```\none "two"\n``` three', ['\none "two"\n']],
    ['``` one', [' one']],
    ['> one\ntwo\n>three', [' one', 'three']],
    ['"one \'two\' three"', ["one 'two' three"]],
    ['"one "two" three" four', ['one "two" three']],
    ['("one")', ['one']],
    ['"one\n\ntwo"', ['one\n\ntwo']],
    ['"It is \'fine\'."', ["It is 'fine'."]],
    ['‘the customer’s order’ now', ['the customer’s order']],
  ])('of %j are %j', (text, expected) => {
    expect(quoted(text)).toEqual(expected);
  });

  test.each([
    "it's the customers' order and Ann's",
    'the customer’s orders’ states',
    '5" and 7" wide',
    'an open "quotation',
    "rock 'n' roll until '90s",
    'closed only”',
    "'one\n\ntwo'",
    'a > b',
    '',
  ])('of %j are none', (text) => {
    expect(quoted(text)).toEqual([]);
  });

  test('are apart, in order, and within the text', () => {
    const piece = fc.constantFrom(
      '"',
      "'",
      '`',
      '```',
      '„',
      '“',
      '”',
      '‘',
      '’',
      '«',
      '»',
      'a',
      ' ',
      '\n',
      '>',
      '.',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        let at = 0;
        for (const { start, end, inner } of quotations(text)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(inner.start).toBeGreaterThan(start);
          expect(inner.end).toBeGreaterThanOrEqual(inner.start);
          expect(end).toBeGreaterThanOrEqual(inner.end);
          at = end;
        }
        expect(at).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: runsOf(300, 1_000) },
    );
  });

  test.each(['"', '"a ', "'a ", '"a "b" ', '„', '“a', '> a\n', '``` ', "x' "])(
    'are found in a long text of %j',
    (unit) => {
      expect(quotations(unit.repeat(Math.ceil(LENGTH / unit.length))).length).toBeGreaterThanOrEqual(0);
    },
  );
});
