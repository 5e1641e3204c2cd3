import { describe, expect, test } from 'vitest';
import { backoffMs } from '../../../src/lib/async/backoff.ts';
import { sleep } from '../../../src/lib/async/sleep.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';

describe('sleep', () => {
  test('resolves after its time, and no sooner', async () => {
    const clock = createFakeClock();
    let awake = false;
    const sleeping = sleep(clock, 50).then(() => {
      awake = true;
    });
    await clock.advance(49);
    expect(awake).toBe(false);
    await clock.advance(1);
    await sleeping;
    expect(awake).toBe(true);
  });

  test('resolves at once when its signal is aborted, and leaves no timer', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 50, controller.signal);
    controller.abort();
    await sleeping;
    expect(clock.pending()).toBe(0);
  });

  test('does not wait for a signal that was aborted before', async () => {
    const clock = createFakeClock();
    await sleep(clock, 50, AbortSignal.abort());
    await settle();
    expect(clock.waits).toEqual([]);
  });
});

describe('the back-off', () => {
  test('doubles from 100 ms to at most 2 s, with full jitter', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7].map((attempt) => backoffMs(attempt, () => 1));
    expect(longest).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
    expect(backoffMs(3, () => 0)).toBe(0);
    expect(backoffMs(3, () => 0.5)).toBe(200);
  });
});
