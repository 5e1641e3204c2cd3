import { stem } from '../text/stemmer.ts';
import { isPunctuation } from '../text/tokenize.ts';

/** The number of buckets that features are hashed into: a power of two. */
export const BUCKETS = 1 << 16;

/** How much a feature of each kind counts in a vector. */
export const featureValues = { word: 1.4, letters: 0.55, pair: 1, gap: 0.6, extra: 1.6 } as const;

/** The lengths of the sequences of letters that are features. */
const MIN_LETTERS = 3;
const MAX_LETTERS = 5;

/** Longer words are cut: they are no words. */
const MAX_WORD = 24;

/** The features of one word, whatever stands beside it. */
export interface WordFeatures {
  /** The hash of its stem. */
  readonly hash: number;
  /** The buckets of its letter sequences. */
  readonly letters: readonly number[];
}

/** Hashes a text to 32 bits (FNV-1a with a final mix). */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/** The bucket of a hash. */
export function bucketOf(hash: number): number {
  return hash & (BUCKETS - 1);
}

/** Computes the features of a word or punctuation mark of `tokenize`. */
export function featuresOfWord(token: string): WordFeatures {
  if (isPunctuation(token)) return { hash: hashText(token), letters: [] };
  const word = normalizeWord(token);
  return { hash: hashText(stem(word)), letters: letterBuckets(word) };
}

/** Numbers differ from message to message: only their length counts. Of repeated letters two are left. */
function normalizeWord(token: string): string {
  const code = token.charCodeAt(0);
  if (code >= 0x30 && code <= 0x39) return '0'.repeat(Math.min(token.length, 6));
  return token.slice(0, MAX_WORD).replaceAll(/(.)\1{2,}/g, '$1$1');
}

function letterBuckets(word: string): readonly number[] {
  if (word.length < 2) return [];
  const padded = `^${word}$`;
  const buckets: number[] = [];
  for (let length = MIN_LETTERS; length <= MAX_LETTERS; length++) {
    for (let at = 0; at + length <= padded.length; at++) {
      buckets.push(bucketOf(hashText(padded.slice(at, at + length), 0x1234567 + length)));
    }
  }
  return buckets;
}

/** The bucket of two words next to each other, or of two with another one between them. */
export function pairBucket(first: WordFeatures, second: WordFeatures, gap: boolean): number {
  return bucketOf(mix(Math.imul(first.hash + (gap ? 1 : 0), 0x9e3779b1) ^ second.hash));
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
