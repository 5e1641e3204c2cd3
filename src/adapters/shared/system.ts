import { randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, NewId } from '../../ports/clock.ts';

/** The machine's own clock and timers. A timer keeps the process alive until it has run or is cancelled. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Identifiers whose random parts are made at a time, as one text. */
const POOL_IDS = 1_024;
const RANDOM_BYTES = 8;
/** The random part of an identifier in two: texts of 12 characters and fewer are cut out without keeping the whole alive. */
const MIDDLE = '-xxxx-xxxxxx'.length;
const TAIL = MIDDLE + 'xxxxxx'.length;
const digits = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const counters = Array.from({ length: 0x1000 }, (_, count) => count.toString(16).padStart(3, '0'));

/**
 * Makes UUIDs of version 7 (RFC 9562): 48 bits of wall-clock milliseconds, a 12-bit counter that starts anew each
 * millisecond so that identifiers of one process sort in the order they were made, and 62 random bits. When the
 * counter runs over, or the wall clock goes back, the time of the identifiers runs ahead instead.
 */
export function createIds(now: () => number = Date.now): NewId {
  let tails = '';
  let used = 0;
  let lastMs = -1;
  let head = '';
  let counter = 0;
  return () => {
    const ms = now();
    if (ms > lastMs || counter === 0xfff) {
      lastMs = Math.max(ms, lastMs + 1);
      const time = lastMs.toString(16).padStart(12, '0');
      head = `${time.slice(0, 8)}-${time.slice(8)}-7`;
      counter = 0;
    } else counter += 1;
    if (used === tails.length) {
      tails = randomTails();
      used = 0;
    }
    const from = used;
    used += TAIL;
    const middle = tails.slice(from, from + MIDDLE);
    return `${head}${counters[counter] ?? '000'}${middle}${tails.slice(from + MIDDLE, used)}`;
  };
}

/** The last two groups of many identifiers, their hyphens included: 62 random bits after the variant's two. */
function randomTails(): string {
  const random = randomFillSync(new Uint8Array(POOL_IDS * RANDOM_BYTES));
  const ascii = Buffer.alloc(POOL_IDS * TAIL, '-');
  let to = 0;
  for (let at = 0; at < random.length; at++) {
    const place = at % RANDOM_BYTES;
    if (place === 0 || place === 2) to++;
    const byte = random[at] ?? 0;
    const value = place === 0 ? 0x80 | (byte & 0x3f) : byte;
    ascii[to++] = digits[value >> 4] ?? 0;
    ascii[to++] = digits[value & 15] ?? 0;
  }
  return ascii.toString('latin1');
}
