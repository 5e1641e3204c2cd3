import { describe, expect, test } from 'vitest';
import {
  calibrationBins,
  calibrationError,
  fitLogistic,
  type WeightedExample,
} from '../../../src/lib/learning/calibration.ts';
import { sigmoid } from '../../../src/lib/learning/learner.ts';

describe('a logistic regression', () => {
  const examples = Array.from({ length: 4_000 }, (_, at): WeightedExample => {
    const high = at % 2;
    return { inputs: [1, high], offset: 0, target: at % 10 < (high === 1 ? 8 : 2) ? 1 : 0, weight: 1 };
  });

  test('finds the share of each group', () => {
    const [constant = 0, slope = 0] = fitLogistic(examples, [0, 0], [-10, -10]);
    expect(sigmoid(constant)).toBeCloseTo(0.2, 1);
    expect(sigmoid(constant + slope)).toBeCloseTo(0.8, 1);
  });

  test('moves nothing without examples, little by few, and never below the least', () => {
    expect(fitLogistic([], [1, 2], [-10, 0])).toEqual([1, 2]);
    const [few = 0] = fitLogistic([{ inputs: [1], offset: 0, target: 1, weight: 1 }], [0], [-10]);
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(0.2);
    expect(fitLogistic(examples, [0, 0], [-10, 3])[1]).toBeGreaterThanOrEqual(3);
  });

  test('stays finite where inputs are large and all targets are the same', () => {
    const same = Array.from({ length: 50 }, (): WeightedExample => {
      return { inputs: [1, 6, 90], offset: 0, target: 1, weight: 1 };
    });
    for (const value of fitLogistic(same, [1, 0.7, 0.2], [-10, 0, 0])) {
      expect(Math.abs(value)).toBeLessThan(10);
    }
  });
});

describe('the calibration of predictions', () => {
  const predictions = Array.from({ length: 10 }, (_, at) => ({ confidence: 0.95, right: at < 7 }));

  test('tells how far confidence and accuracy differ', () => {
    expect(calibrationError(predictions)).toBeCloseTo(0.25);
    expect(calibrationError([])).toBe(0);
  });

  test('is told for ten ranges, each prediction in one', () => {
    const bins = calibrationBins([
      ...predictions,
      { confidence: 1, right: true },
      { confidence: 0, right: false },
    ]);
    expect(bins).toHaveLength(10);
    expect(bins.map(({ count }) => count)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 11]);
    expect(bins[9]).toMatchObject({ from: 0.9, to: 1 });
    expect(bins[9]?.accuracy).toBeCloseTo(8 / 11);
    expect(bins[4]).toMatchObject({ confidence: 0, accuracy: 0 });
  });
});
