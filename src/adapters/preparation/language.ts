import { createRequire } from 'node:module';
import type { Lexicon } from '../../lib/learning/lexicon.ts';
import { readLexicon } from '../shared/reading/model-files.ts';

const require = createRequire(import.meta.url);

/** A guess at the language of a text. */
export interface LanguageGuess {
  /** An ISO 639-1 code; `und` where nothing shows the language. */
  readonly language: string;
  /** True where the text itself leaves no doubt, so that nothing else that is known of its writer counts. */
  readonly isClear: boolean;
}

/**
 * Guesses the language of a text. Where that is not clear, it is taken to be in one of the `spoken` languages: those
 * that the company writes in. The time is linear in the length of the text.
 */
export function guessLanguage(text: string, spoken: readonly string[]): LanguageGuess {
  const start = text.slice(0, MAX_CHARACTERS).normalize('NFC');
  const script = scriptLanguage(start);
  if (script !== undefined) return { language: script, isClear: true };
  const words = wordsOf(start);
  const counts = countWords(words);
  const read = words.length < LONG ? ofFewWords(words, counts) : ofManyWords(start, words, counts);
  const telling = words.filter((word) => word.length > 1 && !international.has(word)).slice(0, MAX_WEIGHED);
  return weigh({ read, words, telling, counts }, spoken);
}

const MAX_CHARACTERS = 1200;

/** From so many words on, frequent words decide. */
const LONG = 5;

const ENGLISH = 'en';

/** The languages that words decide about, English first. Of two that are equally likely the first counts. */
const wordLanguages: readonly string[] = [
  ...[ENGLISH, 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'],
  ...['sv', 'da', 'no', 'fi', 'tr', 'cs', 'ro', 'hu'],
];

/** Those of them in which replies are built in. */
const shipped: ReadonlySet<string> = new Set(wordLanguages.slice(0, 8));

const foreign = wordLanguages.slice(1);

/** The words of `models/languages`. */
interface KnownWords {
  readonly lists: ReadonlyMap<string, Lexicon>;
  /** By word: a bit for each language in which it is frequent, in the order of {@link wordLanguages}. */
  readonly frequent: ReadonlyMap<string, number>;
  /** The same of words that tell the language of a text of few words. */
  readonly greetings: ReadonlyMap<string, number>;
}

let loaded: KnownWords | undefined;

/** The words of all languages, read for the first text. */
function known(): KnownWords {
  if (loaded === undefined) {
    const lists = new Map(
      wordLanguages.map((language) => [language, readLexicon(`languages/${language}.txt`)]),
    );
    loaded = { lists, frequent: bitsOf(lists, 'frequent'), greetings: bitsOf(lists, 'greetings') };
  }
  return loaded;
}

function bitsOf(lists: KnownWords['lists'], name: string): ReadonlyMap<string, number> {
  const bits = new Map<string, number>();
  for (const [index, language] of wordLanguages.entries()) {
    for (const word of lists.get(language)?.get(name) ?? []) {
      // Single letters stand in too many English abbreviations, such as `w/`.
      if (index === 0 || !/^[a-z]$/.test(word)) bits.set(word, (bits.get(word) ?? 0) | (1 << index));
    }
  }
  return bits;
}

/** The place of each language in what is counted. */
const places: ReadonlyMap<string, number> = new Map(wordLanguages.map((language, at) => [language, at]));

const notWords = /https?:\/\/\S{0,300}|\S{1,64}@\S{1,100}|\[(?:card number|security code|IBAN|password)\]/g;
const wordPattern = /\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)?/gu;
const asciiWordPattern = /[a-z]+(?:'[a-z]+)?/g;

/** The words in lower case. `l'article` counts as two, `sooo` as `so`; web and mail addresses do not count. */
function wordsOf(text: string): readonly string[] {
  const hasAddress = text.includes('@') || text.includes('://') || text.includes('[');
  const plain = (hasAddress ? text.replace(notWords, ' ') : text)
    .toLowerCase()
    .replaceAll(/(\p{L})\1{2,}/gu, '$1');
  const words = plain.match(/\P{ASCII}/u.test(plain) ? wordPattern : asciiWordPattern) ?? [];
  return plain.includes("'") || plain.includes('’') ? words.flatMap(splitElision) : words;
}

/** The end of an English word such as `don't`. */
const contraction = /'(?:t|s|m|re|ve|ll|d)$/;

function splitElision(word: string): readonly string[] {
  const at = word.search(/['’]/);
  if (at < 0) return [word];
  const straight = word.replace('’', "'");
  if (known().frequent.has(straight) || contraction.test(straight)) return [straight];
  return [straight.slice(0, at + 1), straight.slice(at + 1)];
}

/** The number of frequent words of each language in a text, in the order of {@link wordLanguages}. */
function countWords(words: readonly string[]): readonly number[] {
  const { frequent } = known();
  const hits = wordLanguages.map(() => 0);
  for (const word of words) {
    let mask = frequent.get(word) ?? (word.includes("'") && contraction.test(word) ? 1 : 0);
    for (let index = 0; mask !== 0; index++, mask >>= 1) if (mask & 1) hits[index] = (hits[index] ?? 0) + 1;
  }
  return hits;
}

/** Words of many languages, which show none of them. */
const international: ReadonlySet<string> = new Set(
  'ok okay hi hey sorry super top cool stop info infos mail email login account app apps code link online offline status ticket tickets service support hotel taxi internet wifi wlan pdf test chat web website server update updates iphone android google paypal visa bank hotline team bus film radio park parking menu club sport fitness laptop router'.split(
    ' ',
  ),
);

/** The most words that are weighed. */
const MAX_WEIGHED = 30;

/** The lead of one language over another that a text has to show, in likeness. */
const leads = {
  /** To be taken for the one rather than for the other. */
  least: 0.5,
  /** For another language than those of the company, which frequent words or words of its own show too. */
  foreign: 3,
  /** For a language of the company without any doubt. */
  clear: 4,
  /** For any language without any doubt, by its spelling alone. */
  spelled: 8,
} as const;

/** The findings in a text. */
interface ReadText {
  /** The language that frequent words show, or `und`. */
  readonly read: string;
  readonly words: readonly string[];
  /** The words that can show a language. */
  readonly telling: readonly string[];
  /** The number of frequent words of each language. */
  readonly counts: readonly number[];
}

/** Decides between the languages that the company speaks and all others, which need more evidence. */
function weigh(text: ReadText, spoken: readonly string[]): LanguageGuess {
  const { read, telling } = text;
  const own = wordLanguages.filter((language) => spoken.includes(language));
  if (own.length === 0) return { language: read, isClear: read !== 'und' };
  if (own.some((language) => language === read) && isReadWell(text)) return { language: read, isClear: true };
  if (telling.length === 0) return { language: 'und', isClear: false };
  const others = wordLanguages.filter((language) => language === read || shipped.has(language));
  const compared = [...new Set([...own, ...others])];
  const likeness = likenessTo(compared, telling);
  const ranked = compared
    .map((language, index) => ({ language, likeness: likeness[index] ?? 0 }))
    .sort((one, other) => other.likeness - one.likeness);
  const [best, second] = ranked.filter(({ language }) => own.includes(language));
  const rival = ranked.find(({ language }) => !own.includes(language));
  const other = second ?? rival;
  if (best === undefined || other === undefined) throw new Error('no two languages were compared');
  return (
    readElsewhere(best.language, text) ??
    (rival && readForeign(rival.language, rival.likeness - best.likeness, best.language, text)) ??
    readOwn(best.language, best.likeness - other.likeness, other.language, text)
  );
}

/** True for a long text with many frequent words of its language, and less than half as many of any other. */
function isReadWell({ read, words, counts }: ReadText): boolean {
  const count = countIn(read, counts);
  if (words.length < LONG || 3 * count <= words.length) return false;
  if (read === ENGLISH && hasForeignLetter(words)) return false;
  return wordLanguages.every((other) => other === read || 2 * countIn(other, counts) <= count);
}

/** The guess that a text is in another language than those of the company; undefined where that is not so. */
function readForeign(
  language: string,
  lead: number,
  best: string,
  { read, words, telling, counts }: ReadText,
): LanguageGuess | undefined {
  const isSpelled = telling.length > 2 && lead >= leads.spelled;
  const shown = shownWords(language, best, telling);
  const isShownShort = shown === 'many' || (shown === 'greeting' && telling.length === 1);
  const isShown = words.length < LONG ? isShownShort : read === language && countIn(language, counts) > 1;
  if (!isSpelled && !(isShown && lead >= leads.foreign)) return undefined;
  return { language, isClear: words.length >= LONG || isSpelled || shown === 'many' };
}

/** The guess that a text is in a language that was not compared: hardly a word is one of the company's language. */
function readElsewhere(best: string, { read, telling }: ReadText): LanguageGuess | undefined {
  if (read === 'und' || places.has(read)) return undefined;
  const own = telling.filter((word) => isKnownIn(best, word)).length;
  return 5 * own < telling.length ? { language: read, isClear: true } : undefined;
}

/** The guess that a text is in a language of the company. */
function readOwn(
  language: string,
  lead: number,
  other: string,
  { read, words, telling }: ReadText,
): LanguageGuess {
  if (lead < leads.least) return { language: 'und', isClear: false };
  const isLong = words.length >= LONG;
  const isShown = isLong
    ? read === language || lead >= leads.spelled
    : shownWords(language, other, telling) !== undefined;
  return { language, isClear: isShown && lead >= leads.clear };
}

/**
 * The evidence of the words of a short text that it is in one language and not in another: by `many` words that only
 * that one has, by a `greeting`, or not at all.
 */
function shownWords(
  language: string,
  other: string,
  words: readonly string[],
): 'many' | 'greeting' | undefined {
  const shown = words.filter((word) => isKnownIn(language, word) && !isKnownIn(other, word));
  if (shown.length > 1) return 'many';
  return shown.some((word) => isGreetingIn(language, word)) ? 'greeting' : undefined;
}

function countIn(language: string, counts: readonly number[]): number {
  return counts[places.get(language) ?? -1] ?? 0;
}

function isGreetingIn(language: string, word: string): boolean {
  return ((known().greetings.get(word) ?? 0) & (1 << wordLanguages.indexOf(language))) !== 0;
}

/** Only words that can be taken for nothing else make a short text a foreign one. */
function ofFewWords(words: readonly string[], counts: readonly number[]): string {
  const [english = 0] = counts;
  const hits = foreign.map((language, index) => {
    const bit = 1 << (index + 1);
    const greeted = words.filter((word) => ((known().greetings.get(word) ?? 0) & bit) !== 0).length;
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

/**
 * The language whose frequent words are clearly more than the English ones; where that is unclear, tinyld's opinion.
 */
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
  if (looksForeign) return askGuesser(text) || fallback;
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
  const guess = askGuesser(text);
  return tied.find((candidate) => candidate === guess) ?? language;
}

/** The language that tinyld sees, where the frequent words do not speak against it. */
function secondOpinion(text: string, english: number, count: number): string | undefined {
  // Without any frequent word, only letters beyond ASCII show that a text is not made of names and codes.
  const isUnknown = english === 0 && count === 0 && foreignLetter.test(text);
  const isLikely = count > english && (count > 1 || english === 0);
  if (!isUnknown && !isLikely) return undefined;
  const guess = askGuesser(text);
  return guess === '' || guess === ENGLISH ? undefined : guess;
}

const foreignLetter = /[à-öø-ÿāăąćčđęěğıłńňőřśşšťůűźżž]/i;

/** The part of tinyld that this adapter uses. */
interface Guesser {
  readonly detect: (text: string) => string;
}

let guesser: Guesser | undefined;

/** Loaded on first need: for most texts the frequent words suffice. */
function askGuesser(text: string): string {
  if (guesser === undefined) {
    const loaded: Guesser = require('tinyld/light');
    guesser = loaded;
  }
  return guesser.detect(text.slice(0, 300));
}

// Scripts

/** The ranges of scripts other than Latin, with the language that each stands for. */
const scripts: readonly (readonly [first: number, last: number, language: string])[] = [
  [0x370, 0x3ff, 'el'],
  [0x400, 0x52f, 'ru'],
  [0x530, 0x58f, 'hy'],
  [0x590, 0x5ff, 'he'],
  [0x600, 0x6ff, 'ar'],
  [0x750, 0x77f, 'ar'],
  [0x900, 0x97f, 'hi'],
  [0x980, 0x9ff, 'bn'],
  [0xa00, 0xa7f, 'pa'],
  [0xa80, 0xaff, 'gu'],
  [0xb80, 0xbff, 'ta'],
  [0xc00, 0xc7f, 'te'],
  [0xc80, 0xcff, 'kn'],
  [0xd00, 0xd7f, 'ml'],
  [0xe00, 0xe7f, 'th'],
  [0x10a0, 0x10ff, 'ka'],
  [0x1100, 0x11ff, 'ko'],
  [0x1f00, 0x1fff, 'el'],
  [0x3040, 0x30ff, 'ja'],
  [0x3130, 0x318f, 'ko'],
  [0x3400, 0x9fff, 'zh'],
  [0xac00, 0xd7af, 'ko'],
];

/** The language by the script, when at least half of the letters are not Latin; undefined for Latin texts. */
function scriptLanguage(text: string): string | undefined {
  if (!/[\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af]/.test(text)) return undefined;
  const counts = new Map<string, number>();
  let latin = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x370) {
      if (isLatinLetter(code)) latin++;
      continue;
    }
    const language = scripts.find(([first, last]) => code >= first && code <= last)?.[2];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return mostFrequent(text, counts, latin);
}

function mostFrequent(text: string, counts: ReadonlyMap<string, number>, latin: number): string | undefined {
  let best: readonly [string, number] = ['und', 0];
  let total = 0;
  for (const entry of counts) {
    total += entry[1];
    if (entry[1] > best[1]) best = entry;
  }
  // A sign of Chinese or Japanese stands for several letters.
  const weight = counts.has('zh') || counts.has('ja') || counts.has('ko') ? 3 : 1;
  if (total * weight < latin || total === 0) return undefined;
  if (counts.has('ja')) return 'ja';
  return best[0] === 'ru' && /[іїєґ]/i.test(text) ? 'uk' : best[0];
}

function isLatinLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code >= 0xc0;
}

// Spelling

/** The spelling of the words of a language. */
interface Spelling {
  /** The logarithm of the share of each letter sequence, by its bucket. */
  readonly shares: Float32Array;
  /** The words of the language that are known, with what they add. */
  readonly words: ReadonlyMap<string, number>;
}

/** A power of two: few enough for a small table, and enough that few sequences share a bucket. */
const BUCKETS = 1 << 13;

/** The lengths of letter sequences; the start and the end of a word count as letters. */
const MIN_LETTERS = 2;
const MAX_LETTERS = 4;

/** Of longer words only the start is read. */
const MAX_LETTERS_OF_WORD = 24;

/** The likeness that a known word adds, and a frequent one. */
const KNOWN = 3;
const FREQUENT = 4.5;

/** Added to the count of each sequence, so that none is impossible. */
const UNSEEN = 0.6;

const spellings = new Map<string, Spelling>();

/**
 * The likeness of words to each of some languages: the logarithm of a probability, to compare with one another. The
 * words are in lower case. The time is linear in their length.
 */
function likenessTo(languages: readonly string[], words: readonly string[]): readonly number[] {
  const compared = languages.map(spellingOf);
  const likeness = languages.map(() => 0);
  for (const word of words) {
    const buckets = bucketsOf(word);
    for (const [index, { shares, words: own }] of compared.entries()) {
      let sum = 0;
      for (const bucket of buckets) sum += shares[bucket] ?? 0;
      // A letter is in a sequence of each length, so that it would count several times.
      const spelled = sum / (MAX_LETTERS - MIN_LETTERS + 1);
      likeness[index] = (likeness[index] ?? 0) + spelled + (own.get(word) ?? 0);
    }
  }
  return likeness;
}

/** True for a word that is in the lists of a language. */
function isKnownIn(language: string, word: string): boolean {
  return spellingOf(language).words.has(word);
}

/** The spelling of a language, made from its words when it is first asked for. */
function spellingOf(language: string): Spelling {
  let spelling = spellings.get(language);
  if (spelling === undefined) {
    spelling = makeSpelling(language);
    spellings.set(language, spelling);
  }
  return spelling;
}

function makeSpelling(language: string): Spelling {
  const words = new Map<string, number>();
  const lists = known().lists.get(language);
  for (const word of lists?.get('ordinary') ?? []) words.set(word, KNOWN);
  for (const name of ['frequent', 'greetings']) {
    for (const word of lists?.get(name) ?? []) words.set(word, FREQUENT);
  }
  const shares = new Float32Array(BUCKETS).fill(UNSEEN);
  let total = UNSEEN * BUCKETS;
  for (const word of words.keys()) {
    for (const bucket of bucketsOf(word)) {
      shares[bucket] = (shares[bucket] ?? 0) + 1;
      total++;
    }
  }
  return { shares: shares.map((count) => Math.log(count / total)), words };
}

/** The buckets of the letter sequences of a word. */
function bucketsOf(word: string): readonly number[] {
  const buckets: number[] = [];
  const padded = `^${word.slice(0, MAX_LETTERS_OF_WORD)}$`;
  for (let length = MIN_LETTERS; length <= MAX_LETTERS; length++) {
    for (let at = 0; at + length <= padded.length; at++) buckets.push(bucketOf(padded, at, at + length));
  }
  return buckets;
}

function bucketOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash, 0x01000193) ^ text.charCodeAt(at);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) & (BUCKETS - 1);
}
