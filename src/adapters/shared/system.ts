import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, NewId } from '../../ports/clock.ts';

/** The clock and the timers of Node. A timer keeps the process alive until it runs or is canceled. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, work) {
    if (ms > MAX_TIMEOUT_MS) return afterLong(ms, work);
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Node runs a timer with a longer delay at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function afterLong(ms: number, work: () => void): () => void {
  let cancel = systemClock.after(MAX_TIMEOUT_MS, () => {
    cancel = systemClock.after(ms - MAX_TIMEOUT_MS, work);
  });
  return () => cancel();
}

const MAX_COUNTER = 0xfff;

/**
 * Creates a source of UUIDs of version 7 (RFC 9562): 48 bits of wall-clock milliseconds, a 12-bit counter that restarts
 * each millisecond, and 62 random bits. Identifiers of one source sort in the order of their creation: when the counter
 * overflows or the wall clock goes back, their time is ahead of the clock.
 *
 * Node's `randomUUIDv7` has no counter, so identifiers of one millisecond do not sort in that order, and it needs
 * Node 24.16.
 */
export function createIds(now: () => number = Date.now): NewId {
  let lastMs = -1;
  let timePart = '';
  let counter = 0;
  return () => {
    const ms = now();
    if (ms > lastMs || counter === MAX_COUNTER) {
      lastMs = Math.max(ms, lastMs + 1);
      const hex = lastMs.toString(16).padStart(12, '0');
      timePart = `${hex.slice(0, 8)}-${hex.slice(8)}-`;
      counter = 0;
    } else counter += 1;
    const versionAndCounter = (0x7000 + counter).toString(16);
    const random = randomUUID();
    // Two slices, because V8 copies a slice of at most 12 characters; a longer one would keep all of `random` alive.
    return `${timePart}${versionAndCounter}${random.slice(18, 24)}${random.slice(24)}`;
  };
}
