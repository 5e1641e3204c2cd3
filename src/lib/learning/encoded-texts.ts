import {
  NGRAM_BUCKETS,
  type NgramText,
  ngramsOfWord,
  ngramValues,
  readNgrams,
  squareOfWord,
  type WordNgrams,
} from './ngrams.ts';

/** A text to learn from, with the buckets of its further features. */
export interface LearningText {
  readonly text: string;
  readonly extras: readonly number[];
}

/** Texts as sparse vectors of length 1, one after the other. */
export interface EncodedTexts {
  /** Where the features of each text start; one more than there are texts. */
  readonly starts: Uint32Array;
  /** The index of each feature in `buckets`, and its value. */
  readonly features: Uint32Array;
  readonly values: Float32Array;
  /** The buckets that are features, ascending. */
  readonly buckets: Uint32Array;
  /** In how many texts each feature occurs. */
  readonly occurrences: Uint32Array;
  /** The words of each text, as indexes of `seen`. */
  readonly words: readonly Uint32Array[];
  /** The bucket of each word for {@link WordNgrams.seen}. */
  readonly seen: readonly number[];
}

/** Reads texts. Features that occur in fewer than `minTexts` texts are left out, but count in the length of a vector. */
export function encodeTexts(texts: readonly LearningText[], minTexts: number): EncodedTexts {
  const vocabulary = createVocabulary();
  const read = texts.map(({ text, extras }) => vectorOf(readNgrams(text), extras, vocabulary));
  const all = countTexts(read);
  const buckets = Uint32Array.from(all.keys()).filter((bucket) => Number(all[bucket]) >= minTexts);
  const indexes = new Int32Array(NGRAM_BUCKETS).fill(-1);
  buckets.forEach((bucket, index) => {
    indexes[bucket] = index;
  });
  const starts = new Uint32Array(read.length + 1);
  const features: number[] = [];
  const values: number[] = [];
  read.forEach((vector, at) => {
    vector.buckets.forEach((bucket, place) => {
      const index = Number(indexes[bucket]);
      if (index < 0) return;
      features.push(index);
      values.push(Number(vector.values[place]));
    });
    starts[at + 1] = features.length;
  });
  return {
    starts,
    features: Uint32Array.from(features),
    values: Float32Array.from(values),
    buckets,
    occurrences: buckets.map((bucket) => Number(all[bucket])),
    words: read.map((vector) => Uint32Array.from(vector.words)),
    seen: vocabulary.seen,
  };
}

interface Vocabulary {
  /** The features of a word, and its index. */
  lookUp(word: string): WordNgrams & { readonly index: number };
  readonly seen: number[];
}

function createVocabulary(): Vocabulary {
  const known = new Map<string, WordNgrams & { readonly index: number }>();
  const seen: number[] = [];
  return {
    seen,
    lookUp(word) {
      const old = known.get(word);
      if (old !== undefined) return old;
      const read = { ...ngramsOfWord(word), index: seen.length };
      known.set(word, read);
      seen.push(read.seen);
      return read;
    },
  };
}

interface Vector {
  readonly buckets: readonly number[];
  readonly values: readonly number[];
  readonly words: readonly number[];
}

function vectorOf({ words, pairs }: NgramText, extras: readonly number[], { lookUp }: Vocabulary): Vector {
  const buckets: number[] = [];
  const values: number[] = [];
  let square = pairs.length * ngramValues.pair ** 2 + extras.length * ngramValues.extra ** 2;
  const indexes = words.map((word) => {
    const read = lookUp(word);
    square += squareOfWord(read);
    read.buckets.forEach((bucket, at) => {
      buckets.push(bucket);
      values.push(at === 0 ? ngramValues.word : ngramValues.letters);
    });
    return read.index;
  });
  for (const bucket of pairs) {
    buckets.push(bucket);
    values.push(ngramValues.pair);
  }
  for (const bucket of extras) {
    buckets.push(bucket);
    values.push(ngramValues.extra);
  }
  const length = Math.sqrt(square);
  return { buckets, values: values.map((value) => value / length), words: indexes };
}

/** In how many texts each bucket occurs. */
function countTexts(vectors: readonly Vector[]): Uint32Array {
  const counts = new Uint32Array(NGRAM_BUCKETS);
  const last = new Int32Array(NGRAM_BUCKETS).fill(-1);
  vectors.forEach(({ buckets }, at) => {
    for (const bucket of buckets) {
      if (last[bucket] === at) continue;
      last[bucket] = at;
      counts[bucket] = Number(counts[bucket]) + 1;
    }
  });
  return counts;
}
