/** How many runs a queue starts, and how many may wait. */
export interface QueueLimits {
  /** Maximum number of runs that run at the same time. */
  readonly maxRunning: number;
  /** Number of slots for runs that wait. */
  readonly maxWaiting: number;
}

/**
 * The runs that wait for their start in the background. It carries the ids of runs and nothing else: the log of a run is
 * the truth, the queue only wakes its worker.
 */
export interface RunQueue {
  /** Sets what runs a run. Called once, before the first run. The handler never rejects. */
  process(handler: (runId: string) => Promise<void>, limits: QueueLimits): void;
  /**
   * Adds a run, which starts when fewer than the maximum run, in the order of these calls. Unless it can start at once it
   * occupies `slots` slots, at most all of them. Rejects with `unavailable` when fewer are free.
   */
  enqueue(runId: string, slots: number): Promise<void>;
  /** Removes a run that waits. Resolves to false when it does not wait here, because it was started. */
  remove(runId: string): Promise<boolean>;
  /**
   * Counts a run that runs already, over the maximum where it must be: no waiting run starts instead until enough have
   * ended. Returns the function that ends it, to be called once.
   */
  occupy(): () => void;
  /** Starts no more runs, and resolves to those that wait, in order. */
  close(): Promise<readonly string[]>;
}
