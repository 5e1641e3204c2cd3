import { randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, NewId } from '../ports/clock.ts';

/** The machine's own clock and timers. A timer keeps the process alive until it has run or is cancelled. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

const POOL_IDS = 256;
const RANDOM_BYTES = 8;
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Makes UUIDs of version 7 (RFC 9562): 48 bits of wall-clock milliseconds, a 12-bit counter that starts anew each
 * millisecond so that identifiers of one process sort in the order they were made, and 62 random bits. When the
 * counter runs over, or the wall clock goes back, the time of the identifiers runs ahead instead.
 */
export function createIds(now: () => number = Date.now): NewId {
  const pool = new Uint8Array(POOL_IDS * RANDOM_BYTES);
  let used = pool.length;
  let lastMs = -1;
  let prefix = '';
  let counter = 0;
  return () => {
    const ms = now();
    if (ms > lastMs || counter === 0xfff) {
      lastMs = Math.max(ms, lastMs + 1);
      const digits = lastMs.toString(16).padStart(12, '0');
      prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
      counter = 0;
    } else counter += 1;
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const random = randomText(pool, used);
    used += RANDOM_BYTES;
    return `${prefix}${counter.toString(16).padStart(3, '0')}-${random}`;
  };
}

function randomText(pool: Uint8Array, start: number): string {
  const byte = (index: number): string => hex[pool[start + index] ?? 0] ?? '00';
  const variant = hex[0x80 | ((pool[start] ?? 0) & 0x3f)] ?? '80';
  return `${variant}${byte(1)}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`;
}
