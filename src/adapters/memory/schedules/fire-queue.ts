import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FireQueue } from '../../../ports/storage/fire-queue.ts';
import type { ScheduleWake } from '../../../ports/storage/schedule-store.ts';

/** The longest time of one timer, in milliseconds. Node's own timers end after 24.8 days at the latest. */
const MAX_TIMER_MS = 86_400_000;

/** Creates a {@link FireQueue} of this process, with a timer for each wake. */
export function createMemoryFireQueue(clock: Clock): FireQueue {
  /** The functions that cancel the timers, by the keys of their wakes. */
  const timers = new Map<string, () => void>();
  const running = new Set<Promise<void>>();
  // Whoever adds a wake, a request for instance, has nothing to do with what it brings.
  const inOwnContext = AsyncLocalStorage.snapshot();
  let closed = false;
  let handle = (_scheduleId: string): Promise<void> =>
    Promise.reject(new Error('nothing processes the queue'));

  function wait(key: string, wake: ScheduleWake): void {
    const ms = Math.max(0, wake.at - clock.now());
    const cancel = clock.after(Math.min(ms, MAX_TIMER_MS), () => {
      if (ms > MAX_TIMER_MS) wait(key, wake);
      else start(key, wake);
    });
    timers.set(key, cancel);
  }

  function start(key: string, { scheduleId }: ScheduleWake): void {
    timers.delete(key);
    const work = inOwnContext(() => handle(scheduleId)).finally(() => running.delete(work));
    running.add(work);
  }

  return {
    process(handler) {
      handle = handler;
    },
    async add(wake) {
      if (closed) throw unavailable('the service is shutting down');
      const key = `${wake.at} ${wake.scheduleId}`;
      if (!timers.has(key)) wait(key, wake);
    },
    async close() {
      closed = true;
      for (const cancel of timers.values()) cancel();
      timers.clear();
      await Promise.all(running);
    },
  };
}
