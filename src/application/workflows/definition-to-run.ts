import { invalid, notFound } from '../../domain/errors.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * The definition for a new run: the newest version, or the one that is named. Rejects with `not_found` for an unknown
 * workflow, and with `validation` for an unknown version.
 */
export async function definitionToRun(
  workflows: Pick<Ports['workflows'], 'get' | 'version'>,
  id: string,
  version: number | undefined,
): Promise<WorkflowDefinition> {
  const wanted = version === undefined ? undefined : await workflows.version(id, version);
  const definition = wanted ?? (await workflows.get(id));
  if (definition === undefined) throw notFound('workflow', id);
  if (version === undefined || wanted !== undefined) return definition;
  throw invalid([`version: the workflow has no version ${version}`]);
}
