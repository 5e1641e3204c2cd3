import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readText } from '../../../../src/adapters/shared/reading/read-text.ts';
import { createPhraseFinder } from '../../../../src/adapters/stages/analysis/analysis.ts';
import { concerns } from '../../../../src/domain/message/message.ts';
import { parseLexicon } from '../../../../src/lib/learning/lexicon.ts';
import { tokenize } from '../../../../src/lib/text/tokenize.ts';
import { hostilePieces, LONGEST_MESSAGE, repeated } from '../../../support/hostile-texts.ts';
import { assorted, chatter, nearMisses, sentences } from '../texts.ts';

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
    'of %s are for all concerns and a person and nothing else, each once, of more than a short word',
    (file) => {
      const phrases = phrasesOf(file);
      expect([...phrases.keys()].sort()).toEqual([...concerns, 'human', 'not_human'].sort());
      const all = [...phrases.values()].flat();
      const folded = all.map((phrase) => tokenize(phrase).join(' '));
      expect(folded.filter((one, at) => folded.indexOf(one) !== at)).toEqual([]);
      const raising = [...phrases].flatMap(([name, list]) => (name === 'not_human' ? [] : list));
      expect(raising.filter((phrase) => phrase.length < 4)).toEqual([]);
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
    const labelled = [
      ...Object.entries(sentences).flatMap(([intent, texts]) => texts.map((text) => [intent, text])),
      ...chatter,
      ...assorted,
    ];
    const ordinary = [
      ...labelled.flatMap(([intent, text = '']) => (intent === 'human_agent' ? [] : text)),
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

describe('an unmistakable wish for a person', () => {
  const wishIn = (text: string, language: string) => shippedIn(text, language).get('human');

  test.each(files)('of %s is found in whatever text it stands', (file) => {
    const wishes = phrasesOf(file).get('human') ?? [];
    expect(wishes.length).toBeGreaterThanOrEqual(12);
    const written = wishes.flatMap((wish) => [spelledOut(wish, 'shortest'), spelledOut(wish, 'longest')]);
    const missed = written.filter((wish) => {
      const texts = [wish, `Xyz. ${wish.toUpperCase()}! Abc?`, `zzz; ${wish.replaceAll(' ', '\n')}.`];
      return texts.some((text) => wishIn(text, languageOf(file)) === undefined);
    });
    expect(missed).toEqual([]);
  });

  test.each([
    ['en', 'Your bot is no use, let me talk to a human!', 'let me talk to a human'],
    ['en', 'No. I want to speak to a real person.', 'want to speak to a real person'],
    ['en', 'Not again. Human, please', 'human please'],
    ['en', 'why dont you let me talk to a human', 'dont you let me talk to a human'],
    ['en', "I don't want to talk to a bot", 'dont want to talk to a bot'],
    ['en', 'The refund did not come, can I please speak to a person?', 'can i please speak to a person'],
    [
      'de',
      'Kann ich bitte mit einem echten Menschen sprechen?',
      'kann ich bitte mit einem echten menschen sprechen',
    ],
    ['fr', "Je voudrais parler à un humain, s'il vous plaît", 'voudrais parler a un humain'],
    ['es', 'No, quiero hablar con una persona', 'quiero hablar con una persona'],
    ['it', 'Vorrei parlare con un operatore', 'vorrei parlare con un operatore'],
    ['nl', 'Kan ik met een mens praten?', 'kan ik met een mens praten'],
    ['pt', 'Quero falar com uma pessoa', 'quero falar com uma pessoa'],
    ['pl', 'Chcę porozmawiać z człowiekiem', 'chce porozmawiac z czlowiekiem'],
  ])('is told in the words of the text: %s, %j', (language, text, phrase) => {
    expect(wishIn(text, language)).toBe(phrase);
  });

  test.each([
    ['en', "I don't want to talk to a human"],
    ['en', "Thanks, all is well. I don't\nwant to talk to a human"],
    ['en', 'I do not really want to speak to a real person about this'],
    ['en', "I don't think I need to speak to a person"],
    ['en', 'There is no need to connect me to a human'],
    ['en', "Please don't put me through to a human."],
    ['en', 'If I want to talk to a human, when are you open?'],
    ['en', 'I talked to a human yesterday and she was kind'],
    ['en', 'Thanks for letting me talk to a real person'],
    ['en', 'You connected me to a human who helped at once'],
    ['en', 'Is this cream made for human or animal use, please?'],
    ['en', 'Please call me'],
    ['en', 'The manager was friendly'],
    ['de', 'Ich möchte nicht mit einem Menschen sprechen'],
    ['de', 'Wenn ich mit einem Menschen sprechen möchte, wohin wende ich mich?'],
    ['fr', 'Je ne veux pas parler à un humain'],
    ['fr', "Je n'ai pas besoin de parler à un humain"],
    ['es', 'No quiero hablar con una persona'],
    ['it', 'Non voglio parlare con un operatore'],
    ['nl', 'Ik wil niet met een mens praten'],
    ['pt', 'Não quero falar com uma pessoa'],
    ['pl', 'Nie chcę rozmawiać z człowiekiem'],
  ])('is not in what takes it back or speaks of something else: %s, %j', (language, text) => {
    expect(wishIn(text, language)).toBeUndefined();
  });

  test('is found once beside concerns, and only in the languages that are asked for', () => {
    const text = 'I am a journalist. I want to talk to a human. Let me speak to a human.';
    expect([...shippedIn(text, 'en')]).toEqual([
      ['press', 'i am a journalist'],
      ['human', 'want to talk to a human'],
    ]);
    expect(wishIn(text, 'de')).toBeUndefined();
  });
});

/** A phrase of the file with the first of its alternatives, without or with what may be left out. */
function spelledOut(phrase: string, length: 'shortest' | 'longest'): string {
  return phrase
    .split(' ')
    .filter((part) => part !== '^' && part !== '$' && (length === 'longest' || !part.startsWith('(')))
    .map((part) => part.replaceAll(/[()]/g, '').split('/')[0])
    .join(' ');
}

describe('the phrases of a playbook', () => {
  const find = createPhraseFinder([
    { concern: 'injury', text: 'broken needle' },
    { concern: 'fraud', text: 'gefälschtes Rezept' },
    { concern: 'threat', text: 'Hausverbot' },
    { concern: 'press', text: 'channel 4 news' },
  ]);
  const foundIn = (text: string): readonly string[] => [...find(readText(text), []).keys()];

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
