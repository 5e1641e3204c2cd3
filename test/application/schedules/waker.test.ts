import { expect, test } from 'vitest';
import { createMemoryFireQueue } from '../../../src/adapters/memory/schedules/fire-queue.ts';
import { createWaker } from '../../../src/application/schedules/waker.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { testPorts } from '../../support/ports.ts';

test('looks after a few of many due schedules at a time, and after each of them once', async () => {
  const clock = createFakeClock();
  const ids = Array.from({ length: 100 }, (_, index) => `schedule-${index}`);
  const { ports } = testPorts({ clock });
  const schedules = {
    ...ports.schedules,
    due: async () =>
      ids.flatMap((scheduleId) => (settled.has(scheduleId) ? [] : [{ scheduleId, at: clock.now() }])),
  };
  const settled = new Set<string>();
  const begun: string[] = [];
  const held: (() => void)[] = [];
  const settle = async (scheduleId: string) => {
    begun.push(scheduleId);
    await new Promise<void>((resolve) => held.push(resolve));
    settled.add(scheduleId);
    return undefined;
  };
  const waker = createWaker({ ...ports, schedules, fireQueue: createMemoryFireQueue(clock) }, { settle });
  waker.start();
  // The next sweeps do not begin while this one goes on.
  await clock.advance(120_000);
  expect(begun).toEqual(ids.slice(0, 16));
  while (begun.length < 100) {
    for (const resolve of held.splice(0)) resolve();
    await clock.advance(0);
  }
  for (const resolve of held.splice(0)) resolve();
  await clock.advance(0);
  // The sweep that came meanwhile finds nothing any more.
  expect(begun).toEqual(ids);
  settled.clear();
  await clock.advance(30_000);
  expect(begun).toHaveLength(116);
  const closing = waker.close();
  for (const resolve of held.splice(0)) resolve();
  await closing;
});
