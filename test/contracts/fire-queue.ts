import { describe, expect, test } from 'vitest';
import type { FireQueue } from '../../src/ports/storage/fire-queue.ts';
import { until } from '../support/until.ts';
import { hostileIds } from './inbox-store-samples.ts';

/** Long enough for a wake that must not come to be seen coming. */
const pause = (ms = 300) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls the handler of a queue has got, which run until the test ends them. */
function recordWakes(queue: FireQueue, { held = false } = {}) {
  const woken: string[] = [];
  const open: (() => void)[] = [];
  queue.process((scheduleId) => {
    woken.push(scheduleId);
    return held ? new Promise<void>((resolve) => open.push(resolve)) : Promise.resolve();
  });
  return {
    woken,
    /** Ends the handlers that run. */
    end: () => {
      for (const resolve of open.splice(0)) resolve();
    },
  };
}

/**
 * The promises of every queue of fires, by the system's clock. `make` creates a queue of its own, which the test closes
 * or the tests of the adapter do.
 */
export function fireQueueContract(name: string, make: () => Promise<FireQueue>): void {
  describe(`${name} as a queue of fires`, () => {
    test('wakes at the time, in the order of the times', async () => {
      const queue = await make();
      const { woken } = recordWakes(queue);
      const now = Date.now();
      await queue.add({ scheduleId: 'b', at: now + 900 });
      await queue.add({ scheduleId: 'c', at: now + 1_500 });
      await queue.add({ scheduleId: 'a', at: now + 400 });
      expect(woken).toEqual([]);
      await until('all have woken', () => woken.length === 3);
      expect(Date.now()).toBeGreaterThanOrEqual(now + 1_400);
      expect(woken).toEqual(['a', 'b', 'c']);
      await queue.close();
    });

    test('wakes at once for a time that has passed', async () => {
      const queue = await make();
      const { woken } = recordWakes(queue);
      await queue.add({ scheduleId: 'a', at: 0 });
      await queue.add({ scheduleId: 'b', at: Date.now() - 1 });
      await until('both have woken', () => woken.length === 2);
      await queue.close();
    });

    test('wakes once for a wake that is added twice, and for each time of a schedule', async () => {
      const queue = await make();
      const { woken } = recordWakes(queue);
      const at = Date.now() + 2_000;
      for (let round = 0; round < 5; round++) await queue.add({ scheduleId: 'a', at });
      await queue.add({ scheduleId: 'a', at: at + 100 });
      await queue.add({ scheduleId: 'b', at });
      await until('all have woken', () => woken.length >= 3);
      await pause();
      expect(woken.toSorted()).toEqual(['a', 'a', 'b']);
      await queue.close();
    });

    test('wakes again for a wake that is added after it was handled', async () => {
      const queue = await make();
      const { woken } = recordWakes(queue);
      const at = Date.now();
      for (const count of [1, 2, 3]) {
        await until(`it has woken ${count} times`, async () => {
          await queue.add({ scheduleId: 'a', at });
          await pause(50);
          return woken.length >= count;
        });
      }
      await queue.close();
    });

    test('wakes schedules of any id', async () => {
      const queue = await make();
      const { woken } = recordWakes(queue);
      const at = Date.now();
      for (const scheduleId of hostileIds) await queue.add({ scheduleId, at });
      await until('all have woken', () => woken.length >= hostileIds.length);
      expect(woken.toSorted()).toEqual(hostileIds.toSorted());
      await queue.close();
    });

    test('takes times that are centuries off', async () => {
      const queue = await make();
      const { woken } = recordWakes(queue);
      for (const days of [24.8, 24.9, 50, 366, 365 * 300]) {
        await queue.add({ scheduleId: 'far', at: Date.now() + Math.round(days * 86_400_000) });
      }
      await pause();
      expect(woken).toEqual([]);
      await queue.close();
    });

    test('wakes for one schedule while it handles another', async () => {
      const queue = await make();
      const { woken, end } = recordWakes(queue, { held: true });
      for (const scheduleId of ['a', 'b', 'c']) await queue.add({ scheduleId, at: Date.now() });
      await until('all have woken', () => woken.length === 3);
      end();
      await queue.close();
    });

    test('closes once nothing is handled any more, and wakes no more', async () => {
      const queue = await make();
      const { woken, end } = recordWakes(queue, { held: true });
      await queue.add({ scheduleId: 'a', at: Date.now() });
      const later = Date.now() + 2_000;
      await queue.add({ scheduleId: 'b', at: later });
      await until('a has woken', () => woken.includes('a'));
      let closed = false;
      const closing = queue.close().then(() => {
        closed = true;
      });
      await pause();
      expect(closed).toBe(false);
      end();
      await closing;
      await expect(queue.add({ scheduleId: 'c', at: 0 })).rejects.toMatchObject({ code: 'unavailable' });
      await pause(later + 200 - Date.now());
      expect(woken).toEqual(['a']);
      await queue.close();
    });
  });
}
