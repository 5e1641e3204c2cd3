import type { Playbook, WorkingHours } from '../../../domain/playbook/playbook.ts';
import { createOffsetSpans, type OffsetSpan } from './time-zone.ts';

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
