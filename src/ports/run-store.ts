import type { Run, RunChange, RunSummary } from '../domain/run/run.ts';
import type { Page, PageRequest } from './record-store.ts';

/**
 * Executions, while they run and after. What a member writes grows with what it is given: `save` after a layer
 * writes that layer's results, never the whole execution again. Rejections as for `RecordStore`.
 */
export interface RunStore {
  /** Keeps a new execution; from then on it is found. One that is there already is left alone. */
  create(execution: Run): Promise<void>;
  /**
   * Applies a change to an execution that has not ended; ended, unknown and evicted ones are left alone. Resolves to
   * false when it has ended: a process that was taken for dead learns so that its run is no longer its own to go on
   * with.
   */
  save(runId: string, change: RunChange): Promise<boolean>;
  /** The execution as of its last change, or undefined. */
  get(runId: string): Promise<Run | undefined>;
  /** Executions of one workflow, newest first; they outlive their definition. */
  list(workflowId: string, page: PageRequest): Promise<Page<RunSummary>>;
}
