import { stem } from '../text/stemmer.ts';
import { isPunctuation } from '../text/tokenize.ts';

/** The number of buckets that features are hashed into: a power of two. */
export const BUCKETS = 1 << 17;

/** The value of a feature of each kind in a vector, before the vector gets the length 1. */
export const featureValues = { word: 1.4, letters: 0.55, pair: 1, gap: 0.6, meaning: 1.5 } as const;

/** The lengths of the sequences of letters that are features. */
const MIN_LETTERS = 3;
const MAX_LETTERS = 5;

/** The features of one word, whatever stands beside it. */
export interface WordFeatures {
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
