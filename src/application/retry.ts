import type { Clock, Random } from '../ports/clock.ts';

const BASE_MS = 100;
const CAP_MS = 2_000;

/** Milliseconds to wait after failed attempt number `attempt`: exponential from 100 ms to 2 s, with full jitter. */
export function backoffMs(attempt: number, random: Random): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
}

/** Waits `ms` milliseconds, or until `signal` is aborted, whichever comes first. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
