import { parseIsoTime } from '../../../../lib/text/time.ts';
import { isTimeZone, type ZoneClock, zoneClock } from '../../time-zone.ts';
import { ExpressionError, type Place } from '../error.ts';
import { type Duration, durationOf, isDuration, type Value } from './value.ts';
import { spend, spendNewText, type Work } from './work.ts';

/** The first and the last timestamp, in milliseconds since the epoch: the years 1 to 9999, as in CEL. */
const MIN_TIME = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** The longest duration in milliseconds, as in CEL. */
const MAX_DURATION = 315_576_000_000_000;

const DAY_MS = 86_400_000;

/** The most days that `add_days` adds: those from the first to the last timestamp. */
export const MAX_DAYS = Math.ceil((MAX_TIME - MIN_TIME) / DAY_MS);

/** Units of work for preparing a time zone, and for asking it for the time that it shows at an instant. */
const ZONE_COST = 2_500;
const LOOKUP_COST = 100;

/** The look-ups of a clock for the instant at which it shows a time, and the further ones within a gap. */
const REACH_LOOKUPS = 3;
const GAP_LOOKUPS = 30;

/** The timestamp, where it is within the years 1 to 9999. Throws {@link ExpressionError}. */
function timestampOf(ms: number, place: Place): Date {
  if (ms >= MIN_TIME && ms <= MAX_TIME) return new Date(ms);
  throw new ExpressionError('a timestamp is not within the years 1 to 9999', place);
}

function checkDuration(ms: number, place: Place): Duration {
  if (Math.abs(ms) <= MAX_DURATION) return durationOf(ms);
  throw new ExpressionError('a duration is longer than 10000 years', place);
}

/** The sum of a timestamp and a duration, or of two durations; undefined for other values. */
export function addTimes(left: Value, right: Value, place: Place): Value | undefined {
  if (isDuration(left)) {
    if (right instanceof Date) return timestampOf(right.getTime() + left.ms, place);
    return isDuration(right) ? checkDuration(left.ms + right.ms, place) : undefined;
  }
  return left instanceof Date && isDuration(right)
    ? timestampOf(left.getTime() + right.ms, place)
    : undefined;
}

/** The difference of two timestamps, of two durations, or of a timestamp and a duration; undefined for other values. */
export function subtractTimes(left: Value, right: Value, place: Place): Value | undefined {
  if (left instanceof Date && right instanceof Date) {
    return checkDuration(left.getTime() - right.getTime(), place);
  }
  return isDuration(right) ? addTimes(left, durationOf(-right.ms), place) : undefined;
}

/** `timestamp(x)`: of a text in RFC 3339, or of seconds since the epoch. Throws {@link ExpressionError}. */
export function toTimestamp(value: Value, _work: Work, place: Place): Value | undefined {
  if (value instanceof Date) return value;
  if (typeof value === 'number' || typeof value === 'bigint') {
    return timestampOf(Math.trunc(Number(value) * 1_000), place);
  }
  if (typeof value !== 'string') return undefined;
  const ms = value.length <= MAX_TIME_TEXT ? parseIsoTime(value) : undefined;
  if (ms !== undefined) return timestampOf(ms, place);
  const example = '2026-12-24T18:00:00Z';
  throw new ExpressionError(
    `timestamp() takes a time in RFC 3339 with an offset or Z, such as ${example}`,
    place,
  );
}

const MAX_TIME_TEXT = 40;
const MAX_DURATION_TEXT = 100;

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const durationText = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|s))+$/;
const durationPart = /(\d+\.?\d*|\.\d+)(h|ms|m|s)/g;

/** `duration(x)`: of a text such as `1h30m` or `-1.5s`, down to milliseconds. Throws {@link ExpressionError}. */
export function toDuration(value: Value, _work: Work, place: Place): Value | undefined {
  if (isDuration(value)) return value;
  if (typeof value !== 'string') return undefined;
  if (value.length > MAX_DURATION_TEXT || !durationText.test(value)) {
    const detail = 'duration() takes a text of numbers with the units h, m, s and ms, such as "1h30m"';
    throw new ExpressionError(detail, place);
  }
  let sum = 0;
  for (const [, count, unit = ''] of value.matchAll(durationPart))
    sum += Number(count) * (unitsMs[unit] ?? 0);
  const ms = Math.round(sum);
  // Sums of decimal fractions are not exact.
  if (Math.abs(sum - ms) > 1e-6 * Math.max(1, sum)) {
    throw new ExpressionError('duration() takes whole milliseconds', place);
  }
  return checkDuration(value.startsWith('-') ? -ms : ms, place);
}

/**
 * The clock of a time zone. Throws {@link ExpressionError} for an unknown one, which it names where that is no value.
 */
export function clockOf(name: string, work: Work, place: Place, isLiteral = false): ZoneClock {
  if (work.zones?.has(name) !== true) {
    spend(work, ZONE_COST, place);
    // A name that is no zone costs as much each time.
    if (!isTimeZone(name)) {
      const unknown = isLiteral ? `time zone ${JSON.stringify(name)}` : 'such time zone';
      const detail = `there is no ${unknown}: it takes the name of an IANA time zone, such as Europe/Berlin`;
      throw new ExpressionError(detail, place);
    }
    work.zones ??= new Set();
    work.zones.add(name);
  }
  return zoneClock(name);
}

/** The time of the clock on the wall, in milliseconds as if the zone were UTC. */
export function shownAt(clock: ZoneClock, time: Date, work: Work, place: Place): number {
  spend(work, LOOKUP_COST, place);
  return clock.shownAt(time.getTime());
}

/** The first instant at which the clock shows a time, or, where it leaves that out, a later one. */
function reach(clock: ZoneClock, shown: number, work: Work, place: Place): Date {
  spend(work, LOOKUP_COST * REACH_LOOKUPS, place);
  // Beyond the first and the last timestamp by more than any offset; `Intl` knows no times far beyond.
  if (shown < MIN_TIME - 2 * DAY_MS || shown > MAX_TIME + 2 * DAY_MS) return timestampOf(shown, place);
  const reached = timestampOf(clock.firstReaching(shown), place);
  if (shownAt(clock, reached, work, place) !== shown) spend(work, LOOKUP_COST * GAP_LOOKUPS, place);
  return reached;
}

/** The timestamp `days` later on the clock: at the same time of the day. */
export function addDays(clock: ZoneClock, time: Date, days: number, work: Work, place: Place): Date {
  if (days === 0) return time;
  return reach(clock, shownAt(clock, time, work, place) + days * DAY_MS, work, place);
}

/** The first instant of the day on the clock. */
export function startOfDay(clock: ZoneClock, time: Date, work: Work, place: Place): Date {
  const shown = shownAt(clock, time, work, place);
  return reach(clock, Math.floor(shown / DAY_MS) * DAY_MS, work, place);
}

/** The day of the week: 1 for Monday to 7 for Sunday. */
export function weekdayOf(shown: number): number {
  return new Date(shown).getUTCDay() || 7;
}

/** Writes a time of the clock on the wall as text. */
export type TimeFormat = (shown: number) => string;

const fields = {
  yyyy: (shown) => String(shown.getUTCFullYear()).padStart(4, '0'),
  MM: (shown) => twoDigits(shown.getUTCMonth() + 1),
  dd: (shown) => twoDigits(shown.getUTCDate()),
  HH: (shown) => twoDigits(shown.getUTCHours()),
  mm: (shown) => twoDigits(shown.getUTCMinutes()),
  ss: (shown) => twoDigits(shown.getUTCSeconds()),
} as const satisfies Record<string, (shown: Date) => string>;

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

const field = /yyyy|MM|dd|HH|mm|ss/;

/**
 * The format of a pattern such as `dd.MM.yyyy HH:mm`. Throws {@link ExpressionError} for other letters, which it names
 * where the pattern is no value.
 */
export function parseTimeFormat(pattern: string, work: Work, place: Place, isLiteral = false): TimeFormat {
  // Each character may be a part by itself.
  spendNewText(work, pattern.length * 16, place);
  const parts = pattern.split(new RegExp(`(${field.source})`));
  const unknown = parts.find((part, index) => index % 2 === 0 && /[A-Za-z]/.test(part));
  if (unknown !== undefined) {
    const [letters = ''] = /[A-Za-z]{1,20}/.exec(unknown) ?? [];
    const others = isLiteral ? `not "${letters}"` : 'no other letters';
    throw new ExpressionError(`format() knows yyyy, MM, dd, HH, mm and ss, but ${others}`, place);
  }
  const writers = parts.map((part) => (isField(part) ? fields[part] : () => part));
  return (shown) => {
    const date = new Date(shown);
    return writers.map((write) => write(date)).join('');
  };
}

function isField(part: string): part is keyof typeof fields {
  return Object.hasOwn(fields, part);
}

const dateFormat = 'yyyy-MM-dd';

/** The day on the clock: `2026-11-24`. */
export function dateText(shown: number): string {
  return new Date(shown).toISOString().slice(0, dateFormat.length);
}
