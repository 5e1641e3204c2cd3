import type { Run, RunChange, RunSummary } from '../domain/run/run.ts';
import type { Page, PageRequest } from './record-store.ts';

/**
 * The records of workflow runs, during and after the run. `save` after a layer writes the results of that layer only, not
 * the complete run. Rejects as `RecordStore` does.
 */
export interface RunStore {
  /** Stores a new run; from then on `get` and `list` find it. Ignores a run that is stored already. */
  create(run: Run): Promise<void>;
  /**
   * Applies a change to a run that has not ended; ignores unknown and evicted ones. Resolves to false when the run has
   * ended already: another process that received no heartbeat of this one has ended it.
   */
  save(runId: string, change: RunChange): Promise<boolean>;
  /** The run after its last change, or undefined. */
  get(runId: string): Promise<Run | undefined>;
  /** Runs of one workflow, newest first, also after the definition is deleted. */
  list(workflowId: string, page: PageRequest): Promise<Page<RunSummary>>;
}
