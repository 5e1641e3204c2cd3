import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HoursDefinition } from '../../../src/adapters/playbook/definition.ts';
import { compileHours, compileSla, createDueAt } from '../../../src/adapters/playbook/hours.ts';
import type { WorkingHours } from '../../../src/domain/playbook/playbook.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** When an item is due that may take `slaMs`. */
function due(openedAt: string | number, slaMs: number, hours: HoursDefinition | WorkingHours | undefined) {
  const compiled = hours === undefined || 'days' in hours ? hours : compileHours(hours);
  const limit = { within: slaMs, hours: 'opening' } as const;
  const dueAt = createDueAt(compiled, { 1: limit, 2: limit, 3: limit, 4: limit, 5: limit });
  return dueAt(typeof openedAt === 'number' ? openedAt : Date.parse(openedAt), 3);
}

const iso = (time: number) => new Date(time).toISOString();

describe('the due time of an item', () => {
  const berlin: HoursDefinition = { timezone: 'Europe/Berlin', weekdays: '08:00-17:00' };

  test('is that of its priority', () => {
    const dueAt = createDueAt(undefined, compileSla({ 1: '10m' }));
    expect(dueAt(0, 1)).toBe(10 * MINUTE);
    expect(dueAt(0, 2)).toBe(2 * HOUR);
  });

  test.each([
    ['within a day', '2026-01-14T09:00:00.000Z', 2 * HOUR, '2026-01-14T11:00:00.000Z'],
    ['up to the end of a day', '2026-01-14T15:00:00.000Z', HOUR, '2026-01-14T16:00:00.000Z'],
    ['before the hours', '2026-01-14T03:00:00.000Z', HOUR, '2026-01-14T08:00:00.000Z'],
    ['over night', '2026-01-14T15:30:00.500Z', HOUR, '2026-01-15T07:30:00.500Z'],
    ['over a weekend', '2026-01-16T15:00:00.000Z', 4 * HOUR, '2026-01-19T10:00:00.000Z'],
    ['over several days', '2026-01-14T07:00:00.000Z', 24 * HOUR, '2026-01-16T13:00:00.000Z'],
    ['over the change to summer time', '2026-03-27T16:00:00.000Z', HOUR, '2026-03-30T07:00:00.000Z'],
    ['over the change to winter time', '2026-10-23T15:00:00.000Z', HOUR, '2026-10-26T08:00:00.000Z'],
  ])('counts only time within the hours: %s', (_name, openedAt, sla, expected) => {
    expect(iso(due(openedAt, sla, berlin))).toBe(expected);
  });

  test('counts all time without hours, and without any day of work', () => {
    const closed = { timezone: 'Europe/Berlin' };
    expect(due('2026-01-17T00:00:00.000Z', HOUR, undefined)).toBe(Date.parse('2026-01-17T01:00:00.000Z'));
    expect(due('2026-01-17T00:00:00.000Z', HOUR, closed)).toBe(Date.parse('2026-01-17T01:00:00.000Z'));
  });

  test.each([
    ['at night', '2026-01-14T22:00:00.000Z', '15m', '2026-01-14T22:15:00.000Z'],
    ['on a weekend', '2026-01-17T03:00:00.000Z', '2h', '2026-01-17T05:00:00.000Z'],
    ['over the change to summer time', '2026-03-29T00:50:00.000Z', '1h', '2026-03-29T01:50:00.000Z'],
    ['in the hour that the clock repeats', '2026-10-25T00:30:00.000Z', '1d', '2026-10-26T00:30:00.000Z'],
  ])('counts all time where its limit says so: %s', (_name, openedAt, within, expected) => {
    const sla = compileSla({
      1: { within, hours: 'always' },
      2: { within, hours: 'opening' },
      3: { within },
    });
    const dueAt = createDueAt(compileHours(berlin), sla);
    const opened = Date.parse(openedAt);
    expect(iso(dueAt(opened, 1))).toBe(expected);
    const inHours = compileSla({ 2: within });
    expect(dueAt(opened, 2)).toBe(createDueAt(compileHours(berlin), inHours)(opened, 2));
    expect(dueAt(opened, 2)).toBeGreaterThan(dueAt(opened, 1));
    expect(dueAt(opened, 3)).toBe(dueAt(opened, 2));
  });

  test('counts whole days, of which two have another length', () => {
    const whole = '00:00-24:00';
    const always = { timezone: 'Europe/Berlin', weekdays: whole, saturday: whole, sunday: whole };
    for (const openedAt of ['2026-03-28T12:00:00.000Z', '2026-10-24T12:00:00.000Z']) {
      expect(due(openedAt, 2 * DAY, always)).toBe(Date.parse(openedAt) + 2 * DAY);
    }
  });

  test('is at most ten years ahead', () => {
    const openedAt = Date.parse('2026-01-14T09:00:00.000Z');
    const rare = { timezone: 'Europe/Berlin', sunday: '10:00-10:01' };
    expect(due(openedAt, 9_999 * DAY, rare)).toBe(openedAt + 3_650 * DAY);
  });

  test('does not depend on what was asked before', () => {
    const dueAt = createDueAt(compileHours(berlin), compileSla({ 4: '5d' }));
    const times = ['2030-06-01', '2026-03-20', '2027-10-28', '2026-03-20', '2010-03-20'].map((day) =>
      Date.parse(`${day}T12:00:00Z`),
    );
    for (const time of times) expect(iso(dueAt(time, 4))).toBe(iso(due(time, 5 * DAY, berlin)));
  });
});

/** Local times, asked for minute by minute. */
function createOracle(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const known = new Map<number, readonly [number, number]>();
  const localAt = (minute: number): readonly [number, number] => {
    let found = known.get(minute);
    if (found === undefined) {
      const text = format.format(minute * MINUTE);
      const [hours = 0, minutes = 0] = text.slice(-5).split(':').map(Number);
      found = [names.indexOf(text.slice(0, 3)), hours * 60 + minutes];
      known.set(minute, found);
    }
    return found;
  };
  return (openedAt: number, slaMs: number, { days }: WorkingHours): number => {
    let minute = openedAt / MINUTE;
    for (let left = slaMs / MINUTE; left > 0; minute++) {
      const [weekday, time] = localAt(minute);
      const work = days[weekday];
      if (work != null && time >= work.from && time < work.to) left--;
    }
    return minute * MINUTE;
  };
}

const workOfDay = fc.option(
  fc
    .uniqueArray(fc.nat(24 * 60), { minLength: 2, maxLength: 2 })
    .map(([a = 0, b = 0]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
    .filter(({ from, to }) => to - from >= 60),
);

describe('due times around a change of the clock', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['America/New_York', '2026-03-08T07:00:00Z'],
    ['America/New_York', '2026-11-01T06:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ])('are those of a count of minutes: %s %s', (timezone, change) => {
    const oracle = createOracle(timezone);
    const days = fc.array(workOfDay, { minLength: 7, maxLength: 7 }).filter((all) => all.some(Boolean));
    const opened = fc.integer({ min: -3 * 24 * 60, max: 24 * 60 });
    fc.assert(
      fc.property(days, opened, fc.integer({ min: 1, max: 300 }), (work, minutes, sla) => {
        const openedAt = Date.parse(change) + minutes * MINUTE;
        const hours = { timezone, days: work };
        expect(iso(due(openedAt, sla * MINUTE, hours))).toBe(iso(oracle(openedAt, sla * MINUTE, hours)));
      }),
      { numRuns: 100 },
    );
  });
});
