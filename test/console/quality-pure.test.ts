import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cheapest,
  interval,
  lowestWithin,
  matrixOf,
  outcomesOf,
} from '../../console/pages/quality/figures.ts';

const thresholds = [
  { threshold: 0, coverage: 1, error_rate: 0.2, escalation_rate: 0 },
  { threshold: 0.5, coverage: 0.8, error_rate: 0.05, escalation_rate: 0.2 },
  { threshold: 0.9, coverage: 0.5, error_rate: 0, escalation_rate: 0.5 },
];

describe('what a threshold means', () => {
  test('is told for a thousand messages, with what they cost', () => {
    const close = (value: number) => expect.closeTo(value, 6);
    expect(outcomesOf(thresholds, { wrong: 10, person: 2 })).toEqual([
      { threshold: 0, right: close(800), wrong: close(200), person: 0, cost: close(2_000) },
      { threshold: 0.5, right: close(760), wrong: close(40), person: close(200), cost: close(800) },
      { threshold: 0.9, right: close(500), wrong: 0, person: close(500), cost: close(1_000) },
    ]);
    expect(outcomesOf([], { wrong: 1, person: 1 })).toEqual([]);
  });

  test.each([
    [{ wrong: 10, person: 2 }, 0.5],
    [{ wrong: 1_000, person: 1 }, 0.9],
    [{ wrong: 0, person: 5 }, 0],
    [{ wrong: 0, person: 0 }, 0],
  ])('makes one the cheapest, the lowest of equal ones: %j', (prices, threshold) => {
    expect(cheapest(outcomesOf(thresholds, prices))?.threshold).toBe(threshold);
  });

  test.each([
    [0.2, 0],
    [0.199, 0.5],
    [0.04, 0.5],
    [0.039, 0.9],
    [0, 0.9],
  ])('makes one the lowest with at most a share of %s wrong', (share, threshold) => {
    expect(lowestWithin(outcomesOf(thresholds, { wrong: 1, person: 1 }), share)?.threshold).toBe(threshold);
  });

  test('is nothing where there is nothing to choose from', () => {
    expect([cheapest([]), lowestWithin([], 1)]).toEqual([undefined, undefined]);
    expect(lowestWithin(outcomesOf(thresholds.slice(0, 1), { wrong: 1, person: 1 }), 0.1)).toBeUndefined();
  });
});

describe('the interval of a share', () => {
  test('has the known values of Wilson', () => {
    expect(interval(0.5, 100)).toEqual([expect.closeTo(0.4038, 3), expect.closeTo(0.5962, 3)]);
    expect(interval(0, 10)).toEqual([0, expect.closeTo(0.2775, 3)]);
    expect(interval(1, 10)).toEqual([expect.closeTo(0.7225, 3), 1]);
  });

  test('is everything without a ticket', () => {
    expect(interval(0, 0)).toEqual([0, 1]);
  });

  test('contains the share, lies from 0 to 1, and shrinks with more tickets', () => {
    const counts = fc.integer({ min: 1, max: 1e6 });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), counts, (share, count) => {
        const [from, to] = interval(share, count);
        expect(from >= 0 && from <= share + 1e-9 && share <= to + 1e-9 && to <= 1).toBe(true);
        const [closer, nearer] = interval(share, count * 4);
        expect(nearer - closer).toBeLessThan(to - from);
      }),
    );
  });
});

describe('a confusion matrix', () => {
  test('has those with most tickets first, then by name, and intents that were only predicted', () => {
    const { intents, at, totalOf } = matrixOf({ b: { b: 3, ghost: 1 }, a: { a: 2, b: 2 }, c: { c: 9 } });
    expect(intents).toEqual(['c', 'a', 'b', 'ghost']);
    expect([at('a', 'b'), at('b', 'a'), at('ghost', 'a'), at('none', 'none')]).toEqual([2, 0, 0, 0]);
    expect(intents.map(totalOf)).toEqual([9, 4, 4, 0]);
    expect(matrixOf({}).intents).toEqual([]);
  });

  test('has numbers only, whatever the intents are called', () => {
    const names = ['constructor', 'toString', '__proto__', 'length', 'name'];
    const text = '{"constructor":{"name":1,"toString":2},"__proto__":{"__proto__":4,"length":1}}';
    const { intents, at, totalOf } = matrixOf(JSON.parse(text));
    expect(intents.toSorted()).toEqual(names.toSorted());
    for (const row of names) {
      const counts = names.map((column) => at(row, column));
      expect(counts.every(Number.isInteger)).toBe(true);
      expect(totalOf(row)).toBe(counts.reduce((sum, count) => sum + count, 0));
    }
    expect([at('__proto__', '__proto__'), at('constructor', 'toString')]).toEqual([4, 2]);
  });
});
