let lastMs = Number.NaN;
let lastText = '';

/** Formats a wall-clock time in milliseconds as ISO 8601 UTC. The last text is cached: many events share a millisecond. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

/** The milliseconds between two times of a monotonic clock, rounded to a microsecond so that records stay short. */
export function elapsedMs(from: number, to: number): number {
  return roundedMs(to - from);
}

/** Milliseconds rounded to a microsecond. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
