/** The places of values on a logarithmic axis: from the power of ten below the smallest to that above the largest. */
export interface LogScale {
  /** The powers of ten at which lines stand, smallest first. */
  readonly ticks: readonly number[];
  /** The place of a value, from 0 (bottom) to 1 (top). */
  readonly place: (value: number) => number;
}

/** The scale for these values; that of 1 to 10 without values. Values of zero and less stand at the bottom. */
export function logScale(values: readonly number[]): LogScale {
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(positive.length === 0 ? 1 : Math.min(...positive)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(positive.length === 0 ? 10 : Math.max(...positive))));
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  return {
    ticks,
    place: (value) => (value <= 0 ? 0 : (Math.log10(value) - low) / (high - low)),
  };
}

/**
 * The path of a line through values at equal distances; it breaks where there is none. A lone value is a short dash.
 */
export function linePath(
  values: readonly (number | null)[],
  width: number,
  height: number,
  place: (value: number) => number,
): string {
  const step = width / Math.max(1, values.length);
  let path = '';
  values.forEach((value, at) => {
    if (value === null) return;
    const x = (at + 0.5) * step;
    const y = ((1 - place(value)) * height).toFixed(1);
    const isLone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
    if (isLone) path += `M${(x - step / 3).toFixed(1)} ${y}h${((step * 2) / 3).toFixed(1)}`;
    else path += `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x.toFixed(1)} ${y}`;
  });
  return path;
}
