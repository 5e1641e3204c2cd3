import { describe, expect, test } from 'vitest';
import { lastFireUntil } from '../../../src/domain/schedule/fire-times.ts';
import { unhandledAfter } from '../../../src/domain/schedule/fires.ts';
import { sampleSchedule } from '../../contracts/schedule-store-samples.ts';

/** Fire times that are given as a sorted list. */
const listed = (times: readonly number[]) => (after: number) => times.find((time) => time > after) ?? null;

describe('the last fire time up to now', () => {
  test.each([
    [[1_000], 1_000],
    [[1_000, 2_000], 2_000],
    [[1_000, 1_001, 1_002], 1_002],
    [[1_000, 1_001, 9_000], 9_000],
    [[1_000, 5_000, 10_001], 5_000],
    [[1_000, 10_000], 10_000],
    [[1_000, 10_001], 1_000],
  ])('of %j up to 10000 is %i', (times, expected) => {
    expect(lastFireUntil(listed(times), 1_000, 10_000)).toBe(expected);
  });

  test('is found for any list', () => {
    let state = 1;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let round = 0; round < 500; round++) {
      const times = Array.from({ length: 1 + random(20) }, () => random(1_000)).sort((a, b) => a - b);
      const [first = 0] = times;
      const now = first + random(1_200);
      expect(lastFireUntil(listed(times), first, now)).toBe(times.findLast((time) => time <= now));
    }
  });

  test('takes few calls, however many have passed', () => {
    let calls = 0;
    const everyMinute = (after: number) => {
      calls++;
      return (Math.floor(after / 60_000) + 1) * 60_000;
    };
    const century = 3_155_760_000_000;
    expect(lastFireUntil(everyMinute, 60_000, century + 1)).toBe(century);
    expect(calls).toBeLessThan(60);
  });
});

test('what was handled by a clock ahead is not handled again, unless that clock was wrong', () => {
  const handled = (handledUntil: number | null) =>
    unhandledAfter(sampleSchedule('a', { handledUntil }), 10_000_000);
  expect([null, 9_000_000, 10_005_000, 13_600_000, 13_600_001].map(handled)).toEqual([
    ...[10_000_000, 10_000_000, 10_005_000, 13_600_000, 10_000_000],
  ]);
});
