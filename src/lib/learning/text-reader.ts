import { stem } from '../text/stemmer.ts';
import { isPunctuation, tokenize } from '../text/tokenize.ts';

/** A word of a text with everything that does not depend on the words beside it. */
export interface Word extends WordFeatures {
  readonly token: string;
  /** Its classes of meaning as numbers, by lexicon. */
  readonly meanings: readonly (readonly number[])[];
}

/** A part of a text: its words from `start` to before `end`, and the buckets of its meanings. */
export interface Passage {
  readonly start: number;
  readonly end: number;
  readonly meanings: readonly number[];
}

/** A text as models read it. */
export interface ReadText {
  readonly words: readonly Word[];
  /** The place of the same word before, or -1: in a passage a word counts once. */
  readonly earlier: Int32Array;
  /** The end that stands before each word: 0 nothing, 1 a line, which may be wrapped, 2 a clause, 3 a sentence. */
  readonly breaks: Uint8Array;
  readonly whole: Passage;
  /** Its sentences and clauses, where it has several. */
  readonly parts: readonly Passage[];
}

/** A lexicon of one language. */
export interface Meanings {
  /** The classes of meaning of a word. */
  meaningsOf(token: string): readonly number[];
  /**
   * Calls `found` with the meaning of the longest term of several words that starts at a place and ends before `end`.
   */
  termsAt(words: readonly Word[], at: number, end: number, found: (meaning: number) => void): void;
}

/** Further parts are read only as parts of the whole. */
const MAX_PARTS = 200;

/** The least number of words of a sentence or clause that is read by itself: fewer say too little. */
const MIN_WORDS = 3;

/** Further meanings of a clause are ignored, so that their pairs stay few. */
const MAX_MEANINGS = 16;

/** The number of words that are kept with their features, in each of two generations. */
const KEPT_WORDS = 8_192;

const SENTENCE = 2;
const CLAUSE = 1;

/** The least share of the words of a sentence that a lexicon knows, if the sentence is in its language. */
const LEAST_KNOWN = 0.3;

/**
 * Creates the function that reads texts. Of the lexicons, the one that knows the most words of a sentence gives its
 * meanings: it is that of its language. Other sentences change nothing in how a sentence is read. The time is linear
 * in the length of the text.
 */
export function createTextReader(lexicons: readonly Meanings[] = []): (text: string) => ReadText {
  const wordOf = keepRecent(KEPT_WORDS, (token): Word => {
    return {
      token,
      meanings: lexicons.map((lexicon) => lexicon.meaningsOf(token)),
      ...featuresOfWord(token),
    };
  });
  return (text) => {
    const words: Word[] = [];
    // Where clauses and sentences end, as places of words.
    const ends: End[] = [];
    for (const token of tokenize(text)) {
      const level = levelOf(token);
      if (level === 0 || token === '?') words.push(wordOf(withoutDigits(token)));
      if (level > 0) ends.push({ at: words.length, level, isLine: token === '\n' });
    }
    return toReadText(words, ends, lexicons);
  };
}

/** A mark before the word at a place that ends a clause or sentence. */
interface End {
  readonly at: number;
  readonly level: number;
  /** True for the end of a line. */
  readonly isLine: boolean;
}

/** A lexicon and its place among the meanings of a word. */
interface Chosen {
  readonly lexicon: Meanings;
  readonly place: number;
}

function chooseLexicon(
  words: readonly Word[],
  start: number,
  end: number,
  lexicons: readonly Meanings[],
): Chosen | undefined {
  let best: Chosen | undefined;
  let most = LEAST_KNOWN * (end - start) - 1e-9;
  lexicons.forEach((lexicon, place) => {
    let known = 0;
    for (let at = start; at < end; at++) if ((words[at]?.meanings[place]?.length ?? 0) > 0) known++;
    if (known <= most) return;
    most = known;
    best = { lexicon, place };
  });
  return best;
}

/** Digits of a number beyond these do not count. */
const MAX_DIGITS = 6;

/** A token as words are compared: of a number only its length counts, for numbers differ from message to message. */
export function withoutDigits(token: string): string {
  const code = token.charCodeAt(0);
  if (code < 0x30 || code > 0x39) return token;
  return '0'.repeat(Math.min(MAX_DIGITS, token.replaceAll(/[.,]/g, '').length));
}

function levelOf(token: string): number {
  if (!isPunctuation(token)) return 0;
  if (token === ',' || token === ':') return CLAUSE;
  return token === '.' || token === '!' || token === '?' || token === ';' || token === '\n' ? SENTENCE : 0;
}

function toReadText(words: readonly Word[], ends: readonly End[], lexicons: readonly Meanings[]): ReadText {
  const sentences = spansOf(words.length, ends, SENTENCE);
  const read = sentences.map(([start, end]) => passageOf(words, start, end, lexicons));
  const all = new Set(read.flatMap((passage) => passage.meanings));
  const whole = { start: 0, end: words.length, meanings: [...all] };
  const parts = sentences.length > 1 ? read.filter(({ start, end }) => end - start >= MIN_WORDS) : [];
  const clauses = spansOf(words.length, ends, CLAUSE);
  if (clauses.length > sentences.length) {
    const known = new Set(sentences.map(([start, end]) => start * words.length + end));
    for (const [start, end] of clauses) {
      if (parts.length >= MAX_PARTS) break;
      if (end - start < MIN_WORDS || known.has(start * words.length + end)) continue;
      parts.push(passageOf(words, start, end, lexicons));
    }
  }
  return {
    words,
    earlier: earlierPlaces(words),
    breaks: breaksBefore(words.length, ends),
    whole,
    parts: parts.slice(0, MAX_PARTS),
  };
}

/** The spans between the ends of a level, without empty ones. */
function spansOf(
  length: number,
  ends: readonly End[],
  level: number,
): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  let start = 0;
  for (const end of ends) {
    if (end.level < level) continue;
    if (end.at > start) spans.push([start, end.at]);
    start = end.at;
  }
  if (length > start) spans.push([start, length]);
  return spans;
}

function breaksBefore(length: number, ends: readonly End[]): Uint8Array {
  const breaks = new Uint8Array(length);
  for (const { at, level, isLine } of ends) breaks[at] = Math.max(isLine ? 1 : level + 1, breaks[at] ?? 0);
  return breaks;
}

function earlierPlaces(words: readonly Word[]): Int32Array {
  const places = new Int32Array(words.length).fill(-1);
  const last = new Map<Word, number>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) continue;
    places[at] = last.get(word) ?? -1;
    last.set(word, at);
  }
  return places;
}

/** A passage with a bucket for each of its meanings, and one for each two of them. */
function passageOf(
  words: readonly Word[],
  start: number,
  end: number,
  lexicons: readonly Meanings[],
): Passage {
  const chosen = chooseLexicon(words, start, end, lexicons);
  if (chosen === undefined) return { start, end, meanings: [] };
  const found = new Set<number>();
  for (let at = start; at < end && found.size < MAX_MEANINGS; at++) {
    for (const meaning of words[at]?.meanings[chosen.place] ?? []) found.add(meaning);
    chosen.lexicon.termsAt(words, at, end, (meaning) => found.add(meaning));
  }
  const sorted = [...found].slice(0, MAX_MEANINGS).sort((a, b) => a - b);
  const buckets: number[] = [];
  sorted.forEach((one, at) => {
    buckets.push(meaningBucket(one));
    for (let other = at + 1; other < sorted.length; other++)
      buckets.push(meaningBucket(one, Number(sorted[other])));
  });
  return { start, end, meanings: buckets };
}

/** A text as a sparse vector of length 1: buckets, which may repeat, and their values. */
export interface SparseVector {
  readonly buckets: Uint32Array;
  readonly values: Float32Array;
}

/** The vector of a passage, for learning. Scorers add up the same features without making it. */
export function vectorOf(text: ReadText, passage: Passage): SparseVector {
  const buckets: number[] = [];
  const values: number[] = [];
  let squares = 0;
  const add = (bucket: number, value: number): void => {
    buckets.push(bucket);
    values.push(value);
    squares += value * value;
  };
  eachNewWord(text, passage, (word) => {
    word.buckets.forEach((bucket, at) => {
      add(bucket, at === 0 ? featureValues.word : featureValues.letters);
    });
  });
  eachPair(text, passage, add);
  for (const bucket of passage.meanings) add(bucket, featureValues.meaning);
  const length = Math.sqrt(squares) || 1;
  return {
    buckets: Uint32Array.from(buckets),
    values: Float32Array.from(values, (value) => value / length),
  };
}

/** Calls `visit` with each word of a passage that does not stand in it before. */
export function eachNewWord(
  { words, earlier }: ReadText,
  { start, end }: Passage,
  visit: (word: Word) => void,
): void {
  for (let at = start; at < end; at++) {
    const word = words[at];
    if (word !== undefined && Number(earlier[at]) < start) visit(word);
  }
}

/** Calls `add` for each two words side by side, and for each two with one between them. */
export function eachPair(
  { words }: ReadText,
  { start, end }: Passage,
  add: (bucket: number, value: number) => void,
): void {
  for (let at = start + 1; at < end; at++) {
    const hash = words[at]?.hash ?? 0;
    add(pairBucket(words[at - 1]?.hash ?? 0, hash, false), featureValues.pair);
    if (at >= start + 2) add(pairBucket(words[at - 2]?.hash ?? 0, hash, true), featureValues.gap);
  }
}

/**
 * Keeps the results for recent keys: up to `count` new ones, and as many of before. Most words of a message were in
 * one before (benchmark `pipeline`).
 */
export function keepRecent<Value>(count: number, compute: (key: string) => Value): (key: string) => Value {
  let recent = new Map<string, Value>();
  let before = new Map<string, Value>();
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined) return known;
    const value = before.get(key) ?? compute(key);
    if (recent.size >= count) {
      before = recent;
      recent = new Map();
    }
    recent.set(key, value);
    return value;
  };
}

// Features

/** The number of buckets that features are hashed into: a power of two. */
export const BUCKETS = 1 << 17;

/** The value of a feature of each kind in a vector, before the vector gets the length 1. */
export const featureValues = { word: 1.4, letters: 0.55, pair: 1, gap: 0.6, meaning: 1.5 } as const;

/** The lengths of the sequences of letters that are features. */
const MIN_LETTERS = 3;
const MAX_LETTERS = 5;

/** The features of one word, whatever stands beside it. */
interface WordFeatures {
  /** The hash of its stem. */
  readonly hash: number;
  /** The buckets of the word, and then of its letter sequences. */
  readonly buckets: Uint32Array;
}

/** Hashes a text to 32 bits (FNV-1a with a final mix). */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/** Computes the features of a token of `tokenize`. */
export function featuresOfWord(token: string): WordFeatures {
  const hash = hashText(stem(token));
  const buckets = [bucketOf(hash)];
  if (token.length > 1 && !isPunctuation(token)) {
    const padded = `^${token}$`;
    for (let length = MIN_LETTERS; length <= MAX_LETTERS; length++) {
      for (let at = 0; at + length <= padded.length; at++) {
        buckets.push(bucketOf(hashText(padded.slice(at, at + length), 0x1234567 + length)));
      }
    }
  }
  return { hash, buckets: Uint32Array.from(buckets) };
}

/** The bucket of two words next to each other, or of two with another one between them. */
export function pairBucket(first: number, second: number, gap: boolean): number {
  return bucketOf(mix(Math.imul(first + (gap ? 1 : 0), 0x9e3779b1) ^ second));
}

/** The bucket of a class of meaning, or of two classes in one clause, the smaller first. */
export function meaningBucket(meaning: number, other = -1): number {
  return bucketOf(mix(Math.imul(meaning + 1, 0x51ed270b) ^ Math.imul(other + 2, 0x2545f491)));
}

function bucketOf(hash: number): number {
  return hash & (BUCKETS - 1);
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
