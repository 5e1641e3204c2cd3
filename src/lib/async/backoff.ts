const BASE_MS = 100;
const MAX_MS = 2_000;

/**
 * Milliseconds to wait after failed attempt number `attempt`: exponential from 100 ms to 2 s, with full jitter.
 * `random` returns a number from 0 (inclusive) to 1 (exclusive).
 */
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(MAX_MS, BASE_MS * 2 ** (attempt - 1));
}
