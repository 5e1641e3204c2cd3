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
 * The milliseconds from one reading of a monotonic clock to a later one, in whole microseconds: what stands behind them
 * says nothing of the work, and to write its dozen digits would take a quarter of the time to write a record.
 */
export function elapsedMs(from: number, to: number): number {
  return Math.round((to - from) * 1_000) / 1_000;
}
