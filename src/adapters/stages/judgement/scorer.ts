import { bucketOf, featureValues } from '../../../lib/learning/features.ts';
import type { QuantizedModel } from './model-file.ts';
import { differentWords, eachPair, type ModelWord, type ReadPart } from './reading.ts';

/**
 * A word and what it adds to the scores wherever it stands. Most features of a text are the letters of its words, so
 * that a cached word saves nearly all of the work (benchmark `pipeline`).
 */
export interface ScoredWord extends ModelWord {
  /** What it adds to the score of each output. */
  readonly sums: Float32Array;
  /** The sum of the squares of the values of its features. */
  readonly squares: number;
}

/** Computes the scores of texts. */
export interface Scorer {
  /** Adds up the features of a word. */
  scoreWord(word: ModelWord): ScoredWord;
  /** The scores of the first outputs for a part of a text, whose words come from `scoreWord`. */
  scorePart(part: ReadPart<ScoredWord>, count: number): Float32Array;
}

/** Creates a scorer for a model. */
export function createScorer({ outputs, rows, scales, bias }: QuantizedModel): Scorer {
  const addRow = (sums: Float32Array, bucket: number, value: number): void => {
    const row = bucket * outputs;
    for (let output = 0; output < sums.length; output++) {
      sums[output] = Number(sums[output]) + value * Number(rows[row + output]);
    }
  };
  return {
    scoreWord(word) {
      const { hash, letters } = word.features;
      const sums = new Float32Array(outputs);
      addRow(sums, bucketOf(hash), featureValues.word);
      for (const bucket of letters) addRow(sums, bucket, featureValues.letters);
      const squares = featureValues.word ** 2 + letters.length * featureValues.letters ** 2;
      return { ...word, sums, squares };
    },
    scorePart({ words, extras }, count) {
      const scores = new Float32Array(count);
      let squares = extras.length * featureValues.extra ** 2;
      for (const word of differentWords(words)) {
        squares += word.squares;
        for (let output = 0; output < count; output++) {
          scores[output] = Number(scores[output]) + Number(word.sums[output]);
        }
      }
      eachPair(words, (bucket, value) => {
        squares += value * value;
        addRow(scores, bucket, value);
      });
      for (const bucket of extras) addRow(scores, bucket, featureValues.extra);
      const length = Math.sqrt(Math.max(1, squares));
      for (let output = 0; output < count; output++) {
        const scaled = (Number(scores[output]) * Number(scales[output])) / length;
        scores[output] = Number(bias[output]) + scaled;
      }
      return scores;
    },
  };
}
