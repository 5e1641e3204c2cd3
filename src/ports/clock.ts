/** The clock and the timers of the core. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch: for timestamps only. */
  now(): number;
  /** Monotonic time in milliseconds, with fractions: for durations. */
  monotonic(): number;
  /** Runs `work` once after `ms` milliseconds unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
}

/**
 * Creates an identifier: a UUID v7. Identifiers sort by the time of their creation, those of one source also within a
 * millisecond.
 */
export type NewId = () => string;

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;
