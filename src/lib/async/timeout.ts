import type { Awaitable } from './awaitable.ts';
import { onAbort } from './on-abort.ts';
import type { Timer } from './timer.ts';

/** The work did not finish within its timeout. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(timeoutMs: number) {
    super(`timed out after ${timeoutMs} ms`);
  }
}

/** The caller's signal was aborted. */
export class AbortError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('interrupted');
  }
}

/** Options of {@link withTimeout}. */
export interface TimeoutOptions {
  readonly clock: Timer;
  readonly timeoutMs: number;
  /** The caller's signal: its abort ends the wait too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` and waits for it at most `timeoutMs` milliseconds. Rejects with {@link TimeoutError} after that, and with
 * {@link AbortError} as soon as the caller's signal is aborted. In both cases it first aborts the signal that it gave to
 * `work`, with the error as its reason. It ignores what `work` returns or throws later.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Awaitable<T>,
  options: TimeoutOptions,
): Promise<T> {
  if (options.signal?.aborted) throw new AbortError();
  const controller = new AbortController();
  const result = work(controller.signal);
  // A result that is not a promise needs no timer, which costs more than the rest of a tool call (benchmark `engine`).
  return isPromise(result) ? limitWait(result, controller, options) : result;
}

function limitWait<T>(
  pending: PromiseLike<T>,
  controller: AbortController,
  { clock, timeoutMs, signal }: TimeoutOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (error: Error): void => {
      cleanUp();
      reject(error);
      controller.abort(error);
    };
    const cancelTimer = clock.after(timeoutMs, () => stop(new TimeoutError(timeoutMs)));
    const unsubscribe = signal === undefined ? undefined : onAbort(signal, () => stop(new AbortError()));
    const cleanUp = (): void => {
      cancelTimer();
      unsubscribe?.();
    };
    pending.then(
      (value) => {
        cleanUp();
        resolve(value);
      },
      (error: unknown) => {
        cleanUp();
        reject(error);
      },
    );
    // The signal may have been aborted while `work` ran.
    if (signal?.aborted) stop(new AbortError());
  });
}

function isPromise<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
