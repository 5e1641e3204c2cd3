import {
  extraBucket,
  NGRAM_BUCKETS,
  ngramsOfWord,
  ngramValues,
  readNgrams,
  SEEN_BUCKETS,
  squareOfWord,
} from '../../lib/learning/ngrams.ts';
import { scaleOf, unpackWeights } from '../../lib/learning/quantize-rows.ts';
import type { StoredWeights } from './model.ts';

/** The scores of a text for each intent, and the share of its words that the model has never seen. */
export interface ScoredText {
  readonly scores: Float64Array;
  /** 1 for a text without words. */
  readonly unknown: number;
}

/** What a word adds to the scores of a text. */
interface ScoredWord {
  readonly scores: Float64Array;
  readonly square: number;
  readonly isKnown: boolean;
}

/** The bytes of the scores of words that are kept. */
const CACHE_BYTES = 4 * 1024 * 1024;

/**
 * Creates the function that scores texts with further features. The scores of frequent words are kept; that changes no
 * result. The time is linear in the length of the text.
 */
export function createScorer(stored: StoredWeights): (text: string, extras: readonly string[]) => ScoredText {
  const classes = stored.bias.length;
  const weights = unpackWeights(stored.packed, stored.bits, classes, stored.buckets.length);
  const scales = Float64Array.from(stored.scaleSteps, (step) => scaleOf(stored.largestScale, step));
  const rowOf = new Int32Array(NGRAM_BUCKETS).fill(-1);
  stored.buckets.forEach((bucket, row) => {
    rowOf[bucket] = row;
  });
  const seen = new Uint8Array(SEEN_BUCKETS >> 3);
  for (const word of stored.seen) seen[word >> 3] = Number(seen[word >> 3]) | (1 << (word & 7));
  const cache = new Map<string, ScoredWord>();
  const maxWords = Math.floor(CACHE_BYTES / (classes * 8));

  function add(scores: Float64Array, bucket: number, value: number): void {
    const row = Number(rowOf[bucket]);
    if (row < 0) return;
    const factor = value * Number(scales[row]);
    const start = row * classes;
    for (let one = 0; one < classes; one++) {
      scores[one] = Number(scores[one]) + factor * Number(weights[start + one]);
    }
  }

  function scoreWord(word: string): ScoredWord {
    const old = cache.get(word);
    if (old !== undefined) return old;
    const read = ngramsOfWord(word);
    const scores = new Float64Array(classes);
    read.buckets.forEach((bucket, at) => {
      add(scores, bucket, at === 0 ? ngramValues.word : ngramValues.letters);
    });
    const isKnown = (Number(seen[read.seen >> 3]) & (1 << (read.seen & 7))) !== 0;
    const scored = { scores, square: squareOfWord(read), isKnown };
    if (cache.size >= maxWords) cache.clear();
    cache.set(word, scored);
    return scored;
  }

  return (text, extras) => {
    const { words, pairs } = readNgrams(text);
    const scores = new Float64Array(classes);
    let square = pairs.length * ngramValues.pair ** 2 + extras.length * ngramValues.extra ** 2;
    let unknown = 0;
    for (const word of words) {
      const own = scoreWord(word);
      square += own.square;
      if (!own.isKnown) unknown++;
      for (let one = 0; one < classes; one++) scores[one] = Number(scores[one]) + Number(own.scores[one]);
    }
    for (const bucket of pairs) add(scores, bucket, ngramValues.pair);
    for (const name of extras) add(scores, extraBucket(name), ngramValues.extra);
    const length = square === 0 ? 1 : Math.sqrt(square);
    for (let one = 0; one < classes; one++) {
      scores[one] = Number(stored.bias[one]) + Number(scores[one]) / length;
    }
    return { scores, unknown: words.length === 0 ? 1 : unknown / words.length };
  };
}
