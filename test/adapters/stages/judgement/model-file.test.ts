import { describe, expect, test } from 'vitest';
import {
  decodeModel,
  encodeModel,
  quantize,
  readBuiltInModel,
} from '../../../../src/adapters/stages/judgement/model-file.ts';
import { OUTPUTS } from '../../../../src/adapters/stages/judgement/outputs.ts';
import { BUCKETS } from '../../../../src/lib/learning/features.ts';
import type { LinearWeights } from '../../../../src/lib/learning/train.ts';

/** Weights that are the same each time, of which the last output has none. */
function weightsOf(outputs: number): LinearWeights {
  const rows = Float32Array.from({ length: BUCKETS * outputs }, (_, at) =>
    at % outputs === outputs - 1 ? 0 : Math.sin(at) * (1 + (at % outputs)),
  );
  return { outputs, rows, bias: Float32Array.from({ length: outputs }, (_, at) => at - 1.5) };
}

describe('a model', () => {
  test('is the same after it was written and read', () => {
    const model = quantize(weightsOf(3));
    expect(decodeModel(encodeModel(model), 3)).toEqual(model);
  });

  test('is read from the middle of a buffer too', () => {
    const bytes = encodeModel(quantize(weightsOf(2)));
    const padded = new Uint8Array(bytes.length + 5);
    padded.set(bytes, 5);
    expect(decodeModel(padded.subarray(5), 2)).toEqual(decodeModel(bytes, 2));
  });

  test('has weights that are off by at most half a step', () => {
    const weights = weightsOf(3);
    const { rows, scales, bias } = quantize(weights);
    expect(bias).toEqual(weights.bias);
    let worst = 0;
    for (let at = 0; at < rows.length; at++) {
      const scale = Number(scales[at % 3]);
      const error = Math.abs(Number(rows[at]) * scale - Number(weights.rows[at]));
      if (scale > 0) worst = Math.max(worst, error / scale);
    }
    expect(worst).toBeLessThanOrEqual(0.501);
  });

  test('has no weights for an output that learned nothing', () => {
    const { rows, scales } = quantize(weightsOf(3));
    expect(scales[2]).toBe(0);
    expect(rows.every((weight, at) => at % 3 !== 2 || weight === 0)).toBe(true);
  });

  test.each([0, 1, 100, 3 * (8 + BUCKETS) - 1, 3 * (8 + BUCKETS) + 1])('of %d bytes is refused', (length) => {
    expect(() => decodeModel(new Uint8Array(length), 3)).toThrow(`3 outputs cannot have ${length} bytes`);
  });

  test('that is built in fits the outputs, with finite numbers', () => {
    const { scales, bias, rows } = readBuiltInModel(OUTPUTS);
    expect(rows).toHaveLength(OUTPUTS * BUCKETS);
    for (const number of [...scales, ...bias]) expect(Number.isFinite(number)).toBe(true);
    expect(scales.every((scale) => scale > 0)).toBe(true);
    expect(() => readBuiltInModel(OUTPUTS + 1)).toThrow('outputs');
  });
});
