import { describe, expect, test } from 'vitest';
import { createInFlight } from '../../../src/lib/async/in-flight.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';

/** True for a promise that has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  await settle();
  return settled;
}

describe('work under way', () => {
  test('comes to what it would come to untracked', async () => {
    const inFlight = createInFlight(createFakeClock());
    await expect(inFlight.track(Promise.resolve(1))).resolves.toBe(1);
    await expect(inFlight.track(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  test('lets a shutdown pass at once when there is none, and leaves no timer', async () => {
    const clock = createFakeClock();
    const inFlight = createInFlight(clock);
    await inFlight.track(Promise.resolve());
    await Promise.allSettled([inFlight.track(Promise.reject(new Error('no')))]);
    await inFlight.close(1_000);
    expect(inFlight.signal.aborted).toBe(false);
    expect(clock.pending()).toBe(0);
  });

  test('is waited for by a shutdown, and not interrupted within its grace', async () => {
    const clock = createFakeClock();
    const inFlight = createInFlight(clock);
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    inFlight.track(one.promise);
    inFlight.track(other.promise).catch(() => {});
    const closed = inFlight.close(1_000);
    await clock.advance(999);
    one.resolve();
    expect(await isSettled(closed)).toBe(false);
    other.reject(new Error('ends too'));
    await closed;
    expect(inFlight.signal.aborted).toBe(false);
    await clock.advance(10_000);
    expect(inFlight.signal.aborted).toBe(false);
  });

  test('is interrupted when the grace is over, and waited for until it has recorded itself', async () => {
    const clock = createFakeClock();
    const inFlight = createInFlight(clock);
    const { promise, resolve } = Promise.withResolvers<void>();
    inFlight.track(promise);
    const closed = inFlight.close(1_000);
    await clock.advance(1_000);
    expect(inFlight.signal.aborted).toBe(true);
    expect(await isSettled(closed)).toBe(false);
    resolve();
    await closed;
  });

  test('that begins during a shutdown is waited for too', async () => {
    const clock = createFakeClock();
    const inFlight = createInFlight(clock);
    const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    inFlight.track(early.promise);
    const closed = inFlight.close(1_000);
    inFlight.track(late.promise);
    early.resolve();
    expect(await isSettled(closed)).toBe(false);
    late.resolve();
    await closed;
  });

  test('may be closed twice, the second time with less grace', async () => {
    const clock = createFakeClock();
    const inFlight = createInFlight(clock);
    const { promise, resolve } = Promise.withResolvers<void>();
    inFlight.track(promise);
    const closed = [inFlight.close(10_000), inFlight.close(10)];
    await clock.advance(10);
    expect(inFlight.signal.aborted).toBe(true);
    resolve();
    await Promise.all(closed);
    expect(clock.pending()).toBe(0);
  });
});
