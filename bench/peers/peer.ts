import type { WorkflowDefinition } from '../../src/domain/workflow/definition.ts';

/** Runs one operation. */
export type Work = () => Promise<unknown>;

/** An engine that is compared with others. */
export interface Peer extends AsyncDisposable {
  readonly name: string;
  /** Prepares a workflow of no-op steps and returns a function that runs it; throws if a run fails. */
  workflow(definition: WorkflowDefinition): Promise<Work>;
  /** Ways to run `count` no-op tasks concurrently, by name. */
  readonly routing: Readonly<Record<string, (count: number) => Promise<Work>>>;
}

/**
 * Prepares a chain of `steps` steps that do nothing. Returns the function that starts a run of it in the background;
 * `ended` is called once its end is stored.
 */
export type PreparePeer = (
  place: string,
  steps: number,
  ended: () => void,
) => Promise<() => Promise<unknown>>;
