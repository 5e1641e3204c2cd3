/** The admission of a request, and the number of further requests that its client may make. */
export interface RateDecision {
  /** True when the request is admitted. */
  readonly admitted: boolean;
  /** Requests that one client may make in a window. */
  readonly limit: number;
  /** Requests that the client may still make now. */
  readonly remaining: number;
  /**
   * Seconds, an integer of 1 or more, after which the client may make more requests than now. A rejected request is
   * admitted after that time, if the client makes no others.
   */
  readonly resetSeconds: number;
  /** Length of the window, in seconds; an integer. */
  readonly windowSeconds: number;
}

/** Counts requests per client (specification, section 8). */
export interface RateLimiter {
  /**
   * Counts a request of the client with that key and decides whether to admit it. A rejected request does not count.
   * Never rejects.
   */
  consume(key: string): Promise<RateDecision>;
}
