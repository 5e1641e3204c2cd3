import { notFound } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { replay } from '../../domain/run/evolve.ts';
import type { Run, RunSummary } from '../../domain/run/run.ts';
import { recordOf } from '../../domain/run/state.ts';
import type { RunOrigin } from '../../domain/subject-event.ts';
import type { DefinitionCheck } from '../../domain/workflow/checks/definition.ts';
import type { WorkflowDefinition, WorkflowDraft } from '../../domain/workflow/definition.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Page, PageRequest } from '../../ports/storage/record-store.ts';
import type { RunFilter } from '../../ports/storage/run-log.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { copyInput } from '../runs/control/copy-input.ts';
import type { Simulator } from '../runs/simulate/simulate.ts';
import type { WorkflowRunner } from '../runs/workflow-runner.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { createDraftChecks } from './check-draft.ts';
import { createCreationTime } from './creation-time.ts';
import { definitionToRun } from './definition-to-run.ts';
import { createWorkflowVersions } from './versions.ts';

/** The options of a run. */
export interface RunRequest {
  /** True returns the PENDING run at once and runs it later. False when absent. */
  readonly background?: boolean;
  /**
   * Milliseconds after which a run that has not ended is returned as it is then; it continues in the background. Without
   * a limit when absent. Not used with `background`.
   */
  readonly waitMs?: number | undefined;
  /** The value of `$input` in the steps' inputs. Empty when absent. */
  readonly input?: JsonObject;
  /** The id of the run, made by `NewId`; chosen here when absent. A run that has it already is returned as it is. */
  readonly runId?: string | undefined;
  /** The version of the definition; the newest one when absent. */
  readonly version?: number | undefined;
  /** What starts the run; `api` when absent. */
  readonly origin?: RunOrigin | undefined;
}

/** The options of a replacement. */
export interface ReplaceOptions {
  /** The newest version as the caller has seen it; any when absent. */
  readonly ifMatch?: number | undefined;
}

/**
 * Workflow definitions and their runs (specification, section 4). Every member rejects with `unavailable` when the store
 * cannot be reached.
 */
export interface Workflows {
  /**
   * Validates and stores a definition, under `id` where it is given. Rejects with `validation`, naming all issues, and
   * with `conflict` when the store is full.
   */
  create(draft: WorkflowDraft, id?: string): Promise<WorkflowDefinition>;
  /**
   * Validates a definition and stores it as the next version of a workflow, which runs use that are created from then on.
   * Rejects with `validation`, naming all issues, with `not_found`, and with `precondition_failed` where the newest
   * version is another than `ifMatch`. Without `ifMatch` the last caller wins.
   */
  replace(id: string, draft: WorkflowDraft, options?: ReplaceOptions): Promise<WorkflowDefinition>;
  /** What is wrong with a draft, and the layers that its steps would have. Stores nothing. */
  validate(draft: WorkflowDraft): Promise<DefinitionCheck>;
  /** The newest version of a definition. Rejects with `not_found`. */
  get(id: string): Promise<WorkflowDefinition>;
  /** One version of a definition. Rejects with `not_found`, also where it is so old that it is no longer kept. */
  getVersion(id: string, version: number): Promise<WorkflowDefinition>;
  /** The versions of a definition that are kept, newest first. Rejects with `not_found`. */
  versions(id: string, page: PageRequest): Promise<Page<WorkflowDefinition>>;
  /** The newest version of each definition. The workflow that was created last comes first. */
  list(page: PageRequest): Promise<Page<WorkflowDefinition>>;
  /**
   * Deletes a definition with all its versions. Running runs continue, and the records of its runs stay. Rejects with
   * `not_found`.
   */
  delete(id: string): Promise<void>;
  /**
   * Runs a definition: see `WorkflowRunner`. Rejects with `not_found`, and with `validation` for an input that is not
   * JSON and for an unknown version.
   */
  run(id: string, request?: RunRequest): Promise<Run>;
  /** Simulates a run: see `Simulator`. Nothing is stored, called or emitted. */
  simulate: Simulator['simulate'];
  /** One run of this workflow. Rejects with `not_found`, also for a run of another workflow. */
  getRun(workflowId: string, runId: string): Promise<Run>;
  /**
   * Runs of a workflow that match `filter`, without their step results, newest first; also of a deleted workflow while
   * runs of it are stored. Rejects with `not_found` where there is neither a definition nor a run.
   */
  listRuns(workflowId: string, page: PageRequest, filter?: RunFilter): Promise<Page<RunSummary>>;
}

type WorkflowPorts = Pick<
  Ports,
  'clock' | 'newId' | 'events' | 'workflows' | 'runs' | 'expressions' | 'schemas'
>;

/** Dependencies of the workflow use cases, in addition to their ports. */
export interface WorkflowDeps {
  readonly tools: Pick<ToolRegistry, 'has' | 'get'>;
  readonly agents: Pick<AgentRegistry, 'has' | 'get'>;
  readonly runner: Pick<WorkflowRunner, 'run' | 'start'>;
}

/** Creates the use cases around workflows. */
export function createWorkflows(
  ports: WorkflowPorts,
  deps: WorkflowDeps,
  limits: Limits,
): Omit<Workflows, 'simulate'> {
  const { clock, newId, events, workflows, runs } = ports;
  const { runner } = deps;
  const checks = createDraftChecks(ports, deps, limits);
  const creationTime = createCreationTime(clock);
  const versions = createWorkflowVersions(ports, checks, creationTime);
  const { get } = versions;

  return {
    ...versions,
    list: (page) => workflows.list(page),
    validate: (draft) => checks.inspect(draft),
    async create(draft, id = newId()) {
      const checked = await checks.accept(draft);
      const at = creationTime(id, 1);
      const definition = { id, version: 1, ...checked, createdAt: isoTime(at) };
      await workflows.put(definition);
      events({ type: 'workflow.created', workflowId: id, name: definition.name, seq: 1, at });
      return definition;
    },
    async delete(id) {
      const { name, version } = await get(id);
      if (!(await workflows.delete(id))) throw notFound('workflow', id);
      events({ type: 'workflow.deleted', workflowId: id, name, seq: version + 1, at: clock.now() });
    },
    async run(id, { background = false, input = {}, waitMs, runId, version, origin } = {}) {
      const ownInput = copyInput(input, limits.maxOutputBytes);
      const definition = await definitionToRun(ports.workflows, id, version);
      return background
        ? runner.start({ definition, input: ownInput, runId, origin })
        : runner.run({ definition, input: ownInput, runId, origin }, waitMs);
    },
    async getRun(workflowId, runId) {
      const stored = await runs.get(runId);
      if (stored?.workflowId !== workflowId) throw notFound('execution', runId);
      return recordOf(replay(stored));
    },
    async listRuns(workflowId, page, filter = {}) {
      const found = await runs.list(workflowId, filter, page);
      if (found.total === 0 && (await runs.list(workflowId, {}, { limit: 1, offset: 0 })).total === 0) {
        await get(workflowId);
      }
      return found;
    },
  };
}
