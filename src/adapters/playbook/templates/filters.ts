import type { ByLanguage } from '../../../domain/playbook/playbook.ts';

/** What the filters `label` and `date` go by: the language of the text, and what the playbook states. */
export interface ReplyLocale {
  readonly language: string;
  /** The first language of the company, for labels that the other one lacks. */
  readonly defaultLanguage: string;
  /** By value. */
  readonly labels: ReadonlyMap<string, ByLanguage<string>>;
  /** An IANA name. */
  readonly timeZone: string;
}

/** The formats of the filter `date`; the one without a name serves where it has no argument. */
const formats: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  '': { dateStyle: 'long' },
  short: { dateStyle: 'medium' },
  long: { dateStyle: 'full' },
  time: { timeStyle: 'short' },
};

/** The names of the formats of the filter `date`. */
export const dateFormats = Object.keys(formats).filter((name) => name !== '');

/** The text of a value in the language of a reply, else in the default language, else the value itself. */
export function labelOf(value: unknown, { language, defaultLanguage, labels }: ReplyLocale): unknown {
  const label = labels.get(String(value));
  return label?.get(language) ?? label?.get(defaultLanguage) ?? value;
}

/** A time, and the zone in which it is shown. */
export interface ShownTime {
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly timeZone: string;
  /** False for a date without a time of day. */
  readonly hasClock: boolean;
}

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoTime = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|z|[+-]\d{2}:?\d{2})?$/;

/**
 * Reads a value as a time: a date or date-time of ISO 8601, or milliseconds since the epoch. Undefined for anything
 * else. A time without an offset is one of the company's clock, and a date is the same day everywhere.
 */
export function readTime(value: unknown, timeZone: string): ShownTime | undefined {
  if (typeof value === 'number') return shownTime(value, timeZone, true);
  if (typeof value !== 'string') return undefined;
  if (isoDate.test(value)) {
    return isDay(value) ? shownTime(Date.parse(`${value}T00:00:00Z`), 'UTC', false) : undefined;
  }
  const [, day = '', clock = '', offset] = isoTime.exec(value) ?? [];
  if (!isDay(day)) return undefined;
  if (offset === undefined) return shownTime(Date.parse(`${day}T${clock}Z`), 'UTC', true);
  const full = offset.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  return shownTime(Date.parse(`${day}T${clock}${full}`), timeZone, true);
}

function shownTime(time: number, timeZone: string, hasClock: boolean): ShownTime | undefined {
  return Number.isNaN(new Date(time).getTime()) ? undefined : { time, timeZone, hasClock };
}

/** True for a day that there is: not for February 30, which `Date` takes for March 2. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Shows a time in a language. Undefined for the clock of a date without one. Throws for a format that there is not. */
export function showTime(
  { time, timeZone, hasClock }: ShownTime,
  format: string,
  language: string,
): string | undefined {
  const options = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (options === undefined) throw new RangeError(`there is no date format ${format}`);
  if (format === 'time' && !hasClock) return undefined;
  // The space before `PM` is one that many mail programs show as a box.
  return formatterFor(language, timeZone, options).format(time).replaceAll('\u202f', ' ');
}

/** Formatters by what they were made of: making one takes longer than all else in a reply. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(
  language: string,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = JSON.stringify([language, timeZone, options]);
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat([language, 'en'], { ...options, timeZone });
    formatters.set(key, formatter);
  }
  return formatter;
}
