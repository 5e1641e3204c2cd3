import type { Playbook, TimeLimit, WorkingHours } from '../../domain/playbook/playbook.ts';
import { zoneClock } from '../shared/time-zone.ts';
import { type HoursDefinition, type PlaybookDefinition, type SlaDefinition, weekdays } from './definition.ts';

/** Milliseconds of the units of a time span. */
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Makes working hours, from Sunday on. */
export function compileHours(hours: HoursDefinition): WorkingHours {
  const days = weekdays.map((day) => {
    const isWeekend = day === 'saturday' || day === 'sunday';
    const stated = hours[day] ?? (isWeekend ? undefined : hours.weekdays);
    return stated === undefined || stated === 'closed' ? null : parseHours(stated);
  });
  return { timezone: hours.timezone, days };
}

function parseHours(text: string): { readonly from: number; readonly to: number } {
  const [from = '', to = ''] = text.split('-');
  return { from: toMinutes(from), to: toMinutes(to) };
}

function toMinutes(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** Makes the time limits of each priority. */
export function compileSla(stated: NonNullable<PlaybookDefinition['sla']>): Playbook['sla'] {
  return {
    1: toLimit(stated[1] ?? '30m'),
    2: toLimit(stated[2] ?? '2h'),
    3: toLimit(stated[3] ?? '4h'),
    4: toLimit(stated[4] ?? '1d'),
    5: toLimit(stated[5] ?? '2d'),
  };
}

function toLimit(stated: SlaDefinition): TimeLimit {
  const { within, hours = 'opening' } = typeof stated === 'string' ? { within: stated } : stated;
  return { within: toMilliseconds(within), hours };
}

function toMilliseconds(text: string): number {
  const unit = units[text.slice(-1)];
  if (unit === undefined) throw new Error(`${text} is not a time span`);
  return Number(text.slice(0, -1)) * unit;
}

// Due times

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** Nothing is due later than this after it was opened, however few the hours are. */
const MAX_WAIT_MS = 10 * 365 * DAY_MS;

/**
 * Creates the function that says when an item is overdue: the first time at which so much time within the hours has
 * passed as the priority allows, or all time where its limit says `always`. Hours are those of the clock in their time
 * zone: an hour that the clock skips does not count, one that it repeats counts twice. Without hours, or without any
 * day of work, all time counts. A time is found in microseconds and lies at most ten years ahead.
 */
export function createDueAt(hours: Playbook['hours'], sla: Playbook['sla']): Playbook['dueAt'] {
  if (hours === undefined || hours.days.every((day) => day === null)) {
    return (openedAt, priority) => openedAt + sla[priority].within;
  }
  const { timezone, days } = hours;
  const spanAt = createOffsetSpans(timezone);
  return (openedAt, priority) => {
    const { within, hours: counted } = sla[priority];
    if (counted === 'always') return openedAt + within;
    const last = openedAt + MAX_WAIT_MS;
    let left = within;
    for (let time = openedAt; time < last; ) {
      const span = spanAt(time);
      const passed = passWork(days, time, span, left);
      if (passed.left === 0) return Math.min(passed.time, last);
      ({ time, left } = passed);
    }
    return last;
  };
}

/** A time, and how much time within the hours is left to pass after it. */
interface Passed {
  readonly time: number;
  readonly left: number;
}

/** Lets time pass from `start` to the end of a span, or until enough of it was within the hours. */
function passWork(
  days: WorkingHours['days'],
  start: number,
  { offset, end }: OffsetSpan,
  needed: number,
): Passed {
  let left = needed;
  for (let day = Math.floor((start + offset) / DAY_MS); day * DAY_MS - offset < end; day++) {
    const work = days[(((day + FIRST_WEEKDAY) % 7) + 7) % 7];
    if (work == null) continue;
    const midnight = day * DAY_MS - offset;
    const from = Math.max(start, midnight + work.from * MINUTE_MS);
    const length = Math.min(end, midnight + work.to * MINUTE_MS) - from;
    if (length <= 0) continue;
    if (length >= left) return { time: from + left, left: 0 };
    left -= length;
  }
  return { time: end, left };
}

// Time zones

/** A time span in which a time zone keeps its offset. Times are in milliseconds since the epoch. */
interface OffsetSpan {
  /** Milliseconds to add to a time to get the local one. */
  readonly offset: number;
  /** The first time after it. */
  readonly end: number;
}

/** A week: no time zone changes its offset twice within one. */
const WINDOW_MS = 7 * 86_400_000;

/**
 * Creates the function that finds the span which a time falls in. It asks `Intl` for one offset a week, and keeps the
 * spans that it has found: a few a year. Going back in time beyond them, or far ahead, makes it begin anew.
 */
function createOffsetSpans(timeZone: string): (time: number) => OffsetSpan {
  const offsetAt = (time: number): number => zoneClock(timeZone).shownAt(time) - time;
  let begin = 0;
  let known: OffsetSpan[] = [];

  /** Finds the spans of the next window, and joins the first to the last known span where they have the same offset. */
  function extend(from: number): void {
    for (const span of spansWithin(from, from + WINDOW_MS, offsetAt)) {
      const last = known.at(-1);
      if (last?.offset === span.offset) known.pop();
      known.push(span);
    }
  }

  return (time) => {
    const first = Math.floor(time / WINDOW_MS) * WINDOW_MS;
    const reached = known.at(-1)?.end ?? begin;
    if (time < begin || first > reached) {
      begin = first;
      known = [];
    }
    for (let end = known.at(-1)?.end ?? begin; end <= time; end += WINDOW_MS) extend(end);
    const found = known.findLast(({ end }, at) => time < end && (known[at - 1]?.end ?? begin) <= time);
    if (found === undefined) throw new Error('a time is in no span');
    return found;
  };
}

/** The one or two spans between two times. */
function spansWithin(from: number, to: number, offsetAt: (time: number) => number): readonly OffsetSpan[] {
  const before = offsetAt(from);
  const after = offsetAt(to);
  if (before === after) return [{ offset: before, end: to }];
  // Offsets change at a full minute.
  let [low, high] = [from / MINUTE_MS, to / MINUTE_MS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return [
    { offset: before, end: high * MINUTE_MS },
    { offset: after, end: to },
  ];
}
