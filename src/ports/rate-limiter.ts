import type { Awaitable } from '../lib/async/awaitable.ts';

/** Whether a request may pass, and how its client stands. */
export interface RateDecision {
  readonly admitted: boolean;
  /** Requests that one client may make in a window. */
  readonly limit: number;
  /** Requests that the client may still make right now. */
  readonly remaining: number;
  /**
   * Whole seconds, 1 or more, after which the client may make more requests than now. A refused one passes after
   * that many, if the client makes no others.
   */
  readonly resetSeconds: number;
  /** Length of the window, in whole seconds. */
  readonly windowSeconds: number;
}

/** Counts requests per client (specification, section 8). */
export interface RateLimiter {
  /**
   * Counts a request of the client that `key` names, and says whether it may pass; a refused one does not count.
   * Never throws or rejects. A limiter that needs no waiting answers with the decision itself.
   */
  consume(key: string): Awaitable<RateDecision>;
}
