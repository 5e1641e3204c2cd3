import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExpressionError, parseExpression } from '../../../../src/adapters/shared/expressions/expression.ts';
import type { ExpressionValues } from '../../../../src/domain/workflow/expression.ts';
import { runsOf } from '../../../support/extent.ts';
import { minutesOf } from '../../calendar/reference.ts';

const roots = ['input', 'run', 'schedule'];

const values = {
  input: { t: '2026-11-24T08:00:00Z', n: 1, zone: 'Asia/Tokyo', bad: 'Moon/Crater', text: 'secret' },
  run: { created_at: new Date('2026-03-28T01:30:00.250Z'), started_at: null },
  schedule: { id: 's-1', fire_at: null, timezone: 'Europe/Berlin' },
} as const satisfies ExpressionValues;

const evaluate = (source: string, given: ExpressionValues = values) =>
  parseExpression(source, roots).evaluate(given);

function failure(use: () => unknown): string {
  try {
    use();
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('timestamps and durations', () => {
  test.each([
    ["timestamp('2026-11-24T09:00:00+01:00')", '2026-11-24T08:00:00.000Z'],
    ['timestamp(input.t)', '2026-11-24T08:00:00.000Z'],
    ['timestamp(1)', '1970-01-01T00:00:01.000Z'],
    ["timestamp(timestamp('2026-11-24T08:00:00.120456Z'))", '2026-11-24T08:00:00.120Z'],
    ['string(run.created_at)', '2026-03-28T01:30:00.250Z'],
    ["int(timestamp('1969-12-31T23:59:59.5Z'))", -1],
    [
      '[run.created_at, {"a": run.created_at}]',
      ['2026-03-28T01:30:00.250Z', { a: '2026-03-28T01:30:00.250Z' }],
    ],
    ["duration('1h30m')", '5400s'],
    ["duration('-1.5s')", '-1.5s'],
    ["duration('0.25s') + duration('1ms')", '0.251s'],
    ["timestamp(input.t) + duration('36h')", '2026-11-25T20:00:00.000Z'],
    ["duration('1m') + timestamp(input.t)", '2026-11-24T08:01:00.000Z'],
    ["timestamp(input.t) - duration('1s')", '2026-11-24T07:59:59.000Z'],
    ["timestamp(input.t) - timestamp('2026-11-24T07:00:00Z')", '3600s'],
    ["duration('1h') - duration('90m')", '-1800s'],
    ["duration('100h59m59.9s').getHours()", 100],
    ["duration('-90s').getMinutes()", -1],
    ["duration('1.5s').getSeconds() + duration('1.5s').getMilliseconds()", 1501],
    ["timestamp(input.t) > run.created_at && duration('1h') <= duration('60m')", true],
    ["timestamp(input.t) == timestamp('2026-11-24T09:00:00+01:00')", true],
    ["timestamp(input.t) == input.t || duration('1s') == 1", false],
    ["timestamp(input.t) in [timestamp('2026-11-24T08:00:00Z')]", true],
    ["timestamp(input.t) - run.created_at > duration('30h') ? 'late' : 'soon'", 'late'],
  ] as const)('%s', (source, wanted) => {
    expect(evaluate(source)).toEqual(wanted);
  });

  test.each([
    ["timestamp('2026-02-30T00:00:00Z')", 'timestamp() takes a time in RFC 3339'],
    ["timestamp('2026-11-24')", 'timestamp() takes a time in RFC 3339'],
    ["timestamp('0000-12-31T00:00:00Z')", 'a timestamp is not within the years 1 to 9999'],
    ["duration('1 hour')", 'duration() takes a text of numbers with the units h, m, s and ms'],
    ["duration('0.5ms')", 'duration() takes whole milliseconds'],
    ["duration('9999999999h')", 'a duration is longer than 10000 years'],
    ["date(run.created_at, 'Mars/Olympus')", 'there is no time zone "Mars/Olympus"'],
    ["date(run.created_at, '+02:00')", 'there is no time zone "+02:00"'],
    ["format(run.created_at, 'dd.MM.YYYY')", 'format() knows yyyy, MM, dd, HH, mm and ss, but not "YYYY"'],
    ["format(run.created_at, 'd.M.yy')", 'but not "d"'],
    ['add_days(run.created_at, 99999999)', 'add_days() takes an integer from -3652059 to 3652059'],
    ["date('2026-11-24T08:00:00Z')", 'date() takes a timestamp, not a text'],
    ['add_days(run.created_at)', 'add_days() takes 2 to 3 arguments, not 1'],
    ["timestamp('2026-11-24T08:00:00Z') + 1", '"+" does not take a timestamp and a number'],
    ["duration('1h') * 2", '"*" does not take a duration and a number'],
    ["duration('1h') < timestamp('2026-11-24T08:00:00Z')", '"<" does not take a duration and a timestamp'],
    ['now()', 'there is no function now()'],
  ])('%s is refused before it is evaluated', (source, message) => {
    expect(failure(() => parseExpression(source, roots))).toContain(message);
  });

  test.each([
    ['timestamp(input.text)', 'timestamp() takes a time in RFC 3339'],
    ['date(run.created_at, input.bad)', 'there is no such time zone'],
    ['date(schedule.fire_at)', 'date() takes a timestamp, not null; schedule.fire_at is null'],
    [
      'date(input.t)',
      'date() takes a timestamp, not a text; input.t is a text; timestamp() makes one of a text',
    ],
    ['weekday(run.started_at)', 'run.started_at is null'],
    ['add_days(run.created_at, input.t)', 'add_days() takes a number, not a text; input.t is a text'],
    ["timestamp('9999-12-31T23:00:00Z') + duration('2h')", 'a timestamp is not within the years 1 to 9999'],
    ["add_days(timestamp('0001-01-02T00:00:00Z'), -3)", 'a timestamp is not within the years 1 to 9999'],
    ["input.t + duration('1h')", '"+" does not take a text and a duration; input.t is a text'],
    [
      'format(run.created_at, input.text)',
      'format() knows yyyy, MM, dd, HH, mm and ss, but no other letters',
    ],
    ["format(run.created_at, 'd' + input.text)", 'but no other letters'],
  ])('%s fails', (source, message) => {
    const error = failure(() => evaluate(source));
    expect(error).toContain(message);
    expect(error).not.toMatch(/Crater|secret/);
  });

  test.each([
    ["date(run.created_at, 'UTC')", '2026-03-28'],
    ['date(run.created_at, input.zone)', '2026-03-28'],
    ["format(run.created_at, 'yyyyMMdd-HHmmss, dd/MM', 'Asia/Kathmandu')", '20260328-071500, 28/03'],
    ["format(run.created_at, 'HH:mm')", '02:30'],
    ["weekday(run.created_at, 'Pacific/Kiritimati')", 6],
    ["weekday(timestamp('2026-03-29T12:00:00Z'))", 7],
    ["weekday(timestamp('2026-03-30T12:00:00Z'))", 1],
    ['start_of_day(run.created_at)', '2026-03-27T23:00:00.000Z'],
    ["date(timestamp('0001-01-01T00:00:00Z'), 'America/New_York')", '0000-12-31'],
    ["date(timestamp('0050-06-01T00:00:00Z'), 'Europe/Berlin')", '0050-06-01'],
  ] as const)('%s is %j', (source, wanted) => {
    expect(evaluate(source)).toBe(wanted);
  });

  test('the zone is that of the schedule, and UTC without one', () => {
    const at = "format(timestamp('2026-07-01T22:30:00Z'), 'dd HH:mm')";
    const inZone = (timezone: string | null) =>
      evaluate(at, { schedule: { id: null, fire_at: null, timezone } });
    expect([inZone('Europe/Berlin'), inZone('America/New_York'), inZone(null)]).toEqual([
      '02 00:30',
      '01 18:30',
      '01 22:30',
    ]);
    expect(parseExpression(at, ['input']).evaluate({ input: {} })).toBe('01 22:30');
    expect(parseExpression(at, roots).references).toContainEqual(['schedule', 'timezone']);
  });

  test('the work of time zones is bounded', () => {
    const many = { ...values, input: { times: Array.from({ length: 20_000 }, (_, at) => at) } };
    const source = "input.times.map(t, add_days(timestamp(t), 1, 'Europe/Berlin')).size()";
    expect(failure(() => evaluate(source, many))).toContain('the expression takes too much work');
    const zones = { ...values, input: { zones: Intl.supportedValuesOf('timeZone').slice(0, 200) } };
    const each = 'input.zones.map(z, date(timestamp(0), z)).size()';
    expect(failure(() => evaluate(each, zones))).toContain('the expression takes too much work');
    expect(evaluate('input.zones.map(z, date(timestamp(0), input.zones[0])).size()', zones)).toBe(200);
  });
});

describe('days over a change of clocks', () => {
  test.each([
    // The gap of spring from 2:00 to 3:00, and the doubled hour of autumn.
    ['2026-03-28T01:30:00Z', 1, 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-03-27T23:30:00Z', 1, 'Europe/Berlin', '2026-03-28T23:30:00.000Z'],
    ['2026-03-28T08:00:00Z', 1, 'Europe/Berlin', '2026-03-29T07:00:00.000Z'],
    ['2026-10-24T00:30:00Z', 1, 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-10-26T01:30:00Z', -1, 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-03-07T07:30:00Z', 1, 'America/New_York', '2026-03-08T07:00:00.000Z'],
    ['2026-10-31T05:30:00Z', 1, 'America/New_York', '2026-11-01T05:30:00.000Z'],
    // Lord Howe moves its clocks by half an hour.
    ['2026-10-02T15:45:00Z', 1, 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['2026-04-03T14:45:00Z', 1, 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
    // Samoa had no 30 December 2011.
    ['2011-12-29T18:00:00Z', 1, 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2011-12-29T18:00:00Z', 2, 'Pacific/Apia', '2011-12-30T18:00:00.000Z'],
    ['2026-11-24T08:00:00Z', 400, 'Asia/Kathmandu', '2027-12-29T08:00:00.000Z'],
  ])('%s and %i days in %s', (from, days, zone, wanted) => {
    expect(evaluate(`add_days(timestamp('${from}'), ${days}, '${zone}')`)).toBe(wanted);
  });

  test('none of them changes nothing, also within the second of two hours', () => {
    expect(evaluate("add_days(timestamp('2026-10-25T01:30:00Z'), 0, 'Europe/Berlin')")).toBe(
      '2026-10-25T01:30:00.000Z',
    );
  });

  test('a day begins at its first instant', () => {
    const startIn = (time: string, zone: string) => evaluate(`start_of_day(timestamp('${time}'), '${zone}')`);
    // In São Paulo the clocks went from 0:00 to 1:00, and in spring from 0:00 to 23:00 of the day before.
    expect(startIn('2018-11-04T12:00:00Z', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z');
    expect(startIn('2018-02-18T12:00:00Z', 'America/Sao_Paulo')).toBe('2018-02-18T03:00:00.000Z');
    expect(startIn('2011-12-31T12:00:00Z', 'Pacific/Apia')).toBe('2011-12-31T10:00:00.000Z');
  });

  const zones = {
    'Europe/Berlin': '2026-03-27T00:00:00Z',
    'America/New_York': '2026-10-30T00:00:00Z',
    'Australia/Lord_Howe': '2026-10-01T00:00:00Z',
    'Pacific/Apia': '2011-12-28T00:00:00Z',
    'Asia/Kathmandu': '1985-12-30T00:00:00Z',
  };
  const cases = Object.entries(zones).map(([zone, from]) => {
    const start = Date.parse(from);
    return { zone, minutes: minutesOf(zone, start, start + 5 * 86_400_000) };
  });

  test('they agree with a walk over all minutes of the zone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.integer({ min: 1_440, max: 3 * 1_440 }),
        fc.integer({ min: -1, max: 1 }),
        ({ zone, minutes }, at, days) => {
          const { instant = 0, shown = 0 } = minutes[at] ?? {};
          const time = `timestamp('${new Date(instant).toISOString()}')`;
          const first = (wanted: number) => minutes.find((minute) => minute.shown >= wanted)?.instant ?? 0;
          const shownDay = new Date(shown).toISOString();
          expect(evaluate(`date(${time}, '${zone}')`)).toBe(shownDay.slice(0, 10));
          expect(evaluate(`format(${time}, 'yyyy-MM-dd HH:mm', '${zone}')`)).toBe(
            shownDay.slice(0, 16).replace('T', ' '),
          );
          const isOther = days !== 0;
          const wanted = isOther ? first(shown + days * 86_400_000) : instant;
          expect(evaluate(`int(add_days(${time}, ${days}, '${zone}')) * 1000`)).toBe(wanted);
          const midnight = Math.floor(shown / 86_400_000) * 86_400_000;
          expect(evaluate(`int(start_of_day(${time}, '${zone}')) * 1000`)).toBe(first(midnight));
        },
      ),
      { numRuns: runsOf(300, 5_000) },
    );
  });
});
