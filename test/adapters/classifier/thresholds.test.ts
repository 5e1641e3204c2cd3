import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  suggestThresholds,
  type ThresholdRow,
  upperBound,
} from '../../../src/adapters/classifier/figures.ts';

const INTENTS = 3;

/** Predictions of chance, of which those with a high confidence are right more often. */
const anyRows = fc.array(
  fc
    .tuple(
      fc.nat(INTENTS - 1),
      // Few different values, so that many rows have the same one.
      fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 0.77, 0.9, 1)),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
    )
    .map(([intent, answerable, chance, isAnswer]): ThresholdRow => {
      return { intent, answerable, right: chance < 0.3 + 0.7 * answerable, isAnswer };
    }),
  { maxLength: 400 },
);
const anyTarget = fc.constantFrom(0.005, 0.02, 0.05, 0.1, 0.3);

/** Rows with these confidences, of which the last of each `every` is wrong. */
function rowsOf(count: number, { intent = 0, from = 0.5, every = Number.POSITIVE_INFINITY } = {}) {
  return Array.from({ length: count }, (_, at): ThresholdRow => {
    const answerable = from + ((1 - from) * (at + 1)) / count;
    return { intent, answerable, right: (count - at) % every !== 0, isAnswer: true };
  });
}

/** The rows that are answered with the suggested thresholds. */
function answeredOf(rows: readonly ThresholdRow[], thresholds: ReturnType<typeof suggestThresholds>) {
  return rows.filter(
    ({ intent, answerable, isAnswer }) => isAnswer && answerable >= Number(thresholds[intent]?.threshold),
  );
}

describe('suggested thresholds', () => {
  test('keep the error target, for any predictions', () => {
    fc.assert(
      fc.property(anyRows, anyTarget, fc.boolean(), (rows, target, isFew) => {
        const thresholds = suggestThresholds(rows, INTENTS, target, isFew);
        expect(thresholds).toHaveLength(INTENTS);
        // A confidence of exactly 1 is above every threshold.
        const wrong = answeredOf(rows, thresholds).filter(
          ({ right, answerable }) => !right && answerable < 1,
        );
        // Of too few predictions even for that, nothing can be told.
        const isUntold = isFew && 1 / (rows.length + 2) > target;
        if (isUntold) expect(thresholds.every(({ threshold }) => threshold === 0.6)).toBe(true);
        else if (isFew) expect(wrong.length).toBeLessThanOrEqual(target * (rows.length + 2));
        else if (wrong.length > 0) expect(upperBound(wrong.length, rows.length)).toBeLessThanOrEqual(target);
        for (const { threshold } of thresholds) {
          expect(threshold).toBeGreaterThanOrEqual(0);
          expect(threshold).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('answer no less for a greater target, and are the same whatever the order of the predictions', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const answered = [0.02, 0.05, 0.1].map((target) =>
          Math.min(...suggestThresholds(rows, INTENTS, target).map(({ threshold }) => threshold)),
        );
        expect(answered).toEqual([...answered].sort((a, b) => b - a));
        expect(suggestThresholds(rows.toReversed(), INTENTS, 0.05)).toEqual(
          suggestThresholds(rows, INTENTS, 0.05),
        );
      }),
    );
  });

  test('let all through where all are right, and nothing where all are wrong', () => {
    const right = rowsOf(400);
    expect(answeredOf(right, suggestThresholds(right, 1, 0.05))).toHaveLength(400);
    const wrong = right.map((row) => ({ ...row, right: false }));
    expect(suggestThresholds(wrong, 1, 0.05)[0]?.threshold).toBe(1);
    expect(suggestThresholds([], 2, 0.05).map(({ threshold }) => threshold)).toEqual([1, 1]);
  });

  test('are above the mistakes that a target does not allow', () => {
    const rows = [
      ...rowsOf(200, { from: 0.8 }),
      ...rowsOf(200, { from: 0.2, every: 2 }).map((row) => ({ ...row, answerable: row.answerable * 0.6 })),
    ];
    const [first] = suggestThresholds(rows, 1, 0.02);
    expect(first?.threshold).toBeGreaterThan(0.5);
    expect(first?.threshold).toBeLessThan(0.81);
  });

  test('are pooled over the intents, but for one with many mistakes of its own', () => {
    const rows = [
      ...rowsOf(500, { intent: 0 }),
      ...rowsOf(20, { intent: 1, every: 2 }),
      ...rowsOf(5, { intent: 2, every: 2 }),
    ];
    const [calm, wild, few] = suggestThresholds(rows, 3, 0.05);
    expect(calm?.basis).toBe('pooled');
    expect(wild?.basis).toBe('own');
    expect(wild?.threshold).toBeGreaterThan(Number(calm?.threshold));
    expect(few).toEqual(calm);
  });

  test('do not count mistakes for intents that a person answers', () => {
    const rows = [
      ...rowsOf(300, { intent: 0 }),
      ...rowsOf(300, { intent: 1, every: 1 }).map((row) => ({ ...row, isAnswer: false })),
    ];
    const [first] = suggestThresholds(rows, 2, 0.02);
    expect(first?.threshold).toBeLessThan(0.55);
  });

  test('can be found for few predictions where the likeliest error counts, and not its bound', () => {
    const rows = rowsOf(40);
    expect(suggestThresholds(rows, 1, 0.05)[0]?.threshold).toBe(1);
    expect(suggestThresholds(rows, 1, 0.05, true)[0]?.threshold).toBeLessThan(0.6);
  });
});

describe('the upper bound of a share', () => {
  test.each([
    [0, 0, 1],
    [5, 5, 1],
    // The rule of three: 3 of n with nothing seen.
    [0, 100, 0.0295],
    [1, 100, 0.0466],
    [5, 100, 0.1023],
    [50, 1_000, 0.0629],
  ])('of %i of %i is %d', (count, all, bound) => {
    expect(upperBound(count, all)).toBeCloseTo(bound, 3);
  });

  test('is above the share, and falls with more that is right', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.integer({ min: 1, max: 5_000 }), (count, more) => {
        const bound = upperBound(count, count + more);
        expect(bound).toBeGreaterThan(count / (count + more));
        expect(upperBound(count, count + 2 * more)).toBeLessThan(bound);
      }),
    );
  });
});
