const whole = new Intl.NumberFormat('en');

/** A whole number with separators. */
export const formatNumber = (value: number): string => whole.format(value);

/** A share as a percentage with one digit; a dash without a value. */
export function formatShare(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : `${(share * 100).toFixed(1)} %`;
}

/** Milliseconds in the unit that reads best: `0.4 ms`, `12 ms`, `1.4 s`, `3 m 20 s`, `5 h 12 m`, `2 d 4 h`. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return '–';
  if (milliseconds < 9.95) return `${Number(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} m` : `${minutes} m ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The first characters of a long id, enough to recognise it. The key of a workflow stays as it is. */
export const shortId = (id: string): string =>
  id.length > 20 && !id.startsWith('key:') ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;

/** True for a reference to a workflow: an id, or `key:` and a key. */
export const isReferenceTo = (
  { id, key }: { readonly id: string; readonly key?: string | undefined },
  reference: string,
): boolean => reference === id || (key !== undefined && reference === `key:${key}`);

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** A point in time in the reader's zone, with its date. */
export const formatTime = (iso: string): string => day.format(new Date(iso));

/** A point in time in the reader's zone, without its date. */
export const formatClock = (iso: string): string => clock.format(new Date(iso));

/** The age of a point in time, or the time until then. */
export function formatAge(iso: string, now: number): string {
  const distance = now - Date.parse(iso);
  const text = formatDuration(Math.max(1_000, Math.floor(Math.abs(distance) / 1_000) * 1_000)).replace(
    '.0',
    '',
  );
  if (Math.abs(distance) < 1_500) return 'now';
  return distance > 0 ? `${text} ago` : `in ${text}`;
}

/** The time zone of this browser, in which all pages write times, such as `Europe/Berlin`. */
export const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
