import type { Clock } from '../ports/clock.ts';

/** Work under way, so that a shutdown can wait for it and then interrupt it. */
export interface InFlight {
  /** Aborted once the grace of a shutdown is over. */
  readonly signal: AbortSignal;
  /** Counts `work` as under way until its promise settles. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Waits up to `graceMs` milliseconds for what is under way, then aborts the signal and waits for the rest to record itself. */
  close(graceMs: number): Promise<void>;
}

/** Nothing under way yet. */
export function createInFlight(clock: Clock): InFlight {
  const controller = new AbortController();
  const waiting: (() => void)[] = [];
  let count = 0;
  const done = (): void => {
    count -= 1;
    if (count === 0) for (const wake of waiting.splice(0)) wake();
  };
  const idle = (): Promise<void> =>
    count === 0 ? Promise.resolve() : new Promise((wake) => waiting.push(wake));
  return {
    signal: controller.signal,
    track(work) {
      count += 1;
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
