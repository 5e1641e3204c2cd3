import { median } from './statistics.ts';
import { atMost, type Verdict } from './verdict.ts';

/**
 * What the last quarter may take beside the second. Memory that every round adds to more than doubles from one to the
 * other; a heap whose size is left to the garbage collector still breathes by a tenth.
 */
const BOUNDED = 1.25;

/** Whether memory stops to grow: resident memory after each of at least eight rounds of the same work. */
export function boundedMemory(what: string, residentBytes: readonly number[]): Verdict {
  const quarter = Math.floor(residentBytes.length / 4);
  const second = median(residentBytes.slice(quarter, 2 * quarter));
  const growth = median(residentBytes.slice(-quarter)) / second;
  return atMost(
    `resident memory, last quarter of rounds beside the second: ${what}`,
    growth,
    BOUNDED,
    ' times',
  );
}
