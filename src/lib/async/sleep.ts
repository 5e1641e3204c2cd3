import { onAbort } from './on-abort.ts';
import type { Timer } from './timer.ts';

/** Waits `ms` milliseconds, or until `signal` is aborted, whichever comes first. Never rejects. */
export function sleep(clock: Timer, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      unsubscribe?.();
      resolve();
    };
    const cancel = clock.after(ms, done);
    const unsubscribe = signal === undefined ? undefined : onAbort(signal, done);
  });
}
