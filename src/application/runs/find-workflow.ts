import { invalid, notFound } from '../../domain/errors.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import { keyOfReference } from '../../domain/workflow/key.ts';
import type { Ports } from '../../ports/ports.ts';

type Keys = Pick<Ports['workflows'], 'idOfKey'>;

/**
 * The id of the workflow that a reference names: an id, which is returned as it is, or `key:<key>`. Undefined for a key
 * that no workflow has.
 */
export async function findWorkflowId(workflows: Keys, reference: string): Promise<string | undefined> {
  const key = keyOfReference(reference);
  return key === undefined ? reference : workflows.idOfKey(key);
}

/** The same, but rejects with `not_found` for a key that no workflow has. */
export async function workflowIdOf(workflows: Keys, reference: string): Promise<string> {
  const id = await findWorkflowId(workflows, reference);
  if (id === undefined) throw notFound('workflow', reference);
  return id;
}

/** The newest version of the workflow that a reference names; undefined where there is none. */
export async function findWorkflow(
  workflows: Keys & Pick<Ports['workflows'], 'get'>,
  reference: string,
): Promise<WorkflowDefinition | undefined> {
  const id = await findWorkflowId(workflows, reference);
  return id === undefined ? undefined : workflows.get(id);
}

/**
 * The definition for a new run: the newest version, or the one that is named, of the workflow with an id, or with a key
 * as `key:<key>`. Rejects with `not_found` for an unknown workflow, and with `validation` for an unknown version.
 */
export async function definitionToRun(
  workflows: Keys & Pick<Ports['workflows'], 'get' | 'version'>,
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
