import { Cron } from 'croner';
import { cronProblem, hasWildcardHour } from '../../domain/schedule/cron.ts';
import type { Calendar, CalendarIssue } from '../../ports/calendar.ts';
import { keepLast } from '../shared/keep-last.ts';
import { isTimeZone, zoneClock } from '../shared/time-zone.ts';

/** The most expressions that are kept prepared. */
const MAX_KEPT = 256;

/** The dates of an expression in a time zone, which stands before the first space of the key. */
const datesOf = keepLast(MAX_KEPT, (key) => {
  const end = key.indexOf(' ');
  return new Cron(key.slice(end + 1), { timezone: key.slice(0, end), mode: '5-part' });
});

/** A time from which each date that ever comes is found. */
const ANY_TIME = Date.UTC(2026, 0, 1);

/**
 * A {@link Calendar} over croner. Croner decides by all of the expression whether daylight saving treats it as a fixed
 * time, and drops a fixed time whose gap ends on the next day. Here the hour alone decides: dates of fixed hours are
 * computed on the clock on the wall, and then become instants.
 */
export const cronerCalendar: Calendar = {
  check(cron, timezone) {
    const issues: CalendarIssue[] = [];
    const problem = cronProblem(cron) ?? problemOfDates(cron);
    if (problem !== undefined) issues.push({ member: 'cron', problem });
    if (!isTimeZone(timezone)) {
      issues.push({
        member: 'timezone',
        problem: 'must be the name of an IANA time zone, such as Europe/Berlin',
      });
    }
    return issues;
  },
  nextFire(cron, timezone, after) {
    if (hasWildcardHour(cron)) return nextOf(cron, timezone, after);
    const clock = zoneClock(timezone);
    const time = nextOf(cron, 'UTC', clock.shownUntil(after));
    return time === null ? null : clock.firstReaching(time);
  },
};

function nextOf(cron: string, timezone: string, after: number): number | null {
  const next = datesOf(`${timezone} ${cron}`).nextRun(new Date(after));
  return next === null ? null : next.getTime();
}

function problemOfDates(cron: string): string | undefined {
  try {
    return nextOf(cron, 'UTC', ANY_TIME) === null ? 'names dates that never come' : undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `cannot be read: ${error.message.replace(/^CronPattern: (?:Syntax error, )?/, '')}`;
  }
}
