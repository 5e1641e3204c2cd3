import { describe, expect, test } from 'vitest';
import { cronerCalendar } from '../../../src/adapters/calendar/calendar.ts';

const problemsOf = (cron: string, timezone = 'UTC') =>
  cronerCalendar.check(cron, timezone).map(({ member, problem }) => `${member}: ${problem}`);

describe('the check of a cron expression', () => {
  test.each([
    ...['* * * * *', '*/5 0-6/2 1,15 JAN-mar,12 MON-FRI', '0 9 * * 7', '0 9 * * 0', '59 23 31 12 *'],
    ...[
      '0 0 L * *',
      '0 0 LW * *',
      '0 0 15W * *',
      '0 9 * * 1#2',
      '0 9 * * FRI#L',
      '0 0 29 2 *',
      ' 0  9 * * * ',
    ],
  ])('accepts %j, and finds a date', (cron) => {
    expect(problemsOf(cron)).toEqual([]);
    expect(cronerCalendar.nextFire(cron, 'Europe/Berlin', 0)).toBeGreaterThan(0);
  });

  test.each([
    ['', 'cron: must have five fields (minute, hour, day of the month, month, day of the week), not 0'],
    [
      '0 9 * *',
      'cron: must have five fields (minute, hour, day of the month, month, day of the week), not 4',
    ],
    [
      '0 0 9 * * *',
      'cron: must have five fields (minute, hour, day of the month, month, day of the week), not 6',
    ],
    ['@daily', 'cron: must have five fields (minute, hour, day of the month, month, day of the week), not 1'],
    ['60 * * * *', 'cron: the minute 60 is not between 0 and 59'],
    ['0 22-24 * * *', 'cron: the hour 24 is not between 0 and 23'],
    ['0 0 0 * *', 'cron: the day of the month 0 is not between 1 and 31'],
    ['0 0 1 1,13 *', 'cron: the month 13 is not between 1 and 12'],
    ['0 0 * * 8', 'cron: the day of the week 8 is not between 0 and 7'],
    ['0 0 * * +1', 'cron: the day of the week has a character that means nothing there'],
    ['? * * * *', 'cron: the minute has a character that means nothing there'],
    ['0 0 30 2 *', 'cron: names dates that never come'],
    ['0 0 31 2,4,6,9,11 *', 'cron: names dates that never come'],
  ])('refuses %j with a reason', (cron, problem) => {
    expect(problemsOf(cron)).toEqual([problem]);
  });

  test.each([
    ...['x * * * *', '-1 * * * *', '*/0 * * * *', '5/15 * * * *', '9-5 * * * *', '* L * * *', '0 0 * * 1#6'],
    ...['1,,2 * * * *', '0 0 * FOO *', '1-2-3 * * * *', '*/ * * * *', '/ * * * *', '0 0 * * L'],
  ])('refuses %j as croner does', (cron) => {
    expect(problemsOf(cron)).toEqual([expect.stringMatching(/^cron: cannot be read: /)]);
  });

  test('refuses what is too long, and reads nothing of it', () => {
    expect(problemsOf(`${'0,'.repeat(100_000)}0 * * * *`)).toEqual([
      'cron: must have at most 200 characters',
    ]);
    expect(problemsOf('* * * * *', 'x'.repeat(100_000))).toHaveLength(1);
  });
});

describe('the check of a time zone', () => {
  test.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'Etc/GMT+5', 'America/Argentina/Ushuaia'])(
    'accepts %j',
    (timezone) => {
      expect(problemsOf('0 9 * * *', timezone)).toEqual([]);
      expect(cronerCalendar.nextFire('0 9 * * *', timezone, 0)).toBeGreaterThan(0);
    },
  );

  test.each(['', 'Europe/Berlln', '+02:00', '__proto__', 'Europe/Berlin ', 'local', '../UTC'])(
    'refuses %j',
    (timezone) => {
      expect(problemsOf('0 9 * * *', timezone)).toEqual([
        'timezone: must be the name of an IANA time zone, such as Europe/Berlin',
      ]);
    },
  );

  test('tells what is wrong with both members', () => {
    expect(problemsOf('x', 'y')).toHaveLength(2);
  });
});
