import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createMeanings,
  type LexiconLanguage,
  numberOfMeaning,
  parseLexicon,
} from '../../../src/lib/learning/lexicon.ts';
import { createTextReader, type Meanings, type Word } from '../../../src/lib/learning/text-reader.ts';
import { tokenize } from '../../../src/lib/text/tokenize.ts';

/** The look-up in a lexicon of these lines, by the names of the classes. */
function lookUpIn(language: LexiconLanguage, text: string) {
  const lexicon = parseLexicon(text);
  const names = new Map([...lexicon.keys()].map((name) => [numberOfMeaning(name), name]));
  const meanings = createMeanings(language, lexicon);
  const nameOf = (meaning: number): string => names.get(meaning) ?? 'unknown';
  return {
    /** The classes of each word. */
    classesOf: (word: string): readonly string[] =>
      tokenize(word).flatMap((token) => meanings.meaningsOf(token).map(nameOf)),
    /** The classes of the terms of several words in a text. */
    termsIn: (words: string): readonly string[] => termsOf(meanings, words).map(nameOf),
  };
}

const read = createTextReader();

function termsOf(meanings: Meanings, text: string): readonly number[] {
  const words: readonly Word[] = read(text).words;
  const found: number[] = [];
  for (let at = 0; at < words.length; at++) {
    meanings.termsAt(words, at, words.length, (meaning) => found.push(meaning));
  }
  return found;
}

describe('the text of a lexicon', () => {
  test('has a class in each line, and comments', () => {
    const lexicon = parseLexicon(
      '# Words.\n\nmoney.refund: refund, money back,, \n  time.late : late\nempty:\n',
    );
    expect([...lexicon]).toEqual([
      ['money.refund', ['refund', 'money back']],
      ['time.late', ['late']],
      ['empty', []],
    ]);
  });

  test.each(['refund, money back', ': refund', 'a: b\nnothing'])('without a class is refused: %j', (text) => {
    expect(() => parseLexicon(text)).toThrow('a line of a lexicon has no class: ');
  });
});

describe('the meanings of an English word', () => {
  const { classesOf } = lookUpIn(
    'en',
    'refund: refund\nreply: reply\nstop: stop\nhope: hope\nready: ready\nbox: box\nclass: class\nhappy: happy\nbig: big\nfix: repair',
  );

  test.each([
    ['refund', ['refund', 'refunds', 'refunded', 'refunding', 'REFUND']],
    ['reply', ['reply', 'replies', 'replied', 'replying']],
    ['stop', ['stop', 'stops', 'stopped', 'stopping']],
    ['hope', ['hoped', 'hoping']],
    ['ready', ['readily']],
    ['box', ['boxes']],
    ['class', ['class', 'classes']],
    ['happy', ['happier', 'happiest', 'happily']],
    ['big', ['bigger', 'biggest']],
    ['fix', ['repairs', 'repairable', 'repaired']],
  ])('%s are found in its inflections', (name, words) => {
    for (const word of words) expect([word, ...classesOf(word)]).toEqual([word, name]);
  });

  test.each(['fund', 'fundamental', 'clas', 'x', '0', '?', 'constructor', '__proto__'])(
    'are none for %s',
    (word) => {
      expect(classesOf(word)).toEqual([]);
    },
  );
});

describe('the meanings of a German word', () => {
  const { classesOf } = lookUpIn(
    'de',
    [
      'bill: Rechnung\nlock: Schloss\nhouse: Haus\nkey: Schlüssel\nrepair: reparieren\nbuy: kaufen',
      'fetch: abholen\nparcel: Paket\ntrack: Verfolgung\npipe: Rohr\nbreak: Bruch\nbig: groß\nbook: Buch',
      'work: Arbeit\nopen: öffnen\ndoor: Tür',
    ].join('\n'),
  );

  test.each([
    ['bill', ['Rechnung', 'Rechnungen']],
    ['lock', ['Schloss', 'Schlosses', 'Schlösser', 'Schlössern', 'schloesser']],
    ['house', ['Haus', 'Hauses', 'Häuser', 'Häusern']],
    ['book', ['Buch', 'Bücher', 'Büchern', 'Buches']],
    ['key', ['Schlüssel', 'Schlüsseln', 'Schluessel']],
    ['repair', ['reparieren', 'repariert', 'reparierte', 'reparierten']],
    ['buy', ['kaufe', 'kaufst', 'kauft', 'kaufte', 'gekauft']],
    ['fetch', ['abholen', 'abgeholt', 'abzuholen', 'abholt']],
    ['open', ['öffnet', 'geöffnet', 'geoeffnet']],
    ['big', ['großer', 'größer', 'größte', 'groesser']],
    ['parcel', ['Pakete', 'Paketen', 'Pakets']],
    ['door', ['Türen']],
  ])('%s are found in its inflections, also with umlauts', (name, words) => {
    for (const word of words) expect([word, ...classesOf(word)]).toEqual([word, name]);
  });

  test.each([
    ['Paketverfolgung', ['track', 'parcel']],
    ['Rohrbruch', ['break', 'pipe']],
    ['Rohrbrüche', ['break', 'pipe']],
    ['Hausschlüssel', ['key', 'house']],
    ['Arbeitsbuch', ['book', 'work']],
    ['Türschlösser', ['lock', 'door']],
  ])('of the compound %s are those of its parts, the last one first', (word, names) => {
    expect(classesOf(word)).toEqual(names);
  });

  test.each(['Handtücher', 'und', 'Hau', 'x'])('are none for %s', (word) => {
    expect(classesOf(word)).toEqual([]);
  });
});

describe('a term of several words', () => {
  const { termsIn, classesOf } = lookUpIn(
    'en',
    'refund: money back, give back\nlate: not here\nvery_late: not here yet, still waiting\nholiday: bank holiday',
  );

  test.each([
    ['I want my money back', ['refund']],
    ['giving back what is not mine', ['refund']],
    ['It is not here', ['late']],
    ['It is not here yet', ['very_late']],
    ['waiting for my money back', ['refund']],
    ['open on bank holidays', ['holiday']],
    ['my money is back', []],
    ['money', []],
  ])('in %j: %j', (text, names) => {
    expect(termsIn(text)).toEqual(names);
  });

  test('has no meaning for one of its words', () => {
    expect(classesOf('money')).toEqual([]);
    expect(classesOf('back')).toEqual([]);
  });
});

test('the number of a class does not depend on the rest of a lexicon', () => {
  const [alone, among] = ['late: late', 'a: b\nlate: late\nz: early, late'].map((text) =>
    createMeanings('en', parseLexicon(text)).meaningsOf('late'),
  );
  expect(alone).toEqual([numberOfMeaning('late')]);
  expect(among?.[0]).toBe(numberOfMeaning('late'));
});

describe.each(['en', 'de'] as const)('the lexicon that is shipped for %s', (language) => {
  const lexicon = parseLexicon(
    readFileSync(new URL(`../../../models/lexicon/${language}.txt`, import.meta.url), 'utf8'),
  );
  const meanings = createMeanings(language, lexicon);

  test('has at least one word in each class, and finds nearly each word in a class that has it', () => {
    const classesOf = new Map<string, number[]>();
    for (const [name, words] of lexicon) {
      expect(words.length, name).toBeGreaterThan(0);
      for (const word of words) {
        const entry = tokenize(word).join(' ');
        classesOf.set(entry, [...(classesOf.get(entry) ?? []), numberOfMeaning(name)]);
      }
    }
    const lost = [...classesOf].filter(([entry, classes]) => {
      const found = entry.includes(' ') ? termsOf(meanings, entry) : meanings.meaningsOf(entry);
      return entry !== '' && !classes.some((one) => found.includes(one));
    });
    // A term may begin with a longer one, or with an inflection that another term has.
    expect(lost.length / classesOf.size, lost.map(([entry]) => entry).join(', ')).toBeLessThan(0.01);
  });

  test('has a number of its own for each class', () => {
    expect(new Set([...lexicon.keys()].map(numberOfMeaning)).size).toBe(lexicon.size);
  });

  test('can be asked for any word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const token of tokenize(text)) {
          expect(meanings.meaningsOf(token).every(Number.isInteger)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

test('the lexicons of both languages have the same classes, apart from what English concerns speak of', () => {
  const [english, german] = ['en', 'de'].map((language) =>
    [
      ...parseLexicon(
        readFileSync(new URL(`../../../models/lexicon/${language}.txt`, import.meta.url), 'utf8'),
      ).keys(),
    ]
      .filter((name) => !name.startsWith('concern.'))
      .sort(),
  );
  expect(german).toEqual(english);
});
