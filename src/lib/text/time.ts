let lastMs = Number.NaN;
let lastText = '';

/**
 * Formats a wall-clock time in milliseconds as ISO 8601 UTC. The last text is cached: many events share a millisecond.
 */
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

const iso =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The milliseconds since the epoch of a time in ISO 8601 with an offset or `Z`; undefined for any other text. */
export function parseIsoTime(text: string): number | undefined {
  const [, year, month, day] = iso.exec(text) ?? [];
  if (year === undefined) return undefined;
  const daysOfMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const time = Number(day) <= daysOfMonth ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
