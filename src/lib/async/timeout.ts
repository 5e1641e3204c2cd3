import type { Awaitable } from './awaitable.ts';
import { onAbort } from './on-abort.ts';
import type { Timer } from './timer.ts';

/** The work took longer than it may. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(timeoutMs: number) {
    super(`timed out after ${timeoutMs} ms`);
  }
}

/** The work is no longer wanted: the signal of whoever asked for it was aborted. */
export class AbortError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('interrupted');
  }
}

/** What limits a piece of work. */
export interface TimeoutOptions {
  readonly clock: Timer;
  readonly timeoutMs: number;
  /** The signal of whoever asked for the work: its abort ends the wait too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` and waits for it at most `timeoutMs` milliseconds. Rejects with {@link TimeoutError} after that, and with
 * {@link AbortError} as soon as `signal` is aborted; the signal that `work` was given is aborted first, with that error
 * as its reason. What `work` returns or throws later is ignored.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Awaitable<T>,
  { clock, timeoutMs, signal }: TimeoutOptions,
): Promise<T> {
  if (signal?.aborted) throw new AbortError();
  const controller = new AbortController();
  const pending = work(controller.signal);
  return new Promise<T>((resolve, reject) => {
    const giveUp = (error: Error): void => {
      settle();
      controller.abort(error);
      reject(error);
    };
    const cancelTimer = clock.after(timeoutMs, () => giveUp(new TimeoutError(timeoutMs)));
    const unsubscribe = signal === undefined ? undefined : onAbort(signal, () => giveUp(new AbortError()));
    const settle = (): void => {
      cancelTimer();
      unsubscribe?.();
    };
    Promise.resolve(pending).then(resolve, reject).finally(settle);
  });
}
