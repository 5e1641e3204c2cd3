/** The median; `NaN` of an empty array. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The quantile of sorted values, such as 0.99; `NaN` of an empty array. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

/**
 * The median of the ratios of both samples of each round, so that other load on the machine in a round affects both
 * sides of a ratio.
 */
export function medianRatio(samples: readonly number[], others: readonly number[]): number {
  return median(samples.map((sample, round) => sample / (others[round] ?? Number.NaN)));
}
