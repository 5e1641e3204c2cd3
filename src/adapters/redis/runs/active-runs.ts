/** The runs of this replica that the store may list as active. */
export interface ActiveRuns {
  /** Number of runs in the set. */
  readonly size: number;
  /** Whether a run is in the set. */
  has(runId: string): boolean;
  /** Adds a run. */
  add(runId: string): void;
  /** Removes a run. */
  delete(runId: string): void;
  /** Records that another replica has ended a run of this one. Ignored for runs that are not in the set. */
  setEndedElsewhere(runId: string): void;
  /** Whether another replica has ended the run. */
  isEndedElsewhere(runId: string): boolean;
}

/** Creates an empty set. */
export function createActiveRuns(): ActiveRuns {
  const endedElsewhere = new Map<string, boolean>();
  return {
    get size() {
      return endedElsewhere.size;
    },
    has: (runId) => endedElsewhere.has(runId),
    add: (runId) => void endedElsewhere.set(runId, false),
    delete: (runId) => void endedElsewhere.delete(runId),
    setEndedElsewhere(runId) {
      if (endedElsewhere.has(runId)) endedElsewhere.set(runId, true);
    },
    isEndedElsewhere: (runId) => endedElsewhere.get(runId) === true,
  };
}
