import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  centeredFeatures,
  cosine,
  meanVector,
  roundVector,
  unitVector,
} from '../../../src/lib/learning/dense-vector.ts';

const numbers = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 1, maxLength: 40 });

describe('a dense vector', () => {
  test('that was rounded and has length 1 rounds to the same numbers', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const rounded = roundVector(values);
        expect(roundVector(unitVector(rounded))).toEqual(rounded);
      }),
    );
  });

  test('keeps its direction when it is rounded', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const unit = unitVector(values);
        if (cosine(unit, unit) < 0.5) return;
        expect(cosine(unit, unitVector(roundVector(values)))).toBeGreaterThan(0.99);
      }),
    );
  });

  test('of nothing but zeros stays as it is', () => {
    expect(roundVector([0, 0])).toEqual(Int8Array.of(0, 0));
    expect(unitVector([0, 0])).toEqual(Float32Array.of(0, 0));
    expect(meanVector([])).toHaveLength(0);
  });

  test('becomes features: its difference from a center, with length 1', () => {
    const center = meanVector([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
    expect(center).toEqual(Float32Array.of(0.5, 0.5));
    const { buckets, values } = centeredFeatures(Float32Array.of(1, 0), center);
    expect(buckets).toEqual(Uint32Array.of(0, 1));
    expect(Number(values[0])).toBeCloseTo(Math.SQRT1_2);
    expect(Number(values[1])).toBeCloseTo(-Math.SQRT1_2);
  });
});
