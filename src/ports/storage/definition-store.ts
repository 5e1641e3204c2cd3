import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { Page, PageRequest, RecordStore } from './record-store.ts';

/**
 * The outcome of a new version: `conflict` where the newest one is another than expected, `key_taken` where another
 * workflow has its key.
 */
export type ReplaceOutcome = 'replaced' | 'conflict' | 'missing' | 'key_taken';

/**
 * Workflow definitions with their versions, which have the numbers 1, 2, 3 … without gaps. `get` and `list` are about
 * the newest version of each. `put` stores version 1, in place of all that the workflow had. `delete` removes all
 * versions. What was stored before there were versions is read as version 1.
 *
 * The key of a workflow is that of its newest version, and no other workflow has it: `put` rejects with `conflict` for
 * a key that is taken, whichever process has stored it. `delete`, and a version with another key or none, free it.
 */
export interface DefinitionStore extends RecordStore<WorkflowDefinition, WorkflowDefinition> {
  /**
   * Stores a version, in one atomic step, where the newest one is that before it. The workflow keeps its place in
   * listings. Beyond {@link MAX_VERSIONS}, or the room that a store has for them, the oldest versions are removed, and
   * never the newest one.
   */
  replace(definition: WorkflowDefinition): Promise<ReplaceOutcome>;
  /** The id of the workflow with that key; undefined where there is none. */
  idOfKey(key: string): Promise<string | undefined>;
  /** True for a stored workflow. Takes no longer for a large definition. */
  has(id: string): Promise<boolean>;
  /** One version; undefined for one that is unknown, or no longer kept. */
  version(id: string, version: number): Promise<WorkflowDefinition | undefined>;
  /** The versions of a workflow that are kept, newest first; undefined for an unknown workflow. */
  versions(id: string, page: PageRequest): Promise<Page<WorkflowDefinition> | undefined>;
}

/** The most versions of a workflow that are kept. */
export const MAX_VERSIONS = 100;
