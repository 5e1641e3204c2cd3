import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../../src/application/runs/simulate/virtual-clock.ts';

test('timers come in the order of their time, then in that in which they were set, without the cancelled ones', () => {
  const timer = fc.record({ ms: fc.nat(20), isCancelled: fc.boolean() });
  fc.assert(
    fc.property(fc.array(timer, { maxLength: 60 }), (timers) => {
      const clock = createVirtualClock(1_000);
      const seen: number[] = [];
      const cancels = timers.map(({ ms }, index) => clock.after(ms, () => seen.push(index)));
      for (const [index, { isCancelled }] of timers.entries()) if (isCancelled) cancels[index]?.();
      for (let work = clock.next(); work !== undefined; work = clock.next()) {
        work();
        expect(clock.monotonic()).toBe(timers[seen.at(-1) ?? -1]?.ms);
      }
      const expected = [...timers.entries()]
        .filter(([, { isCancelled }]) => !isCancelled)
        .sort(([, one], [, other]) => one.ms - other.ms)
        .map(([index]) => index);
      expect(seen).toEqual(expected);
    }),
  );
});

test('a timer that is set while time passes counts from then on, and wall-clock time has no fractions', () => {
  const clock = createVirtualClock(1_000);
  let at: number | undefined;
  clock.after(1.5, () => clock.after(2, () => (at = clock.monotonic())));
  clock.next()?.();
  expect([clock.now(), clock.monotonic()]).toEqual([1_001, 1.5]);
  clock.next()?.();
  expect(at).toBe(3.5);
  expect(clock.next()).toBeUndefined();
});
