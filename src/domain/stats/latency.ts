/** The upper end of the first bucket, in milliseconds: shorter latencies are read as this one. */
const FIRST_MS = 0.01;

/** Buckets for each doubling: a bucket ends at 1.19 times its begin. */
const PER_DOUBLING = 4;

/** Enough for latencies of more than a day: longer ones are read as that. */
export const LATENCY_BUCKETS = 136;

/** The most that a percentile may differ from the exact one, as a part of it, between 0.01 ms and a day. */
export const MAX_PERCENTILE_ERROR = 0.1;

/** The bucket of a latency in milliseconds: an integer from 0 to below {@link LATENCY_BUCKETS}. */
export function latencyBucket(ms: number): number {
  if (!(ms > FIRST_MS)) return 0;
  return Math.min(LATENCY_BUCKETS - 1, 1 + Math.floor(Math.log2(ms / FIRST_MS) * PER_DOUBLING));
}

/** The latency in milliseconds that stands for a bucket: the geometric mean of its ends, with three digits. */
function latencyOf(bucket: number): number {
  if (bucket === 0) return FIRST_MS;
  return Number((FIRST_MS * 2 ** ((bucket - 0.5) / PER_DOUBLING)).toPrecision(3));
}

/** Percentiles in milliseconds; null where nothing was measured. */
export interface Percentiles {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/**
 * Reads percentiles from the number of latencies in each bucket. A percentile is the shortest latency that at least
 * this share of all does not exceed, with an error of at most {@link MAX_PERCENTILE_ERROR}.
 */
export function percentilesOf(buckets: readonly number[]): Percentiles {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  const read = (share: number): number | null => {
    if (total === 0) return null;
    const rank = Math.max(1, Math.ceil(share * total));
    let seen = 0;
    const bucket = buckets.findIndex((count) => {
      seen += count;
      return seen >= rank;
    });
    return latencyOf(bucket);
  };
  return { p50: read(0.5), p95: read(0.95), p99: read(0.99) };
}
