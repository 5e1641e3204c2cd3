import { createRequire } from 'node:module';
import { functionWords, greetings, type WordLanguage, wordLanguages } from './function-words.ts';
import { scriptLanguage } from './scripts.ts';

const require = createRequire(import.meta.url);

/** The language of a text as an ISO 639-1 code; `und` when it is too short or in no known language. */
export function detectLanguage(text: string): string {
  const start = text.slice(0, MAX_CHARACTERS);
  const script = scriptLanguage(start);
  if (script !== undefined) return script;
  const words = wordsOf(start);
  const counts = countWords(words);
  return words.length < LONG ? ofFewWords(words, counts) : ofManyWords(start, words, counts);
}

const MAX_CHARACTERS = 1200;

/** From so many words on, frequent words decide. */
const LONG = 5;

const ENGLISH = 'en';

function masks(table: Readonly<Partial<Record<WordLanguage, string>>>): ReadonlyMap<string, number> {
  const map = new Map<string, number>();
  for (const [index, language] of wordLanguages.entries()) {
    for (const word of table[language]?.split(' ') ?? []) {
      // Single letters stand in too many English abbreviations, such as `w/`.
      if (index === 0 || !/^[a-z]$/.test(word)) map.set(word, (map.get(word) ?? 0) | (1 << index));
    }
  }
  return map;
}

const functionMasks = masks(functionWords);
const greetingMasks = masks(greetings);
const foreign = wordLanguages.filter((language) => language !== ENGLISH);

const notWords = /https?:\/\/\S{0,300}|\S{1,64}@\S{1,100}|\[(?:card number|security code|IBAN|password)\]/g;
const wordPattern = /\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)?/gu;
const asciiWordPattern = /[a-z]+(?:'[a-z]+)?/g;

/** The words in lower case. `l'article` counts as two; web and mail addresses do not count. */
function wordsOf(text: string): readonly string[] {
  const hasAddress = text.includes('@') || text.includes('://') || text.includes('[');
  const plain = (hasAddress ? text.replace(notWords, ' ') : text).toLowerCase();
  const words = plain.match(/\P{ASCII}/u.test(plain) ? wordPattern : asciiWordPattern) ?? [];
  return plain.includes("'") || plain.includes('’') ? words.flatMap(splitElision) : words;
}

function splitElision(word: string): readonly string[] {
  const at = word.search(/['’]/);
  if (at < 0) return [word];
  const straight = word.replace('’', "'");
  if (functionMasks.has(straight) || /'(?:t|s|m|re|ve|ll|d)$/.test(straight)) return [straight];
  return [straight.slice(0, at + 1), straight.slice(at + 1)];
}

/** How many frequent words of each language a text has, in the order of {@link wordLanguages}. */
function countWords(words: readonly string[]): readonly number[] {
  const hits = wordLanguages.map(() => 0);
  for (const word of words) {
    let mask = functionMasks.get(word) ?? (/'(?:t|s|m|re|ve|ll|d)$/.test(word) ? 1 : 0);
    for (let index = 0; mask !== 0; index++, mask >>= 1) if (mask & 1) hits[index] = (hits[index] ?? 0) + 1;
  }
  return hits;
}

/** Only words that can be taken for nothing else make a short text a foreign one. */
function ofFewWords(words: readonly string[], counts: readonly number[]): string {
  const [english = 0] = counts;
  const hits = foreign.map((language, index) => {
    const bit = 1 << (index + 1);
    const greeted = words.filter((word) => ((greetingMasks.get(word) ?? 0) & bit) !== 0).length;
    return { language, greeted, score: 2 * greeted + (counts[index + 1] ?? 0) };
  });
  const best = hits.reduce((one, other) => (other.score > one.score ? other : one));
  if (words.length > 2 && best.score > english && best.score >= words.length - 1 && best.score >= 2)
    return best.language;
  if (best.greeted > 0 && best.score > 2 * english) return best.language;
  if (english === 0 && best.score >= 2 && best.score >= words.length - 1 && hasForeignLetter(words))
    return best.language;
  return english > 0 ? ENGLISH : 'und';
}

function hasForeignLetter(words: readonly string[]): boolean {
  return words.some((word) => /[^a-z'’]/.test(word));
}

/** The language whose frequent words are clearly more than the English ones; where that is unclear, tinyld's opinion. */
function ofManyWords(text: string, words: readonly string[], counts: readonly number[]): string {
  const { length } = words;
  const [english = 0] = counts;
  const best = foreign.reduce<readonly [string, number]>(
    (found, language, index) => {
      const count = counts[index + 1] ?? 0;
      return count > found[1] ? [language, count] : found;
    },
    ['und', 0],
  );
  const [language, count] = best;
  const looksForeign = hasManyForeignWords(words);
  if (!looksForeign && english >= count && english * 5 >= length) return ENGLISH;
  if (count >= 2 && count * 4 >= length && count >= 2 * english) return closest(text, language, counts);
  const fallback = english > 0 ? ENGLISH : 'und';
  if (looksForeign) return guessLanguage(text) || fallback;
  return secondOpinion(text, english, count) ?? fallback;
}

/** True when three of ten words have letters that English has not. */
function hasManyForeignWords(words: readonly string[]): boolean {
  return words.filter((word) => /[^\p{ASCII}’]/u.test(word)).length * 10 >= words.length * 3;
}

/** Danish, Norwegian and Swedish share most words, so do Czech and Slovak: a tie is decided by tinyld. */
function closest(text: string, language: string, counts: readonly number[]): string {
  const most = Math.max(...counts.slice(1));
  const tied = foreign.filter((_, index) => counts[index + 1] === most);
  if (tied.length === 1) return language;
  const guess = guessLanguage(text);
  return tied.find((candidate) => candidate === guess) ?? language;
}

/** The language that tinyld sees, where the frequent words do not speak against it. */
function secondOpinion(text: string, english: number, count: number): string | undefined {
  // Without any frequent word, only letters beyond ASCII show that a text is not made of names and codes.
  const isUnknown = english === 0 && count === 0 && foreignLetter.test(text);
  const isLikely = count > english && (count > 1 || english === 0);
  if (!isUnknown && !isLikely) return undefined;
  const guess = guessLanguage(text);
  return guess === '' || guess === ENGLISH ? undefined : guess;
}

const foreignLetter = /[à-öø-ÿāăąćčđęěğıłńňőřśşšťůűźżž]/i;

/** What this adapter uses of tinyld. */
interface Guesser {
  readonly detect: (text: string) => string;
}

let guesser: Guesser | undefined;

/** Loaded on first need: for most texts the frequent words suffice. */
function guessLanguage(text: string): string {
  if (guesser === undefined) {
    const loaded: Guesser = require('tinyld/light');
    guesser = loaded;
  }
  return guesser.detect(text.slice(0, 300));
}
