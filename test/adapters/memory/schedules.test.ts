import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { createMemoryFireQueue } from '../../../src/adapters/memory/schedules/fire-queue.ts';
import { createMemoryStorage } from '../../../src/adapters/memory-storage.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { fireQueueContract } from '../../contracts/fire-queue.ts';
import { sampleSchedule } from '../../contracts/schedule-store-samples.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const DAY = 86_400_000;

fireQueueContract('memory', async () => createMemoryFireQueue(systemClock));

test('a store of schedules refuses what does not fit into its bytes, until one is deleted', async () => {
  const { length } = JSON.stringify(sampleSchedule('a'));
  // A row takes some bytes beside its JSON.
  const store = createMemoryStorage({ limits: { scheduleBytes: 2 * (length + 256) } }).schedules;
  for (const id of ['a', 'b']) await store.create(sampleSchedule(id));
  await expect(store.create(sampleSchedule('c'))).rejects.toMatchObject({ code: 'conflict' });
  await store.delete('b');
  await store.create(sampleSchedule('c'));
});

describe('a queue of fires in memory', () => {
  test('wakes after years, with no timer of more than a day', async () => {
    const clock = createFakeClock();
    const queue = createMemoryFireQueue(clock);
    const woken: string[] = [];
    queue.process(async (scheduleId) => void woken.push(scheduleId));
    await queue.add({ scheduleId: 'a', at: clock.now() + 800.5 * DAY });
    await clock.advance(800 * DAY);
    expect(woken).toEqual([]);
    await clock.advance(DAY);
    expect(woken).toEqual(['a']);
    expect(Math.max(...clock.waits)).toBe(DAY);
    expect(clock.pending()).toBe(0);
  });

  test('wakes in its own context, not in that of who added the wake', async () => {
    const clock = createFakeClock();
    const context = new AsyncLocalStorage<string>();
    const queue = createMemoryFireQueue(clock);
    const seen: (string | undefined)[] = [];
    queue.process(async () => void seen.push(context.getStore()));
    await context.run('a request', () => queue.add({ scheduleId: 'a', at: clock.now() + 1 }));
    await clock.advance(1);
    expect(seen).toEqual([undefined]);
  });

  test('leaves no timer when it is closed', async () => {
    const clock = createFakeClock();
    const queue = createMemoryFireQueue(clock);
    for (const days of [1, 100]) await queue.add({ scheduleId: 'a', at: clock.now() + days * DAY });
    await queue.close();
    expect(clock.pending()).toBe(0);
  });
});
