/** The share of the items that match, from 0 to 1; 0 where there are none. */
export function shareOf<T>(items: readonly T[], matches: (item: T) => boolean): number {
  let count = 0;
  for (const item of items) if (matches(item)) count += 1;
  return items.length === 0 ? 0 : count / items.length;
}

/**
 * The share of the items that match among those that are judged, which are not undefined; null where there are none.
 */
export function shareOfJudged<T>(
  items: readonly T[],
  matches: (item: T) => boolean | undefined,
): number | null {
  const judged = items.map(matches).filter((outcome) => outcome !== undefined);
  return judged.length === 0 ? null : shareOf(judged, (outcome) => outcome);
}

/** The mean of values; 0 where there are none. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

/** The sum of values. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Counts pairs: how often each second value occurs, by the first. Both are in the order in which they occur first. */
export function countPairs<Row extends string, Column extends string>(
  pairs: readonly (readonly [Row, Column])[],
): ReadonlyMap<Row, ReadonlyMap<Column, number>> {
  const counts = new Map<Row, Map<Column, number>>();
  for (const [first, second] of pairs) {
    const row = counts.get(first) ?? new Map<Column, number>();
    counts.set(first, row.set(second, (row.get(second) ?? 0) + 1));
  }
  return counts;
}
