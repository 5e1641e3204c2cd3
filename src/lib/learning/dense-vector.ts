import type { SparseVector } from './text-reader.ts';

/** The largest number of 8 bits with a sign. */
const LARGEST = 127;

/**
 * Rounds a vector to 8 bits a number: the largest becomes 127 or -127, and all of them 0 where it is 0. A vector of
 * {@link unitVector} rounds to the numbers that it was made of.
 */
export function roundVector(numbers: ArrayLike<number>): Int8Array {
  let largest = 0;
  for (let at = 0; at < numbers.length; at++) largest = Math.max(largest, Math.abs(Number(numbers[at])));
  const rounded = new Int8Array(numbers.length);
  if (largest === 0) return rounded;
  for (let at = 0; at < rounded.length; at++) {
    rounded[at] = Math.round((Number(numbers[at]) / largest) * LARGEST);
  }
  return rounded;
}

/** The vector of the same direction with length 1; unchanged where all numbers are 0. */
export function unitVector(numbers: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let at = 0; at < numbers.length; at++) squares += Number(numbers[at]) ** 2;
  const length = Math.sqrt(squares) || 1;
  return Float32Array.from(numbers, (value) => value / length);
}

/** The similarity of two vectors of length 1, from -1 to 1. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += Number(one[at]) * Number(other[at]);
  return sum;
}

/** The mean of vectors of the same length, of which there is at least one. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    for (let at = 0; at < mean.length; at++) {
      mean[at] = Number(mean[at]) + Number(vector[at]) / vectors.length;
    }
  }
  return mean;
}

const bucketsBySize = new Map<number, Uint32Array>();

/**
 * A vector as the features of a text, for learning and scoring: its difference from a center, with length 1. All
 * vectors of a model have much in common, which says nothing.
 */
export function centeredFeatures(values: Float32Array, center: Float32Array): SparseVector {
  let buckets = bucketsBySize.get(values.length);
  if (buckets === undefined) {
    buckets = Uint32Array.from(values, (_, at) => at);
    bucketsBySize.set(values.length, buckets);
  }
  return { buckets, values: unitVector(values.map((value, at) => value - Number(center[at]))) };
}
