let lastMs = Number.NaN;
let lastText = '';

/** A wall-clock time in milliseconds as ISO 8601 UTC; the text of the last millisecond asked for is kept. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

/**
 * The milliseconds from one reading of a monotonic clock to a later one, in whole nanoseconds: what stands behind them
 * is noise of the subtraction, and its dozen digits would take a quarter of the time to write a record.
 */
export function elapsedMs(from: number, to: number): number {
  return Math.round((to - from) * 1e6) / 1e6;
}
