/** The number of runs that a queue starts, and the number that may wait. */
export interface QueueLimits {
  /** Maximum number of runs that run at the same time in this process. */
  readonly maxRunning: number;
  /** Number of slots for runs that wait. */
  readonly maxWaiting: number;
}

/** The outcome of a turn of a queue's handler: `again` for a run that did not end and is to be queued again. */
export type TurnOutcome = 'done' | 'again';

/**
 * The runs that wait for their start in the background. It carries the ids of runs and nothing else: the log of a run
 * is the truth, the queue only wakes its worker. A queue belongs to one process, or is shared by several: then any of
 * them starts any run, and an id may come late, twice, or never.
 */
export interface RunQueue {
  /** Sets what runs a run. Called once, before the first run. The handler never rejects. */
  process(handler: (runId: string) => Promise<TurnOutcome>, limits: QueueLimits): void;
  /** Rejects with `unavailable` when fewer than `slots` slots are free, as far as this process knows. */
  assertRoom(slots: number): Promise<void>;
  /**
   * Adds a run, which starts when fewer than the maximum run, in the order of these calls. Unless it can start at once
   * it occupies `slots` slots, at most all of them. Rejects with `unavailable` when fewer are free, or when a shared
   * queue cannot be reached; it may have been added even then.
   */
  enqueue(runId: string, slots: number): Promise<void>;
  /** Adds a run that is stored, whatever waits already. Ignored for one that waits. Rejects as `enqueue` does. */
  wake(runId: string): Promise<void>;
  /** Removes a run that waits. Resolves to false when it does not wait here, because it was started. */
  remove(runId: string): Promise<boolean>;
  /**
   * Counts a run that runs already, over the maximum where it must be: no waiting run starts instead until enough have
   * ended. Returns the function that ends it, to be called once.
   */
  occupy(): () => void;
  /** The number of runs that wait, in all processes that share the queue; as it was lately where it cannot be read. */
  depth(): Promise<number>;
  /** Starts no more runs, and resolves to those that wait in this process alone, in order. */
  close(): Promise<readonly string[]>;
}
