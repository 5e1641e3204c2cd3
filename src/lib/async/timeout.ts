import type { Awaitable } from './awaitable.ts';
import { onAbort } from './on-abort.ts';
import type { Timer } from './timer.ts';

/**
 * The reasons for which work is to stop. The signal that tools and agents receive has an error with one of these codes
 * as its reason.
 */
export const stopCodes = ['timed_out', 'shutdown', 'lost', 'cancelled'] as const;

/** One of {@link stopCodes}: `lost` means that another process has ended the run, or runs it now. */
export type StopCode = (typeof stopCodes)[number];

/** The work did not finish within its timeout. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code: StopCode = 'timed_out';

  constructor(timeoutMs: number) {
    super(`timed out after ${timeoutMs} ms`);
  }
}

/** The caller no longer waits, because the process shuts down or has lost the run. */
export class AbortError extends Error {
  override readonly name = 'AbortError';
  readonly code: StopCode;

  constructor(code: StopCode = 'shutdown') {
    super('interrupted');
    this.code = code;
  }
}

/** A user has cancelled the work. The caller goes on waiting until `deadline`, so that the work can end in order. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
  readonly code: StopCode = 'cancelled';
  /** Aborted when the caller waits no longer. */
  readonly deadline: AbortSignal;

  constructor(deadline: AbortSignal) {
    super('cancelled');
    this.deadline = deadline;
  }
}

/** True for a signal that was aborted because a user has cancelled the work. */
export function isCancelled(signal: AbortSignal | undefined): boolean {
  return signal?.reason instanceof CancelledError;
}

/** Options of {@link withTimeout}. */
export interface TimeoutOptions {
  readonly clock: Timer;
  readonly timeoutMs: number;
  /** The caller's signal: its abort ends the wait too, unless its reason is a {@link CancelledError}. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` and waits for it at most `timeoutMs` milliseconds. Rejects with {@link TimeoutError} after that, and with
 * {@link AbortError} as soon as the caller's signal is aborted. In both cases it first aborts the signal that it gave
 * to `work`, with the error as its reason. It ignores what `work` returns or throws later. Where the caller's signal is
 * aborted with a {@link CancelledError}, it aborts the signal of `work` with that error, and goes on waiting until the
 * deadline of that error; then it rejects with it.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Awaitable<T>,
  options: TimeoutOptions,
): Promise<T> {
  if (options.signal?.aborted) throw stopReason(options.signal);
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
    const onSignal = (): void => {
      const reason = stopReason(signal);
      if (reason instanceof CancelledError && !reason.deadline.aborted) {
        unsubscribeDeadline = onAbort(reason.deadline, () => stop(reason));
        controller.abort(reason);
      } else {
        stop(reason);
      }
    };
    let unsubscribeDeadline: (() => void) | undefined;
    const unsubscribe = signal === undefined ? undefined : onAbort(signal, onSignal);
    const cleanUp = (): void => {
      cancelTimer();
      unsubscribe?.();
      unsubscribeDeadline?.();
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
    if (signal?.aborted) onSignal();
  });
}

/**
 * True for an error that reports an aborted signal: {@link CancelledError}, or any error with the name that Node uses.
 */
export function isAbort(error: unknown): boolean {
  if (error instanceof CancelledError) return true;
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}

/** The error of a caller that stops: the reason of its signal where that is one of ours. */
function stopReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof AbortError || reason instanceof CancelledError ? reason : new AbortError();
}

function isPromise<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
