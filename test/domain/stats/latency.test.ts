import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  LATENCY_BUCKETS,
  latencyBucket,
  MAX_PERCENTILE_ERROR,
  percentilesOf,
} from '../../../src/domain/stats/counters.ts';

const DAY_MS = 86_400_000;

function bucketsOf(latencies: readonly number[]): number[] {
  const buckets = new Array<number>(LATENCY_BUCKETS).fill(0);
  for (const ms of latencies) {
    const bucket = latencyBucket(ms);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  return buckets;
}

/** The shortest latency that this share of all does not exceed. */
function exact(latencies: readonly number[], share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
}

/** Latencies that are spread evenly over their orders of magnitude. */
const latency = fc.double({ min: Math.log(0.01), max: Math.log(DAY_MS), noNaN: true }).map(Math.exp);

describe('the percentiles of a histogram', () => {
  test('differ by at most a tenth from the exact ones', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (latencies) => {
        const { p50, p95, p99 } = percentilesOf(bucketsOf(latencies));
        for (const [read, share] of [
          [p50, 0.5],
          [p95, 0.95],
          [p99, 0.99],
        ] as const) {
          const right = exact(latencies, share);
          expect(Math.abs((read ?? Number.NaN) - right) / right).toBeLessThanOrEqual(MAX_PERCENTILE_ERROR);
        }
      }),
    );
  });

  test('are null without latencies', () => {
    expect(percentilesOf(bucketsOf([]))).toEqual({ p50: null, p95: null, p99: null });
  });

  test('are those of the only latency', () => {
    const { p50, p99 } = percentilesOf(bucketsOf([100]));
    expect(p50).toBe(p99);
    expect(p50).toBeGreaterThan(90);
    expect(p50).toBeLessThan(110);
  });

  test.each([0, -1, 0.01, Number.NaN])('read %d ms as the shortest latency', (ms) => {
    expect(percentilesOf(bucketsOf([ms])).p50).toBe(0.01);
  });

  test.each([10 * DAY_MS, 1e300, Number.POSITIVE_INFINITY])('count %d ms in the last bucket', (ms) => {
    expect(latencyBucket(ms)).toBe(LATENCY_BUCKETS - 1);
  });

  test('never become shorter for longer latencies', () => {
    fc.assert(
      fc.property(latency, latency, (one, other) => {
        const [short, long] = [Math.min(one, other), Math.max(one, other)];
        expect(latencyBucket(short)).toBeLessThanOrEqual(latencyBucket(long));
      }),
    );
  });
});
