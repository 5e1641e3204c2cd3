import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';

/** A definition as a store has it: without a version where it was stored before there were versions. */
export type StoredDefinition = Omit<WorkflowDefinition, 'version'> & { readonly version?: number };

/** A stored definition as this version of the service has it: without a version it is the first one. */
export function toDefinition({ version = 1, ...stored }: StoredDefinition): WorkflowDefinition {
  return { ...stored, version };
}
