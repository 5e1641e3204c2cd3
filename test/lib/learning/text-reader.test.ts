import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMeanings, parseLexicon } from '../../../src/lib/learning/lexicon.ts';
import {
  BUCKETS,
  createTextReader,
  eachNewWord,
  keepRecent,
  type Passage,
  type ReadText,
  vectorOf,
} from '../../../src/lib/learning/text-reader.ts';
import { hostilePieces, LONGEST_MESSAGE, repeated } from '../../support/hostile-texts.ts';

const english = createMeanings('en', parseLexicon('money: money, refund\nlate: late, not here\nwish: want'));
const german = createMeanings('de', parseLexicon('money: Geld\nlate: spät\nwish: will\nself: ich, mein'));
const read = createTextReader([english, german]);

const wordsOf = ({ words }: ReadText, { start, end }: Passage): string =>
  words
    .slice(start, end)
    .map(({ token }) => token)
    .join(' ');

const partsOf = (text: string): readonly string[] => {
  const found = read(text);
  return found.parts.map((part) => wordsOf(found, part));
};

describe('a text', () => {
  test('is read by words and question marks, with numbers of which only the length counts', () => {
    const text = read('Where is order 12345? It cost 1.99, really!');
    expect(wordsOf(text, text.whole)).toBe('where is order 00000 ? it cost 000 really');
    expect(read('order 54321').words).toEqual(read('order 12345').words);
    expect(read('9'.repeat(25)).words[0]?.token).toBe('000000');
  });

  test('has its sentences of at least three words as parts, also those that a line ends', () => {
    expect(partsOf('It broke. Can you help me? Yes!\nIt is late now; a refund please')).toEqual([
      'can you help me ?',
      'it is late now',
      'a refund please',
    ]);
  });

  test.each(['Where is my order', 'Where is my order?', '', '...', '\n', 'No, thanks', '12'])(
    'has no parts beside the whole in %j',
    (text) => {
      expect(read(text).parts).toEqual([]);
    },
  );

  test('has clauses of at least three words as parts too', () => {
    expect(partsOf('My parcel is lost, ok, and I will call my lawyer: he knows what to do')).toEqual([
      'my parcel is lost',
      'and i will call my lawyer',
      'he knows what to do',
    ]);
    expect(partsOf('It broke, and I burned my hand. Help')).toEqual([
      'it broke and i burned my hand',
      'and i burned my hand',
    ]);
  });

  test('is the same whatever was read before', () => {
    const fresh = createTextReader([english, german]);
    for (let at = 0; at < 20_000; at++) read(`word${at.toString(36)} refunded`);
    for (const text of ['I want my money back', 'ich will mein Geld', 'where is it? where is it?']) {
      expect(read(text)).toEqual(fresh(text));
    }
  });

  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(fc.constantFrom('no', 'money', 'late', 'not', 'here', 'Geld', '12', '.', ',', '?', '\n'), {
        maxLength: 60,
      })
      .map((words) => words.join(' ')),
  );

  test('has parts within it, in which each word counts once, and vectors of length 1', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const text = read(given);
        expect(text.whole).toMatchObject({ start: 0, end: text.words.length });
        for (const passage of [text.whole, ...text.parts]) {
          expect(passage.start).toBeLessThanOrEqual(passage.end);
          expect(passage.end).toBeLessThanOrEqual(text.words.length);
          const tokens: string[] = [];
          eachNewWord(text, passage, ({ token }) => tokens.push(token));
          expect(tokens).toEqual([...new Set(wordsOf(text, passage).split(' '))].filter((one) => one !== ''));
          expect(new Set(passage.meanings).size).toBe(passage.meanings.length);
          const { buckets, values } = vectorOf(text, passage);
          expect(buckets.every((bucket) => bucket < BUCKETS)).toBe(true);
          const square = values.reduce((sum, value) => sum + value * value, 0);
          if (buckets.length > 0) expect(square).toBeCloseTo(1, 4);
        }
        const meanings = new Set(text.whole.meanings);
        for (const part of text.parts) {
          if (text.parts.length < 200) expect(part.meanings.every((one) => meanings.has(one))).toBe(true);
        }
      }),
    );
  });

  test.each(hostilePieces)('of the greatest length is read in few parts: %j', (piece) => {
    const text = read(repeated(piece, LONGEST_MESSAGE));
    expect(text.parts.length).toBeLessThanOrEqual(200);
    expect(text.whole.meanings.length).toBeLessThanOrEqual(200 * 136);
  });
});

describe('the meanings of a text', () => {
  const meaningsOf = (text: string): readonly number[] => read(text).whole.meanings.toSorted((a, b) => a - b);

  test('are those of the lexicon that knows the most of its words', () => {
    expect(meaningsOf('I want my money')).toEqual(meaningsOf('want money'));
    expect(meaningsOf('ich will das Geld')).not.toEqual([]);
    // `will` is a wish in German only.
    expect(meaningsOf('will refund money')).toEqual(meaningsOf('refund'));
  });

  test('have the same buckets in both languages', () => {
    expect(meaningsOf('Geld spät')).toEqual(meaningsOf('money late'));
  });

  test('are none where no lexicon knows three in ten words', () => {
    expect(meaningsOf('gdzie jest moja paczka money')).toEqual([]);
    expect(createTextReader()('I want my money').whole.meanings).toEqual([]);
  });

  test('have the pairs of a sentence, and not those of two sentences', () => {
    const together = meaningsOf('I want my late money');
    const apart = meaningsOf('I want it. My money is late.');
    expect(together).toHaveLength(6);
    expect(apart).toHaveLength(4);
    expect(apart.every((one) => together.includes(one))).toBe(true);
  });

  test('have terms of several words, which do not cross a sentence', () => {
    expect(meaningsOf('money not here')).toEqual(meaningsOf('late money'));
    expect(meaningsOf('money, not. Here')).toEqual(meaningsOf('money'));
  });
});

describe('the vector of a passage', () => {
  test('does not depend on how often a word stands in it, but for the words beside it', () => {
    const [once, twice] = ['late money', 'late money late'].map((text) => {
      const given = read(text);
      return new Set(vectorOf(given, given.whole).buckets);
    });
    const further = [...(twice ?? [])].filter((bucket) => !once?.has(bucket));
    // The pair `money late`, and `late late` with a word between them.
    expect(further).toHaveLength(2);
  });

  test('is the same for a part as for the part alone', () => {
    const text = read('I want a refund. It is too late.');
    const [first] = text.parts;
    const alone = read('I want a refund');
    if (first === undefined) throw new Error('the text has no parts');
    expect(vectorOf(text, first)).toEqual(vectorOf(alone, alone.whole));
  });
});

test('recent results are kept, and the others computed again', () => {
  const computed: string[] = [];
  const length = keepRecent(2, (key) => {
    computed.push(key);
    return key.length;
  });
  expect(['a', 'bb', 'a', 'ccc', 'a', 'bb'].map(length)).toEqual([1, 2, 1, 3, 1, 2]);
  expect(computed).toEqual(['a', 'bb', 'ccc']);
  for (const key of ['d', 'e', 'f', 'g', 'h']) length(key);
  expect(length('a')).toBe(1);
  expect(computed.filter((key) => key === 'a')).toHaveLength(2);
});
