import { MAX_TIMEZONE_LENGTH } from '../../domain/schedule/cron.ts';
import { keepLast } from './keep-last.ts';

/** The longest time by which a clock has been moved, and the span in which one change of it is searched. */
const DAY_MS = 86_400_000;

/**
 * The clock on the wall of a time zone. Its times are in milliseconds, as if the zone were UTC. Where the clock is
 * moved forward, times are left out; where it is moved back, they come twice.
 */
export interface ZoneClock {
  /** The time that the clock shows at an instant. */
  shownAt(instant: number): number;
  /** The latest time that the clock has shown up to an instant: the repeated hour adds nothing to it. */
  shownUntil(instant: number): number;
  /** The first instant at which the clock shows a time or a later one. */
  firstReaching(time: number): number;
}

/** The most time zones that are kept prepared: preparing one takes about a tenth of a millisecond. */
const MAX_KEPT = 64;

/** The clock of an IANA time zone. Throws a `RangeError` for an unknown one. */
export const zoneClock: (timeZone: string) => ZoneClock = keepLast(MAX_KEPT, createZoneClock);

/** Names of time zones begin with a letter; an offset such as `+02:00` has no daylight saving and is none. */
const zonePattern = /^[A-Za-z][\w+/-]*$/;

/** True for the name of an IANA time zone. */
export function isTimeZone(name: string): boolean {
  if (name.length > MAX_TIMEZONE_LENGTH || !zonePattern.test(name)) return false;
  try {
    zoneClock(name);
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

function createZoneClock(timeZone: string): ZoneClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

  /** By how much the clock is ahead of UTC at an instant. */
  function offsetAt(instant: number): number {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
    // `Date.UTC` takes the years 0 to 99 for those of the last century.
    const day = new Date(0).setUTCFullYear(year, part('month') - 1, part('day'));
    const shown = day + part('hour') * 3_600_000 + part('minute') * 60_000 + part('second') * 1_000;
    return shown - Math.floor(instant / 1_000) * 1_000;
  }

  /** The instant between two with different offsets at which the offset of the later one begins. */
  function changeBetween(earlier: number, later: number): number {
    const offset = offsetAt(later);
    let before = earlier;
    let after = later;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle) === offset) after = middle;
      else before = middle;
    }
    return after;
  }

  return {
    shownAt: (instant) => instant + offsetAt(instant),
    shownUntil(instant) {
      const offset = offsetAt(instant);
      const before = offsetAt(instant - DAY_MS);
      if (before <= offset) return instant + offset;
      const lastBefore = changeBetween(instant - DAY_MS, instant) - 1 + before;
      return Math.max(lastBefore, instant + offset);
    },
    firstReaching(time) {
      const before = offsetAt(time - DAY_MS);
      const first = time - before;
      if (offsetAt(first) === before) return first;
      const after = offsetAt(time + DAY_MS);
      const second = time - after;
      // The time is left out where neither offset shows it.
      return offsetAt(second) === after ? second : changeBetween(second, first);
    },
  };
}
