import { median } from './statistics.ts';
import { atMost, type TargetResult } from './target.ts';

/**
 * What the last quarter may take beside the second. Memory that every round adds to more than doubles from one to the
 * other; a heap whose size is left to the garbage collector still breathes by a tenth.
 */
const MAX_GROWTH = 1.25;

/** Whether memory stops to grow: resident memory after each of at least eight rounds of the same work. */
export function memoryGrowthTarget(what: string, residentBytes: readonly number[]): TargetResult {
  const quarter = Math.floor(residentBytes.length / 4);
  const second = median(residentBytes.slice(quarter, 2 * quarter));
  const growth = median(residentBytes.slice(-quarter)) / second;
  return atMost(
    `resident memory, last quarter of rounds beside the second: ${what}`,
    growth,
    MAX_GROWTH,
    ' times',
  );
}
