import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readText } from '../../../../src/adapters/shared/reading/read-text.ts';
import { createPhraseFinder } from '../../../../src/adapters/stages/analysis/phrases.ts';
import { type Concern, concerns } from '../../../../src/domain/message/message.ts';
import { parseLexicon } from '../../../../src/lib/learning/lexicon.ts';
import { tokenize } from '../../../../src/lib/text/tokenize.ts';
import { hostilePieces, LONGEST_MESSAGE, repeated } from '../../../support/hostile-texts.ts';
import { assorted } from '../assorted.ts';
import { chatter } from '../chatter.ts';
import { nearMisses } from '../concern-wordings.ts';
import { sentences } from '../sentences.ts';

const folder = new URL('../../../../models/phrases/', import.meta.url);
const files = readdirSync(folder);
const phrasesOf = (file: string) => parseLexicon(readFileSync(new URL(file, folder), 'utf8'));
const languageOf = (file: string): string => file.replace('.txt', '');

const findShipped = createPhraseFinder([]);
const shippedIn = (text: string, ...languages: readonly string[]) => findShipped(readText(text), languages);

describe('the shipped phrases', () => {
  test('are there for eight languages', () => {
    expect(files.map(languageOf).sort()).toEqual(['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt']);
  });

  test.each(files)(
    'of %s are for all concerns and nothing else, each once, of more than a short word',
    (file) => {
      const phrases = phrasesOf(file);
      expect([...phrases.keys()].sort()).toEqual([...concerns].sort());
      const all = [...phrases.values()].flat();
      const folded = all.map((phrase) => tokenize(phrase).join(' '));
      expect(folded.filter((one, at) => folded.indexOf(one) !== at)).toEqual([]);
      expect(all.filter((phrase) => phrase.length < 4)).toEqual([]);
    },
  );

  test.each(files)('of %s are found in whatever text they stand', (file) => {
    const missed: string[] = [];
    for (const concern of concerns) {
      for (const phrase of phrasesOf(file).get(concern) ?? []) {
        for (const text of [
          phrase,
          `Xyz, ${phrase.toUpperCase()}! Abc?`,
          `(zzz) ${phrase.replaceAll(' ', '\n')}…`,
        ]) {
          if (!shippedIn(text, languageOf(file)).has(concern)) missed.push(`${concern}: ${text}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });

  test('are in no ordinary message, however alarming its words are', () => {
    const ordinary = [
      ...Object.values(sentences).flat(),
      ...[...chatter, ...assorted].map(([, text]) => text),
      ...nearMisses,
    ];
    const found = ordinary.flatMap((text) =>
      [...shippedIn(text, 'en')].map((one) => `${one.join(': ')} in ${text}`),
    );
    expect(found).toEqual([]);
  });

  test('count only in the languages that are asked for', () => {
    expect([...shippedIn('ich bringe mich um', 'de').keys()]).toEqual(['self_harm']);
    expect(shippedIn('ich bringe mich um', 'en', 'fr').size).toBe(0);
    expect(shippedIn('I want to kill myself', 'xx').size).toBe(0);
    expect(shippedIn('I want to kill myself').size).toBe(0);
  });

  test('of several concerns are all told, with the first phrase of each', () => {
    const found = shippedIn('I am a journalist and want to kill myself, and to end my life', 'en');
    expect([...found]).toEqual([
      ['press', 'i am a journalist'],
      ['self_harm', 'kill myself'],
    ]);
  });
});

describe('the phrases of a playbook', () => {
  const find = createPhraseFinder([
    { concern: 'injury', text: 'broken needle' },
    { concern: 'fraud', text: 'gefälschtes Rezept' },
    { concern: 'threat', text: 'Hausverbot' },
    { concern: 'press', text: 'channel 4 news' },
  ]);
  const foundIn = (text: string): readonly Concern[] => [...find(readText(text), []).keys()];

  test.each([
    ['I have a broken, NEEDLE in my gum', ['injury']],
    ['two broken needles', ['injury']],
    ['Das war ein gefaelschtes\nRezept', ['fraud']],
    ['hausverbot', ['threat']],
    ['this is Channel 4 News', ['press']],
    ['broken needle, gefälschtes Rezept, Hausverbot', ['injury', 'fraud', 'threat']],
    ['my needlework is broken', []],
    ['broken a needle', []],
    ['', []],
  ])('in %j raise %j', (text, raised) => {
    expect(foundIn(text)).toEqual(raised);
  });

  test('are found wherever they stand in any text', () => {
    const anyText = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        expect(foundIn(`${before} broken needle ${after}`)).toContain('injury');
      }),
    );
  });

  test('win over nothing: shipped ones are found beside them', () => {
    expect([...find(readText('broken needle, my lawyer will call'), ['en']).keys()]).toEqual([
      'injury',
      'legal',
    ]);
  });

  test.each(hostilePieces)('are looked for in any text: %j', (piece) => {
    const text = repeated(piece, LONGEST_MESSAGE);
    expect(find(readText(text), ['en', 'de']).size).toBe(0);
  });
});
