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
