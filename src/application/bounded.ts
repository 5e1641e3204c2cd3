import type { Clock } from '../ports/clock.ts';
import type { Awaitable } from '../ports/stages.ts';

/** Why bounded work was given up. */
export class GivenUpError extends Error {
  override readonly name = 'GivenUpError';
  readonly reason: 'timeout' | 'interrupted';

  constructor(reason: 'timeout' | 'interrupted', message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What bounds a piece of work. */
export interface Bounds {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** The signal of whoever asked: its abort gives the work up too. */
  readonly signal?: AbortSignal | undefined;
}

/** Hands out the signal of one piece of work, made only when somebody asks for it. */
export interface LazySignal {
  readonly signal: AbortSignal;
}

/**
 * Runs `work` and waits for it no longer than its bounds allow: then its signal is aborted and a
 * {@link GivenUpError} thrown. What it returns or throws later is thrown away. Work that needs no waiting costs
 * no timer.
 */
export function bounded<T>(work: (lazy: LazySignal) => Awaitable<T>, bounds: Bounds): Awaitable<T> {
  if (bounds.signal?.aborted) throw interrupted();
  let controller: AbortController | undefined;
  let givenUp: GivenUpError | undefined;
  const lazy: LazySignal = {
    get signal() {
      controller ??= new AbortController();
      if (givenUp !== undefined) controller.abort(givenUp);
      return controller.signal;
    },
  };
  const pending = work(lazy);
  if (!isThenable(pending)) return pending;
  return new Promise<T>((resolve, reject) => {
    const giveUp = (error: GivenUpError): void => {
      givenUp = error;
      controller?.abort(error);
      settle();
      reject(error);
    };
    const onAbort = (): void => giveUp(interrupted());
    const cancelTimer = bounds.clock.after(bounds.timeoutMs, () =>
      giveUp(new GivenUpError('timeout', `timed out after ${bounds.timeoutMs} ms`)),
    );
    const settle = (): void => {
      cancelTimer();
      bounds.signal?.removeEventListener('abort', onAbort);
    };
    bounds.signal?.addEventListener('abort', onAbort, { once: true });
    pending.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}

function interrupted(): GivenUpError {
  return new GivenUpError('interrupted', 'interrupted');
}

/** True for promises and whatever else can be awaited. */
export function isThenable<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
