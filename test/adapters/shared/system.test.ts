import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIds, systemClock } from '../../../src/adapters/shared/system.ts';

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The milliseconds in an identifier. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

describe('identifiers', () => {
  test('are UUIDs of version 7 with the time of their creation', () => {
    const newId = createIds();
    const before = Date.now();
    const id = newId();
    expect(id).toMatch(uuidV7);
    expect(timeOf(id)).toBeGreaterThanOrEqual(before);
    expect(timeOf(id)).toBeLessThanOrEqual(Date.now() + 1);
  });

  test('are unique, and sort in the order of their creation', () => {
    const newId = createIds();
    const ids = Array.from({ length: 100_000 }, newId);
    expect(ids.every((id) => uuidV7.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(100_000);
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ''))).toBe(true);
  });

  test('are unique and ordered within one millisecond, however many they are', () => {
    const newId = createIds(() => 1_700_000_000_000);
    const ids = Array.from({ length: 10_000 }, newId);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(10_000);
    expect(timeOf(ids[0] ?? '')).toBe(1_700_000_000_000);
    expect(timeOf(ids.at(-1) ?? '')).toBe(1_700_000_000_002);
  });

  test('keep their order when the wall clock jumps', () => {
    const times = fc.array(fc.integer({ min: 0, max: 2 ** 47 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(times, (ticks) => {
        let tick = 0;
        const newId = createIds(() => ticks[tick++ % ticks.length] ?? 0);
        const ids = Array.from({ length: 300 }, newId);
        expect(ids.every((id) => uuidV7.test(id))).toBe(true);
        expect([...new Set(ids)].sort()).toEqual(ids);
      }),
    );
  });

  test('continue from the last time when the clock goes back an hour, and follow it again later', () => {
    let now = 1_700_000_000_000;
    const newId = createIds(() => now);
    const before = newId();
    now -= 3_600_000;
    const during = newId();
    now += 3_600_005;
    const after = newId();
    expect([before, during, after]).toEqual([before, during, after].sort());
    expect(timeOf(during)).toBe(1_700_000_000_000);
    expect(timeOf(after)).toBe(1_700_000_000_005);
  });

  test('are well-formed at time 0', () => {
    expect(createIds(() => 0)()).toMatch(uuidV7);
  });

  test('of different sources differ, even within one millisecond', () => {
    const sources = Array.from({ length: 1_000 }, () => createIds(() => 1_700_000_000_000));
    expect(new Set(sources.map((newId) => newId())).size).toBe(1_000);
  });

  test('have evenly distributed random digits', () => {
    const newId = createIds();
    const counts = new Map<string, number>();
    for (let count = 0; count < 20_000; count++) {
      for (const digit of newId().slice(24)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    const expected = (20_000 * 12) / 16;
    expect(counts.size).toBe(16);
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected / 10);
  });
});

describe('the system clock', () => {
  test('has the wall-clock time, and a monotonic time', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
    const times = Array.from({ length: 1_000 }, () => systemClock.monotonic());
    expect([...times].sort((one, other) => one - other)).toEqual(times);
  });

  test('runs work once, after the given time', async () => {
    const started = systemClock.monotonic();
    let runs = 0;
    await new Promise<void>((resolve) => {
      systemClock.after(5, () => {
        runs += 1;
        resolve();
      });
    });
    expect(runs).toBe(1);
    expect(systemClock.monotonic() - started).toBeGreaterThanOrEqual(4);
  });

  test('does not run canceled work, and can be canceled twice', async () => {
    let ran = false;
    const cancel = systemClock.after(0, () => {
      ran = true;
    });
    cancel();
    cancel();
    await new Promise<void>((resolve) => void systemClock.after(5, resolve));
    expect(ran).toBe(false);
  });
});
