import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentenceSpans } from '../../src/lib/text/sentences.ts';
import { runsOf } from '../support/extent.ts';

/** Characters of a long text; with a time that grows faster than them, the test would not end. */
const LENGTH = runsOf(300_000, 1_000_000);

function sentences(text: string): string[] {
  return sentenceSpans(text).map(({ start, end }) => text.slice(start, end));
}

describe('the sentences of a text', () => {
  test.each<[string, ...string[]]>([
    ['plain ones', 'One here.', 'Two here!', 'Three?'],
    ['no mark at the end', 'One here.', 'and two'],
    ['titles', 'Dr. Smith met Mrs. Jones and Prof. Lee.', 'They talked.'],
    ['initials', 'J. K. Rowling and J.R.R. Tolkien wrote.', 'We read.'],
    ['abbreviations within', 'Fruit, e.g. apples, i.e. pommes, cost approx. 3 euros.', 'Yes.'],
    ['abbreviations at the end', 'He left at 5 p.m. on Jan. 5 for the U.S. and stayed.', 'She did not.'],
    ['acronyms that end a sentence', 'She lives in the U.S.', 'She likes it there.'],
    ['acronyms within names', 'The U.S. Army and Acme Inc. Europe agreed.', 'It took years.'],
    ['etc. before a capital', 'Apples, pears, etc.', 'Bananas too.'],
    ['etc. before a small letter', 'Apples, etc. and so on.'],
    ['numbers after no.', 'See no. 5 on p. 12.', 'No.', 'He left.'],
    ['decimals and versions', 'It costs $3.50 in version 2.0.1.', 'Pi is 3.14159.'],
    ['addresses', 'Write to me@example.com or see www.example.com/a.b?c=d.', 'Thanks.'],
    ['ellipses', 'Wait... what?', 'Well…', 'Fine… then.'],
    ['marks in a row', 'What?!', 'No!!!', 'Yes.'],
    ['quotes', 'He said "Stop!" and left.', '“Really?” she asked.', '"Yes."', 'He nodded.'],
    ['quotes before who said them', '"I know it." she said.', 'He did not.'],
    ['brackets', '(He left.)', '[She stayed.]', 'They (both of them!) laughed.'],
    ['I at the end', 'So do I.', 'You know that.'],
    ['single letters', 'Take plan B. Smith did.'],
    ['Chinese', '你好。', '今天下雨了！', '你呢？', '我很好'],
    ['Japanese quotes', '「そうです。」', '彼は笑った。'],
    ['Hindi', 'यह है।', 'वह है।'],
    ['Urdu', 'یہ ہے۔', 'کیا؟', 'جی۔'],
    ['Russian', 'Привет.', 'Как дела?', 'Хорошо.'],
    ['emoji', 'Great 👍.', 'Thanks 😀!', 'Bye'],
    ['spaced marks', 'Oh .', 'Well !'],
  ])('are separated with %s', (_, ...expected) => {
    expect(
      sentences(expected.join(expected.some((text) => /\p{sc=Han}|\p{sc=Hiragana}/u.test(text)) ? '' : ' ')),
    ).toEqual(expected);
  });

  test.each<[string, string, string[]]>([
    ['an empty line', 'A title\n\nThe body.', ['A title', 'The body.']],
    ['an empty line before a small letter', 'for the\n\nbody of it', ['for the', 'body of it']],
    ['Windows line ends', 'A title\r\n\r\nThe body.', ['A title', 'The body.']],
    ['bullets', 'Buy:\n- milk\n* bread\n• eggs', ['Buy:', '- milk', '* bread', '• eggs']],
    [
      'numbered items',
      'Steps\n1. Open it.\n2. Close it.\n(3) Go\nb) rest',
      ['Steps', '1. Open it.', '2. Close it.', '(3) Go', 'b) rest'],
    ],
    ['short lines without marks', 'milk\nbread\nEggs', ['milk', 'bread', 'Eggs']],
    ['a headline', 'Results\nIt went well.', ['Results', 'It went well.']],
    [
      'a line broken to fit a page',
      'This is a line of prose that was broken because the page\nwas not wide enough. So it goes on.',
      ['This is a line of prose that was broken because the page\nwas not wide enough.', 'So it goes on.'],
    ],
    [
      'a line broken before a name',
      'We went to the\nNetherlands. Nice.',
      ['We went to the\nNetherlands.', 'Nice.'],
    ],
    ['a line broken after a comma', 'First,\nWilliam spoke.', ['First,\nWilliam spoke.']],
  ])('are separated by %s', (_, text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  test.each(['', ' ', '\n\n\t', '\u3000\u00a0'])('are not found in %j', (text) => {
    expect(sentences(text)).toEqual([]);
  });

  test.each(['...', '!?', '👍', '- - -', '"'])('are one in %j, which has no words', (text) => {
    expect(sentences(text)).toEqual([text]);
  });

  test('include what follows without words', () => {
    expect(sentences('Yes. ... No. ***')).toEqual(['Yes. ...', 'No. ***']);
  });

  test('are found within a part of the text', () => {
    const text = 'One. Two. Three.';
    expect(sentenceSpans(text, 5, 9)).toEqual([{ start: 5, end: 9 }]);
    expect(sentenceSpans(text, 5, 5)).toEqual([]);
  });

  test('cover the text in order, without the blanks', () => {
    const piece = fc.constantFrom(
      'a',
      'Be',
      '.',
      '!',
      '?',
      '…',
      '。',
      ' ',
      '\n',
      '\r\n',
      '"',
      '”',
      ')',
      '-',
      '1.',
      'Dr.',
      'U.S.',
      '😀',
      ',',
      ';',
      '\u2029',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
        ),
        (text) => {
          let at = 0;
          for (const { start, end } of sentenceSpans(text)) {
            expect(text.slice(at, start).trim()).toBe('');
            expect(end).toBeGreaterThan(start);
            expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
            at = end;
          }
          expect(text.slice(at).trim()).toBe('');
        },
      ),
      { numRuns: runsOf(300, 1_000) },
    );
  });

  test.each([
    ' ',
    'a',
    '.',
    '. ',
    ') ',
    'a. ',
    '。',
    'あ。',
    '\n',
    '“',
    'a\n',
    'Aa. Bb ',
    '1. \n',
    '😀',
    '"."',
  ])('are found in a long text of %j', (unit) => {
    const text = unit.repeat(Math.ceil(LENGTH / unit.length));
    const spans = sentenceSpans(text);
    const covered = spans.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(covered).toBeLessThanOrEqual(text.length);
    expect(spans.length).toBeLessThanOrEqual(text.length / 2 + 1);
  });
});
