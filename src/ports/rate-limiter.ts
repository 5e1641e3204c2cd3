/** Whether a request may pass, and what its client has left. */
export interface RateDecision {
  readonly admitted: boolean;
  /** Requests that one client may make in a window. */
  readonly limit: number;
  /** Requests that the client may still make right now. */
  readonly remaining: number;
  /**
   * Whole seconds, 1 or more, after which the client may make more requests than now. A rejected request passes after
   * that time, if the client makes no others.
   */
  readonly resetSeconds: number;
  /** Length of the window, in whole seconds. */
  readonly windowSeconds: number;
}

/** Counts requests per client (specification, section 8). */
export interface RateLimiter {
  /**
   * Counts a request of the client with that key and decides whether it may pass. A rejected request does not count.
   * Never rejects.
   */
  consume(key: string): Promise<RateDecision>;
}
