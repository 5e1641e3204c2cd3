import type { Clock } from '../ports/clock.ts';
import type { Awaitable } from '../ports/stages.ts';
import { onAbort } from './on-abort.ts';

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

/** A class, because it is made for every piece of work, and an object literal with a getter costs many times as much. */
class WorkSignal implements LazySignal {
  private controller: AbortController | undefined;
  private givenUp: GivenUpError | undefined;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.givenUp !== undefined) this.controller.abort(this.givenUp);
    return this.controller.signal;
  }

  giveUp(error: GivenUpError): void {
    this.givenUp = error;
    this.controller?.abort(error);
  }
}

/**
 * Runs `work` and waits for it no longer than its bounds allow: then its signal is aborted and a
 * {@link GivenUpError} thrown. What it returns or throws later is thrown away. Work that needs no waiting costs
 * no timer.
 */
export function bounded<T>(work: (lazy: LazySignal) => Awaitable<T>, bounds: Bounds): Awaitable<T> {
  return boundedAs(work, itself, bounds);
}

/**
 * As {@link bounded}, with `take` making the result of what the work came to. Both are handed the bounds, so that they
 * can be the same functions for all work of a kind.
 */
export function boundedAs<R, T, B extends Bounds>(
  work: (lazy: LazySignal, bounds: B) => Awaitable<R>,
  take: (value: R, bounds: B) => T,
  bounds: B,
): Awaitable<T> {
  if (bounds.signal?.aborted) throw interrupted();
  const lazy = new WorkSignal();
  const pending = work(lazy, bounds);
  return isThenable(pending) ? inTime(pending, take, lazy, bounds) : take(pending, bounds);
}

function itself<T>(value: T): T {
  return value;
}

function inTime<R, T, B extends Bounds>(
  pending: PromiseLike<R>,
  take: (value: R, bounds: B) => T,
  lazy: WorkSignal,
  bounds: B,
): Promise<T> {
  const { clock, timeoutMs, signal } = bounds;
  return new Promise<T>((resolve, reject) => {
    let isGivenUp = false;
    const giveUp = (error: GivenUpError): void => {
      isGivenUp = true;
      settle();
      reject(error);
      lazy.giveUp(error);
    };
    const cancelTimer = clock.after(timeoutMs, () =>
      giveUp(new GivenUpError('timeout', `timed out after ${timeoutMs} ms`)),
    );
    const unwatch = signal === undefined ? undefined : onAbort(signal, () => giveUp(interrupted()));
    const settle = (): void => {
      cancelTimer();
      unwatch?.();
    };
    /** Waits as for a promise of our own: the `then` of a foreign one may throw, lie, or come to one that hangs. */
    const adopt = async (): Promise<void> => {
      try {
        const value = await pending;
        if (isGivenUp) return;
        settle();
        resolve(take(value, bounds));
      } catch (error) {
        settle();
        reject(error);
      }
    };
    if (signal?.aborted) giveUp(interrupted());
    void adopt();
  });
}

function interrupted(): GivenUpError {
  return new GivenUpError('interrupted', 'interrupted');
}

/** True for promises and whatever else can be awaited. */
export function isThenable<T>(value: Awaitable<T>): value is PromiseLike<T> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  const { then }: { readonly then?: unknown } = value;
  return typeof then === 'function';
}
