import type { Timer } from './timer.ts';

/** Work that is running, so that a shutdown can wait for it and then interrupt it. */
export interface InFlight {
  /** Aborted once the grace period of a shutdown is over. */
  readonly signal: AbortSignal;
  /** Counts `work` as running until its promise settles. Returns the same promise. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Waits up to `graceMs` milliseconds for running work, then aborts the signal and waits for the rest to end. */
  close(graceMs: number): Promise<void>;
}

/** Creates a tracker without running work. */
export function createInFlight(clock: Timer): InFlight {
  const controller = new AbortController();
  const waiters: (() => void)[] = [];
  let running = 0;
  const done = (): void => {
    running -= 1;
    if (running === 0) for (const resolve of waiters.splice(0)) resolve();
  };
  const idle = (): Promise<void> =>
    running === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve));
  return {
    signal: controller.signal,
    track(work) {
      running += 1;
      work.then(done, done);
      return work;
    },
    async close(graceMs) {
      const cancel = clock.after(graceMs, () => controller.abort());
      await idle();
      cancel();
    },
  };
}
