import type { Awaitable } from './awaitable.ts';
import { onAbort } from './on-abort.ts';
import type { Timer } from './timer.ts';

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
  readonly clock: Timer;
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

interface MonotonicTimer extends Timer {
  monotonic(): number;
}

/** Milliseconds that runs may go on together before everybody else has a turn. */
const SLICE_MS = 20;

/** Milliseconds that one piece of work may take at once before others go first. */
const PIECE_MS = 10;

/** Whether work that began at `begun`, by the monotonic clock, has kept others waiting so long that it should pause. */
export function isOverdue(clock: MonotonicTimer, begun: number): boolean {
  return clock.monotonic() - begun >= PIECE_MS;
}

/**
 * Keeps runs whose steps need no waiting from shutting out the rest of the process: promises that settle one after
 * the other never let the event loop turn.
 */
export interface Turns {
  /**
   * Undefined while runs may go on; once they have gone on too long, a promise that settles in a later turn. `now` is
   * the monotonic time in milliseconds.
   */
  next(now: number): Promise<void> | undefined;
}

/** Turns shared by all runs; costs one timer in each turn of the event loop in which any run goes on. */
export function createTurns(clock: MonotonicTimer): Turns {
  let begun: number | undefined;
  let waiting: (() => void)[] = [];

  function turn(): void {
    begun = undefined;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    next(now) {
      if (begun === undefined) {
        begun = now;
        clock.after(0, turn);
        return undefined;
      }
      if (now - begun < SLICE_MS) return undefined;
      return new Promise((wake) => waiting.push(wake));
    },
  };
}
