import { eachWord } from '../text/words.ts';
import { hashText } from './features.ts';

/** The number of buckets that words, pairs of words and letter sequences are hashed into: a power of two. */
export const NGRAM_BUCKETS = 1 << 17;

/** The number of buckets for telling which words a model has seen: a power of two. */
export const SEEN_BUCKETS = 1 << 20;

/** How much a feature of each kind counts in a text. */
export const ngramValues = { word: 1.4, letters: 0.7, pair: 1, extra: 1.6 } as const;

/** The lengths of the letter sequences; the start and the end of a word count as letters. */
const MIN_LETTERS = 2;
const MAX_LETTERS = 4;

/** Longer words and numbers are cut. */
const MAX_WORD = 24;
const MAX_DIGITS = 6;

/** Where a text starts and ends, for pairs. */
const START = 0x2545f491;
const END = 0x51ed270b;

/** A text as words and pairs of words. */
export interface NgramText {
  /** Its words, each once, in the order of their first place. */
  readonly words: readonly string[];
  /** The buckets of two words side by side, with the start and the end of the text. */
  readonly pairs: readonly number[];
}

/** The features of a word, whatever stands beside it. */
export interface WordNgrams {
  /** The bucket of the word itself, then those of its letter sequences. */
  readonly buckets: readonly number[];
  /** The bucket that tells whether the word was seen. */
  readonly seen: number;
}

/**
 * Splits a text of any language into words and pairs. Upper case, accents and the digits of numbers do not count; a
 * question mark is a word. The time is linear in the length of the text.
 */
export function readNgrams(text: string): NgramText {
  const words = splitWords(text);
  const pairs: number[] = [];
  let before = START;
  for (const word of words) {
    const hash = hashText(word);
    pairs.push(pairBucket(before, hash));
    before = hash;
  }
  if (words.length > 0) pairs.push(pairBucket(before, END));
  return { words: [...new Set(words)], pairs };
}

/** Computes the features of a word of {@link readNgrams}. */
export function ngramsOfWord(word: string): WordNgrams {
  const buckets = [bucketOf(hashText(word))];
  const padded = `^${word}$`;
  for (let length = MIN_LETTERS; length <= MAX_LETTERS && word.length > 1; length++) {
    for (let at = 0; at + length <= padded.length; at++) {
      buckets.push(bucketOf(hashText(padded.slice(at, at + length), 0x1234567 + length)));
    }
  }
  return { buckets, seen: hashText(word, 0x3c6ef372) & (SEEN_BUCKETS - 1) };
}

/** The bucket of a further feature with a name of its own. */
export function extraBucket(name: string): number {
  return bucketOf(hashText(name, 0x6a09e667));
}

/** The square of the length of a word's part of a vector. */
export function squareOfWord({ buckets }: WordNgrams): number {
  return ngramValues.word ** 2 + (buckets.length - 1) * ngramValues.letters ** 2;
}

function splitWords(text: string): readonly string[] {
  const plain = fold(text);
  const words: string[] = [];
  eachWord(plain, 0, plain.length, (start, end) => {
    words.push(normalizeWord(plain.slice(start, Math.min(end, start + 2 * MAX_WORD))));
  });
  if (plain.includes('?')) words.push('?');
  return words;
}

/** Lower case without accents. Other marks stay: in many scripts they are vowels. */
function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/** Of a number only its length counts, and of repeated letters two are left. */
function normalizeWord(word: string): string {
  if (isPlain(word)) return word;
  return word
    .replaceAll(/[0-9]+/g, (digits) => '0'.repeat(Math.min(digits.length, MAX_DIGITS)))
    .replaceAll(/([^0])\1{2,}/g, '$1$1')
    .slice(0, MAX_WORD);
}

/** True for short words without digits and without a character three times in a row: for nearly all. */
function isPlain(word: string): boolean {
  let repeated = 0;
  let before = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    repeated = code === before ? repeated + 1 : 0;
    if (repeated === 2 || (code >= 0x30 && code <= 0x39)) return false;
    before = code;
  }
  return word.length <= MAX_WORD;
}

function bucketOf(hash: number): number {
  return hash & (NGRAM_BUCKETS - 1);
}

function pairBucket(first: number, second: number): number {
  return bucketOf(hashText('', Math.imul(first, 0x9e3779b1) ^ second));
}
