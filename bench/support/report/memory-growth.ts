import { median } from './statistics.ts';
import { atMost, type TargetResult } from './target.ts';

/**
 * The most that the last quarter may use compared with the second. A leak in every round would more than double it; the
 * garbage collector alone varies it by a tenth.
 */
const MAX_GROWTH = 1.25;

/** Checks that memory stops growing: resident memory after each of at least eight rounds of the same work. */
export function memoryGrowthTarget(what: string, residentBytes: readonly number[]): TargetResult {
  const quarter = Math.floor(residentBytes.length / 4);
  const second = median(residentBytes.slice(quarter, 2 * quarter));
  const growth = median(residentBytes.slice(-quarter)) / second;
  return atMost(
    `resident memory, last quarter of rounds compared with the second: ${what}`,
    growth,
    MAX_GROWTH,
    ' times',
  );
}
