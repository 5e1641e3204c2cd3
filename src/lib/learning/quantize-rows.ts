import type { MultinomialWeights } from './multinomial.ts';

/** Rows of weights as small whole numbers, each row with a scale of its own. */
export interface QuantizedRows {
  readonly classes: number;
  /** 4 or 8 bits for a weight. */
  readonly bits: 4 | 8;
  /** The indexes of the rows that were kept, ascending. */
  readonly kept: Uint32Array;
  /** What a weight of 1 stands for is `largestScale / 2 ** (step / 8)`, with a step for each row. */
  readonly largestScale: number;
  readonly scaleSteps: Uint8Array;
  /** The weights, a row after the other, from `-largest` to `largest`. */
  readonly weights: Int8Array;
}

/** The bytes that a row takes beside its weights: its scale, and about two for its number. */
const ROW_OVERHEAD = 3;

const STEPS_PER_HALF = 8;

/**
 * Rounds weights to 8 bits, or to 4 where that would take more than `maxBytes`. If that is still too much, the rows that
 * matter least are left out: those with small differences between classes that occur in few texts.
 */
export function quantizeRows(
  { classes, rows }: MultinomialWeights,
  occurrences: Uint32Array,
  maxBytes: number,
): QuantizedRows {
  const centered = centerRows(rows, classes);
  const bits = occurrences.length * (classes + ROW_OVERHEAD) <= maxBytes ? 8 : 4;
  const bytesOfRow = Math.ceil((classes * bits) / 8) + ROW_OVERHEAD;
  const kept = keepRows(centered, classes, occurrences, Math.floor(maxBytes / bytesOfRow));
  const largest = largestWeight(bits);
  const needed = Float64Array.from(kept, (row) => largestOf(centered, row, classes) / largest);
  const largestScale = needed.reduce((a, b) => Math.max(a, b), 0);
  const scaleSteps = Uint8Array.from(needed, (scale) => {
    if (scale === 0) return 255;
    return Math.min(255, Math.floor(STEPS_PER_HALF * Math.log2(largestScale / scale)));
  });
  const weights = new Int8Array(kept.length * classes);
  kept.forEach((row, at) => {
    const scale = scaleOf(largestScale, Number(scaleSteps[at]));
    for (let one = 0; one < classes && scale > 0; one++) {
      weights[at * classes + one] = Math.round(Number(centered[row * classes + one]) / scale);
    }
  });
  return { classes, bits, kept, largestScale, scaleSteps, weights };
}

/** What a weight of 1 stands for. */
export function scaleOf(largestScale: number, step: number): number {
  return largestScale / 2 ** (step / STEPS_PER_HALF);
}

/** The largest weight of so many bits. */
function largestWeight(bits: 4 | 8): number {
  return bits === 4 ? 7 : 127;
}

/** Packs two weights of 4 bits into a byte, each row from a new byte on; 8 bits are a byte each. */
export function packWeights({ bits, classes, weights }: QuantizedRows): Uint8Array {
  if (bits === 8) return new Uint8Array(weights.buffer, weights.byteOffset, weights.length);
  const width = Math.ceil(classes / 2);
  const packed = new Uint8Array((weights.length / classes) * width);
  weights.forEach((weight, at) => {
    const place = Math.floor(at / classes) * width + ((at % classes) >> 1);
    packed[place] = Number(packed[place]) | ((weight & 15) << ((at % classes) & 1 ? 4 : 0));
  });
  return packed;
}

/** The weights that {@link packWeights} packed, for a number of rows. */
export function unpackWeights(packed: Uint8Array, bits: 4 | 8, classes: number, rows: number): Int8Array {
  if (bits === 8) return new Int8Array(packed.buffer, packed.byteOffset, packed.length);
  const width = Math.ceil(classes / 2);
  const weights = new Int8Array(rows * classes);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let one = 0; one < classes; one++, at++) {
      const byte = Number(packed[row * width + (one >> 1)]);
      weights[at] = ((one & 1 ? byte >> 4 : byte & 15) << 28) >> 28;
    }
  }
  return weights;
}

/** The weights minus the mean of their row: adding the same to all classes changes no probability. */
function centerRows(rows: Float32Array, classes: number): Float32Array {
  const centered = new Float32Array(rows.length);
  for (let start = 0; start < rows.length; start += classes) {
    const row = rows.subarray(start, start + classes);
    const mean = row.reduce((sum, weight) => sum + weight, 0) / classes;
    for (let one = 0; one < classes; one++) centered[start + one] = Number(row[one]) - mean;
  }
  return centered;
}

function keepRows(rows: Float32Array, classes: number, occurrences: Uint32Array, max: number): Uint32Array {
  const all = Uint32Array.from(occurrences.keys());
  if (all.length <= max) return all;
  const importance = Float64Array.from(all, (row) => {
    const weights = rows.subarray(row * classes, (row + 1) * classes);
    return weights.reduce((sum, weight) => sum + weight * weight, 0) * Math.sqrt(Number(occurrences[row]));
  });
  const best = [...all].sort((a, b) => Number(importance[b]) - Number(importance[a]) || a - b);
  return Uint32Array.from(best.slice(0, max)).sort();
}

function largestOf(rows: Float32Array, row: number, classes: number): number {
  let largest = 0;
  for (let at = row * classes; at < (row + 1) * classes; at++) {
    largest = Math.max(largest, Math.abs(Number(rows[at])));
  }
  return largest;
}
