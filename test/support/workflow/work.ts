import { expect } from 'vitest';
import type { FakeClock } from '../fake-clock.ts';
import { countPromises } from '../work/count-promises.ts';

/** What is counted while something is done; unlike a time, the same on every machine. */
export interface Work {
  readonly promises: number;
  /** How often either clock was asked. */
  readonly looks: number;
  /** Timers that were set. */
  readonly timers: number;
  /** Timers that are left when all is done, but for the one that lets others have their turn. */
  readonly left: number;
}

/** Counts what `work` does under a clock. */
export async function workOf(
  clock: Pick<FakeClock, 'now' | 'monotonic' | 'waits' | 'pending'>,
  work: () => unknown,
) {
  let looks = 0;
  const { now, monotonic } = clock;
  const timersBefore = clock.waits.length;
  const pendingBefore = clock.pending();
  Object.assign(clock, {
    now: () => {
      looks++;
      return now();
    },
    monotonic: () => {
      looks++;
      return monotonic();
    },
  });
  const promises = await countPromises(work);
  Object.assign(clock, { now, monotonic });
  const timers = clock.waits.length - timersBefore;
  return { promises, looks, timers, left: clock.pending() - pendingBefore };
}

/** What each further thing takes, where 100 and 200 of them were done. */
export function ofEach(hundred: Work, twoHundred: Work): Work {
  const each = (count: keyof Work): number => (twoHundred[count] - hundred[count]) / 100;
  return { promises: each('promises'), looks: each('looks'), timers: each('timers'), left: each('left') };
}

/** Fails where one of the counts is larger. */
export function expectAtMost(work: Work, most: Work): void {
  for (const count of ['promises', 'looks', 'timers', 'left'] as const) {
    expect.soft(work[count], count).toBeLessThanOrEqual(most[count]);
  }
}
