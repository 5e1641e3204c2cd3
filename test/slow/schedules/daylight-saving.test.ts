import { describe, expect, test } from 'vitest';
import { cronerCalendar } from '../../../src/adapters/calendar/calendar.ts';
import { fixedFires, minutesOf, wildcardFires } from '../../adapters/calendar/reference.ts';

const HOUR = 3_600_000;

/** Zones with the days around which their clocks change, in several years. */
const changes: Readonly<Record<string, readonly string[]>> = {
  'Europe/Berlin': ['2026-03-29', '2031-10-26'],
  'America/New_York': ['2026-03-08', '2027-11-07'],
  // Half an hour.
  'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
  // A gap at midnight.
  'America/Sao_Paulo': ['2018-02-18', '2018-11-04'],
  'Africa/Cairo': ['2026-04-24', '2026-10-30'],
  // A gap that ends at midnight, and one of a whole day.
  'America/Nuuk': ['2026-03-29', '2026-10-25'],
  'Pacific/Apia': ['2011-12-30', '2012-04-01'],
  // A fast that interrupts daylight saving.
  'Africa/Casablanca': ['2026-02-15', '2026-03-22'],
  'Asia/Kolkata': ['2026-03-29'],
  UTC: ['2026-03-29'],
};

type Matches = (shown: Date) => boolean;
const minute = (shown: Date) => shown.getUTCMinutes();
const hour = (shown: Date) => shown.getUTCHours();

/** Wildcard hours, each with what fits its fields. */
const wildcard: Readonly<Record<string, Matches>> = {
  '*/15 * * * *': (shown) => minute(shown) % 15 === 0,
  '0 * * * *': (shown) => minute(shown) === 0,
  '* * * * *': () => true,
  '17 */2 * * *': (shown) => minute(shown) === 17 && hour(shown) % 2 === 0,
  '5,35 */3 * * SUN': (shown) => minute(shown) % 30 === 5 && hour(shown) % 3 === 0 && shown.getUTCDay() === 0,
  '30 * 25-31 * *': (shown) => minute(shown) === 30 && shown.getUTCDate() >= 25,
};

const fixed: Readonly<Record<string, Matches>> = {
  ...Object.fromEntries(
    Array.from({ length: 24 }, (_, at) => [
      `30 ${at} * * *`,
      (shown: Date) => minute(shown) === 30 && hour(shown) === at,
    ]),
  ),
  ...Object.fromEntries(
    [0, 1, 2, 3, 23].map((at) => [
      `0 ${at} * * *`,
      (shown: Date) => minute(shown) === 0 && hour(shown) === at,
    ]),
  ),
  '*/15 2 * * *': (shown) => minute(shown) % 15 === 0 && hour(shown) === 2,
  '* 0 * * *': (shown) => hour(shown) === 0,
  '45 1-3 * * *': (shown) => minute(shown) === 45 && hour(shown) >= 1 && hour(shown) <= 3,
  '0 0-23/2 * * *': (shown) => minute(shown) === 0 && hour(shown) % 2 === 0,
  '30 2,23 * * 0,6': (shown) =>
    minute(shown) === 30 && [2, 23].includes(hour(shown)) && [0, 6].includes(shown.getUTCDay()),
  '15 0 30 * *': (shown) => minute(shown) === 15 && hour(shown) === 0 && shown.getUTCDate() === 30,
  '59 23 * * *': (shown) => minute(shown) === 59 && hour(shown) === 23,
};

/** All fire times in a span, asked for one after the other. */
function firesOf(cron: string, zone: string, from: number, until: number): readonly number[] {
  const fires: number[] = [];
  let after = from - 1;
  for (;;) {
    const next = cronerCalendar.nextFire(cron, zone, after);
    if (next === null || next >= until) return fires;
    expect(next).toBeGreaterThan(after);
    fires.push(next);
    after = next;
  }
}

const iso = (instants: readonly number[]) => instants.map((instant) => new Date(instant).toISOString());
const cases = Object.entries(changes).flatMap(([zone, days]) => days.map((day) => ({ zone, day })));

describe('fire times around a change of the clocks', () => {
  test.each(cases)('$zone $day', ({ zone, day }) => {
    const from = Date.parse(day) - 14 * HOUR;
    const until = from + 48 * HOUR;
    const minutes = minutesOf(zone, from, until);
    for (const [cron, matches] of Object.entries(wildcard)) {
      const expected = iso(wildcardFires(minutes, matches));
      expect({ cron, fires: iso(firesOf(cron, zone, from, until)) }).toEqual({ cron, fires: expected });
    }
    for (const [cron, matches] of Object.entries(fixed)) {
      const expected = iso(fixedFires(minutes, matches));
      expect({ cron, fires: iso(firesOf(cron, zone, from, until)) }).toEqual({ cron, fires: expected });
    }
  });

  test('the time that follows any instant is the first of the reference after it', () => {
    for (const { zone, day } of cases) {
      const from = Date.parse(day) - 14 * HOUR;
      const minutes = minutesOf(zone, from, from + 48 * HOUR);
      const all = {
        '*/15 * * * *': wildcardFires(minutes, (shown) => minute(shown) % 15 === 0),
        '*/15 1-2 * * *': fixedFires(
          minutes,
          (shown) => minute(shown) % 15 === 0 && [1, 2].includes(hour(shown)),
        ),
      };
      for (const [cron, fires] of Object.entries(all)) {
        for (let after = from; after < (fires.at(-1) ?? 0); after += 1_834_567) {
          const next = cronerCalendar.nextFire(cron, zone, after);
          expect({ zone, day, cron, after, next }).toEqual({
            zone,
            day,
            cron,
            after,
            next: fires.find((fire) => fire > after),
          });
        }
      }
    }
  });

  test('02:30 in Berlin fires at 03:00 in spring and once in autumn', () => {
    expect(iso(firesOf('30 2 * * *', 'Europe/Berlin', Date.UTC(2026, 2, 28), Date.UTC(2026, 2, 31)))).toEqual(
      ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    );
    expect(iso(firesOf('30 2 * * *', 'Europe/Berlin', Date.UTC(2026, 9, 25), Date.UTC(2026, 9, 26)))).toEqual(
      ['2026-10-25T00:30:00.000Z'],
    );
  });
});
