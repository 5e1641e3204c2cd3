import { expect, test } from 'vitest';
import { cronerCalendar } from '../../../src/adapters/calendar/calendar.ts';
import { keepLast } from '../../../src/adapters/shared/keep-last.ts';

test('the values that were asked for last are kept, and the others made anew', () => {
  let made = 0;
  const find = keepLast(2, (key) => `${key}${++made}`);
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(find)).toEqual(['a1', 'b2', 'a1', 'c3', 'a1', 'b4']);
});

test('what throws is not kept', () => {
  let isReady = false;
  const find = keepLast(2, (key) => {
    if (!isReady) throw new RangeError(key);
    return key;
  });
  expect(() => find('a')).toThrow(RangeError);
  isReady = true;
  expect(find('a')).toBe('a');
});

test('a calendar finds the same dates after many other expressions and zones', () => {
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 100);
  const datesIn = (zone: string, index: number) =>
    [`${index % 60} 9 * * *`, `${index % 60} * * * *`].map((cron) =>
      cronerCalendar.nextFire(cron, zone, 1e12),
    );
  expect(zones.map(datesIn)).toEqual(zones.map(datesIn));
  expect(new Set(zones.flatMap(datesIn)).size).toBeGreaterThan(100);
});

test('a calendar throws for an expression that its check refuses', () => {
  for (const cron of ['', '0', '0 9 * *']) {
    expect(() => cronerCalendar.nextFire(cron, 'UTC', 0)).toThrow();
  }
});
