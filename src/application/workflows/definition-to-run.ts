import { invalid, notFound } from '../../domain/errors.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { Ports } from '../../ports/ports.ts';
import { findWorkflowId } from '../runs/find-workflow.ts';

/**
 * The definition for a new run: the newest version, or the one that is named, of the workflow with an id, or with a key
 * as `key:<key>`. Rejects with `not_found` for an unknown workflow, and with `validation` for an unknown version.
 */
export async function definitionToRun(
  workflows: Pick<Ports['workflows'], 'get' | 'idOfKey' | 'version'>,
  reference: string,
  version: number | undefined,
): Promise<WorkflowDefinition> {
  const id = await findWorkflowId(workflows, reference);
  const wanted = id === undefined || version === undefined ? undefined : await workflows.version(id, version);
  const definition = wanted ?? (id === undefined ? undefined : await workflows.get(id));
  if (definition === undefined) throw notFound('workflow', reference);
  if (version === undefined || wanted !== undefined) return definition;
  throw invalid([`version: the workflow has no version ${version}`]);
}
