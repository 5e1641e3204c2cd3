/** The timers that this folder needs. */
export interface Timer {
  /** Runs `work` once after `ms` milliseconds unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
}
