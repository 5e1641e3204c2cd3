import { notFound, OrchestrationError } from '../../domain/errors.ts';
import { assertSeen } from '../../domain/seen-version.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import { quote } from '../../lib/text/quote.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import type { DraftChecks } from './check-draft.ts';
import type { CreationTime } from './creation-time.ts';
import type { Workflows } from './workflows.ts';

/** The use cases around the versions of workflows. */
export type WorkflowVersions = Pick<Workflows, 'get' | 'replace' | 'getVersion' | 'versions'>;

/** Creates {@link WorkflowVersions}. */
export function createWorkflowVersions(
  { events, workflows }: Pick<Ports, 'events' | 'workflows'>,
  checks: Pick<DraftChecks, 'accept'>,
  creationTime: CreationTime,
): WorkflowVersions {
  async function get(id: string): Promise<WorkflowDefinition> {
    const definition = await workflows.get(id);
    if (definition === undefined) throw notFound('workflow', id);
    return definition;
  }

  return {
    get,
    async replace(id, draft, { ifMatch } = {}) {
      const checked = await checks.accept(draft);
      const seen = ifMatch === undefined ? undefined : { version: ifMatch, isPrecondition: true };
      return retryOnConflict('workflow', async () => {
        const newest = await get(id);
        assertSeen('workflow', newest.version, seen);
        const next = newest.version + 1;
        const at = creationTime(id, next);
        const definition = { id, version: next, ...checked, createdAt: isoTime(at) };
        // After another outcome the next attempt finds what has happened to the workflow.
        if ((await workflows.replace(definition)) !== 'replaced') return undefined;
        const { name, version } = definition;
        events({ type: 'workflow.updated', workflowId: id, name, seq: version, at });
        return definition;
      });
    },
    async getVersion(id, version) {
      const definition = await workflows.version(id, version);
      if (definition !== undefined) return definition;
      await get(id);
      throw new OrchestrationError('not_found', `workflow ${quote(id)} has no version ${version}`);
    },
    async versions(id, page) {
      const found = await workflows.versions(id, page);
      if (found === undefined) throw notFound('workflow', id);
      return found;
    },
  };
}
