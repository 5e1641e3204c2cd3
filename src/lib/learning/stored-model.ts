import type { LinearWeights } from './learner.ts';
import {
  BUCKETS,
  eachNewWord,
  eachPair,
  featureValues,
  keepRecent,
  type Passage,
  type ReadText,
  type SparseVector,
  type Word,
} from './text-reader.ts';

/**
 * The weights of a linear model as small whole numbers, in the form of all model files: rows of outputs, each with a
 * scale of its own. What a weight of 1 stands for is `largestScale / 2 ** (step / 8)`, with a step for each row.
 */
export interface StoredModel {
  readonly bits: 4 | 8;
  readonly largestScale: number;
  readonly bias: readonly number[];
  /** The buckets of the rows, which are in their order: a bit for each bucket. In base64, as are the next two. */
  readonly buckets: string;
  readonly scaleSteps: string;
  readonly rows: string;
}

const STEPS_PER_HALF = 8;

/** The bytes that a row takes beside its weights: its scale. */
const ROW_OVERHEAD = 1;

/**
 * Rounds weights to 8 bits, or to 4 where rows with their scales would take more than `maxBytes` in base64. If that
 * is still too much, the rows that matter least are left out: those with small weights in few texts. `isChoice`:
 * adding the same to all outputs changes nothing, so that weights are taken from the mean of their row.
 */
export function storeModel(weights: LinearWeights, maxBytes: number, isChoice: boolean): StoredModel {
  const { outputs, buckets, occurrences, bias } = weights;
  const rows = isChoice ? centerRows(weights.rows, outputs) : weights.rows;
  const bytes = Math.floor((maxBytes * 3) / 4);
  const bits = buckets.length * (outputs + ROW_OVERHEAD) <= bytes ? 8 : 4;
  const bytesOfRow = Math.ceil((outputs * bits) / 8) + ROW_OVERHEAD;
  const kept = keepRows(rows, outputs, occurrences, Math.floor(bytes / bytesOfRow));
  const largest = bits === 4 ? 7 : 127;
  const needed = Float64Array.from(kept, (row) => largestOf(rows, row, outputs) / largest);
  const largestScale = needed.reduce((a, b) => Math.max(a, b), 0);
  const scaleSteps = Uint8Array.from(needed, (scale) => {
    return scale === 0 ? 255 : Math.min(255, Math.floor(STEPS_PER_HALF * Math.log2(largestScale / scale)));
  });
  const packed = new Int8Array(kept.length * outputs);
  kept.forEach((row, at) => {
    const scale = scaleOf(largestScale, Number(scaleSteps[at]));
    for (let one = 0; one < outputs && scale > 0; one++) {
      packed[at * outputs + one] = Math.round(Number(rows[row * outputs + one]) / scale);
    }
  });
  return {
    bits,
    largestScale: largestScale,
    bias: Array.from(bias, (value) => Math.round(value * 1e6) / 1e6),
    buckets: toBase64(encodeBuckets(kept.map((row) => Number(buckets[row])))),
    scaleSteps: toBase64(scaleSteps),
    rows: toBase64(bits === 8 ? new Uint8Array(packed.buffer) : packFours(packed, outputs)),
  };
}

/** The weights minus the mean of their row. */
function centerRows(rows: Float32Array, outputs: number): Float32Array {
  const centered = new Float32Array(rows.length);
  for (let start = 0; start < rows.length; start += outputs) {
    let mean = 0;
    for (let one = 0; one < outputs; one++) mean += Number(rows[start + one]) / outputs;
    for (let one = 0; one < outputs; one++) centered[start + one] = Number(rows[start + one]) - mean;
  }
  return centered;
}

function keepRows(rows: Float32Array, outputs: number, occurrences: Uint32Array, max: number): Uint32Array {
  const all = occurrences.map((_, row) => row);
  if (all.length <= max) return all;
  const importance = Float64Array.from(all, (row) => {
    let squares = 0;
    for (let one = 0; one < outputs; one++) squares += Number(rows[row * outputs + one]) ** 2;
    return squares * Math.sqrt(Number(occurrences[row]));
  });
  const best = [...all].sort((a, b) => Number(importance[b]) - Number(importance[a]) || a - b);
  return Uint32Array.from(best.slice(0, max)).sort();
}

function largestOf(rows: Float32Array, row: number, outputs: number): number {
  let largest = 0;
  for (let one = 0; one < outputs; one++) {
    largest = Math.max(largest, Math.abs(Number(rows[row * outputs + one])));
  }
  return largest;
}

function scaleOf(largestScale: number, step: number): number {
  return largestScale / 2 ** (step / STEPS_PER_HALF);
}

/** Two weights of 4 bits in a byte, each row from a new byte on. */
function packFours(weights: Int8Array, outputs: number): Uint8Array {
  const width = Math.ceil(outputs / 2);
  const packed = new Uint8Array((weights.length / outputs) * width);
  weights.forEach((weight, at) => {
    const place = Math.floor(at / outputs) * width + ((at % outputs) >> 1);
    packed[place] = Number(packed[place]) | ((weight & 15) << ((at % outputs) & 1 ? 4 : 0));
  });
  return packed;
}

function unpackFours(packed: Uint8Array, outputs: number, rows: number): Int8Array {
  const width = Math.ceil(outputs / 2);
  const weights = new Int8Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    for (let one = 0; one < outputs; one += 2) {
      const byte = Number(packed[row * width + (one >> 1)]);
      // Shifts by 28 keep the sign of four bits.
      weights[row * outputs + one] = (byte << 28) >> 28;
      if (one + 1 < outputs) weights[row * outputs + one + 1] = (byte << 24) >> 28;
    }
  }
  return weights;
}

/** Writes buckets as a bit for each bucket that there is: nearly all of them occur in a large model. */
function encodeBuckets(buckets: Uint32Array): Uint8Array {
  const bits = new Uint8Array(BUCKETS / 8);
  for (const bucket of buckets) bits[bucket >> 3] = Number(bits[bucket >> 3]) | (1 << (bucket & 7));
  return bits;
}

/** Reads what {@link encodeBuckets} wrote, ascending; undefined where it is not as long. */
function decodeBuckets(bits: Uint8Array): Uint32Array | undefined {
  if (bits.length !== BUCKETS / 8) return undefined;
  const buckets = new Uint32Array(BUCKETS);
  let count = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if ((Number(bits[bucket >> 3]) >> (bucket & 7)) & 1) buckets[count++] = bucket;
  }
  return buckets.slice(0, count);
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** Computes the scores of texts. */
export interface Scorer {
  readonly outputs: number;
  /** True where the model has the word itself, by its stem. */
  knows(word: Word): boolean;
  /** The weight of a feature for an output, by its bucket. */
  weightOf(bucket: number, output: number): number;
  /** Writes the scores of the first outputs for a passage to `scores`, which is as long as they are many. */
  score(text: ReadText, passage: Passage, scores: Float64Array): void;
  /** Fills in the scores of a vector, which must have length 1. */
  scoreVector(vector: SparseVector, scores: Float64Array): void;
  /**
   * The words of a passage that add most to an output, at most four, the strongest first; only those that `counts`.
   */
  explain(
    text: ReadText,
    passage: Passage,
    output: number,
    counts?: (word: Word) => boolean,
  ): readonly string[];
  /** The scorer of the same model with corrections, which shares its weights. */
  withCorrections(corrections: Corrections): Scorer;
}

/** A word and what it adds to the scores wherever it stands. */
interface ScoredWord {
  readonly sums: Float32Array;
  readonly squares: number;
}

/** The least that a word adds to be evidence, and the number of words that are told. */
const LEAST_EVIDENCE = 0.15;
const MAX_EVIDENCE = 4;

/** The bytes of the sums that are kept in each of two generations. */
const KEPT_BYTES = 2 * 1024 * 1024;

/** The rows of a model as numbers; undefined where its parts do not fit each other. */
function decodeRows(stored: StoredModel) {
  const outputs = stored.bias.length;
  const buckets = decodeBuckets(Buffer.from(stored.buckets, 'base64'));
  const steps = Buffer.from(stored.scaleSteps, 'base64');
  const packed = Buffer.from(stored.rows, 'base64');
  if (buckets === undefined || steps.length !== buckets.length) return undefined;
  const width = stored.bits === 8 ? outputs : Math.ceil(outputs / 2);
  if (packed.length !== buckets.length * width) return undefined;
  const weights =
    stored.bits === 8
      ? new Int8Array(packed.buffer, packed.byteOffset, packed.length)
      : unpackFours(packed, outputs, buckets.length);
  const scaleOfStep = Float64Array.from({ length: 256 }, (_, step) => scaleOf(stored.largestScale, step));
  const scales = new Float64Array(steps.length);
  for (let row = 0; row < scales.length; row++) scales[row] = Number(scaleOfStep[Number(steps[row])]);
  return { outputs, buckets, scales, weights };
}

/**
 * Creates a scorer. Most features of a text are the letters of its words: what a word adds is kept, which saves nearly
 * all of the work (benchmark `pipeline`). Undefined where the parts of the model do not fit each other.
 */
export function createScorer(stored: StoredModel): Scorer | undefined {
  const rows = decodeRows(stored);
  if (rows === undefined) return undefined;
  const rowOf = new Int32Array(BUCKETS).fill(-1);
  for (let row = 0; row < rows.buckets.length; row++) rowOf[Number(rows.buckets[row])] = row;
  return scorerOf({ ...rows, rowOf, bias: stored.bias });
}

/** The weights of a model, as they are scored by. */
interface DecodedModel {
  readonly outputs: number;
  readonly bias: readonly number[];
  /** The row of each bucket, or -1. */
  readonly rowOf: Int32Array;
  readonly scales: Float64Array;
  readonly weights: Int8Array;
}

function scorerOf(model: DecodedModel, corrections?: Corrections): Scorer {
  const { outputs, bias, rowOf, scales, weights } = model;

  function addRow(sums: Float64Array | Float32Array, bucket: number, value: number): void {
    const row = Number(rowOf[bucket]);
    if (row >= 0) {
      const factor = value * Number(scales[row]);
      const start = row * outputs;
      for (let one = 0; one < sums.length; one++) {
        sums[one] = Number(sums[one]) + factor * Number(weights[start + one]);
      }
    }
    const correction = corrections?.get(bucket);
    if (correction === undefined) return;
    for (let one = 0; one < sums.length; one++)
      sums[one] = Number(sums[one]) + value * Number(correction[one]);
  }

  const kept = Math.max(64, Math.floor(KEPT_BYTES / (outputs * 4 + 64)));
  const byToken = keepRecent<{ of?: ScoredWord }>(kept, () => ({}));
  function scoredWord(word: Word): ScoredWord {
    const place = byToken(word.token);
    if (place.of !== undefined) return place.of;
    const sums = new Float32Array(outputs);
    word.buckets.forEach((bucket, at) => {
      addRow(sums, bucket, at === 0 ? featureValues.word : featureValues.letters);
    });
    const letters = word.buckets.length - 1;
    place.of = { sums, squares: featureValues.word ** 2 + letters * featureValues.letters ** 2 };
    return place.of;
  }

  return {
    outputs,
    knows: (word) => Number(rowOf[Number(word.buckets[0])]) >= 0,
    weightOf(bucket, output) {
      const row = Number(rowOf[bucket]);
      const own = row < 0 ? 0 : Number(scales[row]) * Number(weights[row * outputs + output]);
      return own + (corrections?.get(bucket)?.[output] ?? 0);
    },
    score(text, passage, scores) {
      scores.fill(0);
      let squares = passage.meanings.length * featureValues.meaning ** 2;
      eachNewWord(text, passage, (word) => {
        const own = scoredWord(word);
        squares += own.squares;
        for (let one = 0; one < scores.length; one++)
          scores[one] = Number(scores[one]) + Number(own.sums[one]);
      });
      eachPair(text, passage, (bucket, value) => {
        squares += value * value;
        addRow(scores, bucket, value);
      });
      for (const bucket of passage.meanings) addRow(scores, bucket, featureValues.meaning);
      const length = Math.sqrt(squares) || 1;
      for (let one = 0; one < scores.length; one++) {
        scores[one] = Number(bias[one]) + Number(scores[one]) / length;
      }
    },
    scoreVector({ buckets, values }, scores) {
      scores.set(bias);
      for (let at = 0; at < buckets.length; at++) addRow(scores, Number(buckets[at]), Number(values[at]));
    },
    explain(text, passage, output, counts = () => true) {
      const found: { readonly token: string; readonly sum: number }[] = [];
      eachNewWord(text, passage, (word) => {
        const sum = Number(scoredWord(word).sums[output]);
        if (sum > LEAST_EVIDENCE && counts(word)) found.push({ token: word.token, sum });
      });
      found.sort((a, b) => b.sum - a.sum);
      return found.slice(0, MAX_EVIDENCE).map(({ token }) => token);
    },
    withCorrections: (own) => scorerOf(model, own),
  };
}

/** The corrections of the weights of some buckets, by output. */
export type Corrections = ReadonlyMap<number, Float32Array>;

/** Rounds corrections in the same way as the weights of a model. */
export function storeCorrections(corrections: Corrections, outputs: number, maxBytes: number): StoredModel {
  const buckets = Uint32Array.from(corrections.keys()).sort();
  const rows = new Float32Array(buckets.length * outputs);
  buckets.forEach((bucket, row) => {
    rows.set(corrections.get(bucket) ?? [], row * outputs);
  });
  const occurrences = new Uint32Array(buckets.length).fill(1);
  return storeModel(
    { outputs, buckets, occurrences, rows, bias: new Float32Array(outputs) },
    maxBytes,
    false,
  );
}

/** Reads corrections; undefined where the parts do not fit each other. */
export function readCorrections(stored: StoredModel): Corrections | undefined {
  const model = decodeRows(stored);
  if (model === undefined) return undefined;
  const { outputs, buckets, scales, weights } = model;
  return new Map(
    Array.from(buckets, (bucket, row) => {
      const scale = Number(scales[row]);
      const own = weights.subarray(row * outputs, (row + 1) * outputs);
      return [bucket, Float32Array.from(own, (weight) => weight * scale)];
    }),
  );
}
