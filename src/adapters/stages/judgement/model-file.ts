import { readFileSync } from 'node:fs';
import { BUCKETS } from '../../../lib/learning/features.ts';
import type { LinearWeights } from '../../../lib/learning/train.ts';

/** A trained model with weights of one byte, as it is stored. */
export interface QuantizedModel {
  readonly outputs: number;
  /** One weight for each bucket and output. */
  readonly rows: Int8Array;
  /** What a weight of 1 stands for, by output. */
  readonly scales: Float32Array;
  readonly bias: Float32Array;
}

/** The built-in model, shipped with the package; `npm run train:built-in` makes it from the texts in `training/`. */
const BUILT_IN = new URL('../../../../models/judgement.bin', import.meta.url);

const MAX_WEIGHT = 127;

/** Rounds the weights of each output to one byte. */
export function quantize({ outputs, rows, bias }: LinearWeights): QuantizedModel {
  const scales = new Float32Array(outputs);
  for (let at = 0; at < rows.length; at++) {
    const output = at % outputs;
    scales[output] = Math.max(Number(scales[output]), Math.abs(Number(rows[at])) / MAX_WEIGHT);
  }
  const bytes = Int8Array.from(rows, (weight, at) => {
    const scale = Number(scales[at % outputs]);
    return scale === 0 ? 0 : Math.round(weight / scale);
  });
  return { outputs, rows: bytes, scales, bias };
}

/** Writes a model as bytes: its scales and biases as numbers of four bytes, then the weights. */
export function encodeModel({ outputs, rows, scales, bias }: QuantizedModel): Uint8Array {
  const bytes = new Uint8Array(outputs * 8 + rows.length);
  const view = new DataView(bytes.buffer);
  for (let output = 0; output < outputs; output++) {
    view.setFloat32(output * 4, Number(scales[output]), true);
    view.setFloat32((outputs + output) * 4, Number(bias[output]), true);
  }
  bytes.set(new Uint8Array(rows.buffer, rows.byteOffset, rows.length), outputs * 8);
  return bytes;
}

/** Reads a model with a known number of outputs. Throws where the bytes are not of that length. */
export function decodeModel(bytes: Uint8Array, outputs: number): QuantizedModel {
  if (bytes.length !== outputs * (8 + BUCKETS)) {
    throw new Error(`a model with ${outputs} outputs cannot have ${bytes.length} bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const number = (at: number): number => view.getFloat32(at * 4, true);
  return {
    outputs,
    scales: Float32Array.from({ length: outputs }, (_, output) => number(output)),
    bias: Float32Array.from({ length: outputs }, (_, output) => number(outputs + output)),
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + outputs * 8),
  };
}

/** Reads the built-in model. */
export function readBuiltInModel(outputs: number): QuantizedModel {
  return decodeModel(readFileSync(BUILT_IN), outputs);
}
