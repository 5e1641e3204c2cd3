import { invalid, notFound, OrchestrationError } from '../../domain/errors.ts';
import { assertSeen } from '../../domain/seen-version.ts';
import type { DefinitionParts } from '../../domain/workflow/checks/definition.ts';
import type { WorkflowDefinition, WorkflowDraft } from '../../domain/workflow/definition.ts';
import { KeyTakenError } from '../../domain/workflow/key.ts';
import { equalJson } from '../../lib/json/equal.ts';
import { quote } from '../../lib/text/quote.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Page, PageRequest } from '../../ports/storage/record-store.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import { findWorkflow, workflowIdOf } from '../runs/find-workflow.ts';
import type { CheckedDraft, DraftChecks } from './drafts.ts';

/** The options of a replacement. */
export interface ReplaceOptions {
  /** The newest version as the caller has seen it; any when absent. */
  readonly ifMatch?: number | undefined;
}

/** The outcome of putting a definition under a key. */
export interface PutResult {
  /** As it is stored now. */
  readonly definition: WorkflowDefinition;
  /** `unchanged`: nothing differs from the newest version, so that there is no new one. */
  readonly outcome: 'created' | 'replaced' | 'unchanged';
}

/** Creates the members of `Workflows` that concern the versions of definitions. */
export function createWorkflowVersions(
  { clock, newId, events, workflows }: Pick<Ports, 'clock' | 'newId' | 'events' | 'workflows'>,
  checks: Pick<DraftChecks, 'accept'>,
) {
  const creationTime = createCreationTime(clock);

  async function get(reference: string): Promise<WorkflowDefinition> {
    const definition = await findWorkflow(workflows, reference);
    if (definition === undefined) throw notFound('workflow', reference);
    return definition;
  }

  async function storeFirst(id: string, checked: CheckedDraft): Promise<WorkflowDefinition> {
    const at = creationTime(id, 1);
    const definition = { id, version: 1, ...checked, createdAt: isoTime(at) };
    await workflows.put(definition);
    events({ type: 'workflow.created', workflowId: id, name: definition.name, seq: 1, at });
    return definition;
  }

  /**
   * Stores the version after the newest one, with its key unless there is another. Undefined where that has changed.
   */
  async function storeNext(
    { id, version, key }: WorkflowDefinition,
    checked: CheckedDraft,
  ): Promise<WorkflowDefinition | undefined> {
    const next = version + 1;
    const at = creationTime(id, next);
    const kept = key === undefined ? {} : { key };
    const definition = { id, version: next, ...kept, ...checked, createdAt: isoTime(at) };
    const outcome = await workflows.replace(definition);
    if (outcome === 'key_taken') throw new KeyTakenError(definition.key ?? '');
    // After another outcome the next attempt finds what has happened to the workflow.
    if (outcome !== 'replaced') return undefined;
    events({ type: 'workflow.updated', workflowId: id, name: definition.name, seq: next, at });
    return definition;
  }

  /** Stores a new workflow. Undefined where another caller has just stored one with that key. */
  async function storeKeyed(checked: CheckedDraft): Promise<WorkflowDefinition | undefined> {
    try {
      return await storeFirst(newId(), checked);
    } catch (error) {
      if (error instanceof KeyTakenError) return undefined;
      throw error;
    }
  }

  return {
    async create(draft: WorkflowDraft, id = newId()): Promise<WorkflowDefinition> {
      return storeFirst(id, await checks.accept(draft));
    },
    get,
    async replace(
      reference: string,
      draft: WorkflowDraft,
      { ifMatch }: ReplaceOptions = {},
    ): Promise<WorkflowDefinition> {
      const id = await workflowIdOf(workflows, reference);
      const checked = await checks.accept(draft);
      const seen = ifMatch === undefined ? undefined : { version: ifMatch, isPrecondition: true };
      return retryOnConflict('workflow', async () => {
        const newest = await get(id);
        assertSeen('workflow', newest.version, seen);
        return storeNext(newest, checked);
      });
    },
    async put(key: string, draft: WorkflowDraft, { ifMatch }: ReplaceOptions = {}): Promise<PutResult> {
      if (draft.key !== undefined && draft.key !== key) {
        throw invalid([{ path: ['key'], detail: `must be ${quote(key)} as in the path, or absent` }]);
      }
      const checked = await checks.accept({ ...draft, key });
      const seen = ifMatch === undefined ? undefined : { version: ifMatch, isPrecondition: true };
      return retryOnConflict('workflow', async () => {
        const newest = await findWorkflow(workflows, `key:${key}`);
        if (newest === undefined) {
          if (ifMatch !== undefined) {
            throw new OrchestrationError(
              'precondition_failed',
              `there is no workflow with the key ${quote(key)}`,
            );
          }
          const definition = await storeKeyed(checked);
          return definition && { definition, outcome: 'created' };
        }
        assertSeen('workflow', newest.version, seen);
        if (isSame(newest, checked)) return { definition: newest, outcome: 'unchanged' };
        const definition = await storeNext(newest, checked);
        return definition && { definition, outcome: 'replaced' };
      });
    },
    async getVersion(reference: string, version: number): Promise<WorkflowDefinition> {
      const id = await workflowIdOf(workflows, reference);
      const definition = await workflows.version(id, version);
      if (definition !== undefined) return definition;
      await get(id);
      throw new OrchestrationError('not_found', `workflow ${quote(reference)} has no version ${version}`);
    },
    async versions(reference: string, page: PageRequest): Promise<Page<WorkflowDefinition>> {
      const found = await workflows.versions(await workflowIdOf(workflows, reference), page);
      if (found === undefined) throw notFound('workflow', reference);
      return found;
    },
  };
}

/** True where a stored definition equals a draft. Objects are the same whatever the order of their members. */
function isSame(stored: WorkflowDefinition, draft: DefinitionParts): boolean {
  const {
    id: _id,
    version: _version,
    layers: _layers,
    warnings: _warnings,
    createdAt: _at,
    ...parts
  } = stored;
  const { name, description, steps, key, inputSchema, output, timeoutMs, maxConcurrentSteps } = draft;
  const own = { name, description, steps, key, inputSchema, output, timeoutMs, maxConcurrentSteps };
  return equalJson(parts, own);
}

/** The times of a clock that was put back by more than this, in milliseconds, are forgotten. */
const MAX_AHEAD_MS = 1_000;

/**
 * Creates the function that makes the creation time of a version of a workflow, in milliseconds since the epoch: now,
 * or a millisecond after the last time of the same id and version. A plan is found by the three, and a caller may put
 * several definitions under one id in one millisecond, each of which begins with version 1.
 */
function createCreationTime({ now }: Pick<Clock, 'now'>): (id: string, version: number) => number {
  /** The times that are not over yet. */
  const times = new Map<string, number>();
  let last = Number.NEGATIVE_INFINITY;

  return (id, version) => {
    const key = `${version}:${id}`;
    const present = now();
    if (present > last || present < last - MAX_AHEAD_MS) {
      times.clear();
      last = Number.NEGATIVE_INFINITY;
    }
    const known = times.get(key);
    const at = known === undefined ? present : Math.max(present, known + 1);
    times.set(key, at);
    last = Math.max(last, at);
    return at;
  };
}
