import type { Run, RunChange, RunSummary } from '../domain/run/run.ts';
import type { Page, PageRequest } from './record-store.ts';

/**
 * The records of workflow runs, during and after the run. `save` after a layer writes that layer's results, never the
 * whole run again. Rejections as for `RecordStore`.
 */
export interface RunStore {
  /** Stores a new run; from then on `get` and `list` find it. Ignores a run that is stored already. */
  create(run: Run): Promise<void>;
  /**
   * Applies a change to a run that has not ended; ignores unknown and evicted ones. Resolves to false when the run has
   * ended: so a process learns that another one, which took it for dead, has ended its run.
   */
  save(runId: string, change: RunChange): Promise<boolean>;
  /** The run as of its last change, or undefined. */
  get(runId: string): Promise<Run | undefined>;
  /** Runs of one workflow, newest first, also after the definition is deleted. */
  list(workflowId: string, page: PageRequest): Promise<Page<RunSummary>>;
}
