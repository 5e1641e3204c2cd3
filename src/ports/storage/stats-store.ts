import type { Counter, MinuteCounts } from '../../domain/stats/counters.ts';

/** The counts of all processes that share a store. */
export interface StatsReading {
  /** Minutes in any order; those in which nothing was counted may be absent, others may come several times. */
  readonly minutes: readonly MinuteCounts[];
  /** The number of workflow runs that the processes run now, as far as they said so lately. */
  readonly running: number;
}

/** The counters of the last 24 hours, by minutes. */
export interface StatsStore {
  /**
   * Adds 1 to a counter, in the minute of a time in milliseconds since the epoch. `read` has it at once, that of
   * another process that shares the store within five seconds, or after an outage. Never throws.
   */
  add(at: number, counter: Counter): void;
  /** Sets how many workflow runs this process runs now. It becomes known as what is added. */
  setRunning(runs: number): void;
  /**
   * The minutes that begin in a span, from inclusive, until exclusive, in milliseconds since the epoch. Rejects with
   * `unavailable` when the store cannot be reached.
   */
  read(from: number, until: number): Promise<StatsReading>;
}
