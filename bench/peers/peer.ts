import type { WorkflowDefinition } from '../../src/domain/workflow/definition.ts';

/** Does something once; the promise settles when it is done. */
export type Work = () => Promise<unknown>;

/** An engine that is measured beside the others. */
export interface Peer extends AsyncDisposable {
  readonly name: string;
  /** Prepares a workflow whose steps do nothing and returns what runs it; throws when a run does not end well. */
  workflow(definition: WorkflowDefinition): Promise<Work>;
  /** Ways to do so many things that do nothing at the same time, by name. */
  readonly routing: Readonly<Record<string, (count: number) => Promise<Work>>>;
}
