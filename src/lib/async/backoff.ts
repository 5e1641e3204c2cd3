/** The waits between attempts. */
export interface Backoff {
  /** Upper bound of the first wait in milliseconds; 100 when absent. */
  readonly backoffMs?: number | undefined;
  /** By how much the bound grows with each attempt; 2 when absent. */
  readonly factor?: number | undefined;
  /** Upper bound of every wait in milliseconds; 2,000 when absent. */
  readonly maxBackoffMs?: number | undefined;
}

/**
 * Milliseconds to wait after failed attempt number `attempt`: exponential, by default from 100 ms to 2 s, with full
 * jitter. `random` returns a number from 0 (inclusive) to 1 (exclusive).
 */
export function backoffMs(attempt: number, random: () => number, backoff: Backoff = {}): number {
  const { backoffMs: first = 100, factor = 2, maxBackoffMs = 2_000 } = backoff;
  return random() * Math.min(maxBackoffMs, first * factor ** (attempt - 1));
}
