import { invalid, notFound } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { customerIdIssues } from '../../domain/message/message.ts';
import type { ScheduleOrigin } from '../../domain/run/events.ts';
import { replay } from '../../domain/run/evolve.ts';
import type { Run, RunSummary } from '../../domain/run/run.ts';
import { recordOf } from '../../domain/run/state.ts';
import type { RunOrigin } from '../../domain/subject-event.ts';
import type { DefinitionCheck } from '../../domain/workflow/checks/definition.ts';
import type { WorkflowDefinition, WorkflowDraft } from '../../domain/workflow/definition.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Page, PageRequest } from '../../ports/storage/record-store.ts';
import type { RunFilter } from '../../ports/storage/run-log.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { definitionToRun, workflowIdOf } from '../runs/find-workflow.ts';
import { copyInput } from '../runs/run-input.ts';
import type { WorkflowRunner } from '../runs/runner.ts';
import type { Simulator } from '../runs/simulate/simulate.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { createDraftChecks } from './drafts.ts';
import { createWorkflowVersions, type PutResult, type ReplaceOptions } from './versions.ts';

/** The options of a run. */
export interface RunRequest {
  /** True returns the PENDING run at once and runs it later. False when absent. */
  readonly background?: boolean;
  /**
   * Milliseconds after which a run that has not ended is returned as it is then; it continues in the background.
   * Without a limit when absent. Not used with `background`.
   */
  readonly waitMs?: number | undefined;
  /** The value of `$input` in the steps' inputs. Empty when absent. */
  readonly input?: JsonObject;
  /** The id of the run, made by `NewId`; chosen here when absent. A run that has it already is returned as it is. */
  readonly runId?: string | undefined;
  /** The version of the definition; the newest one when absent. */
  readonly version?: number | undefined;
  /** The origin of the run; `api` when absent. */
  readonly origin?: RunOrigin | undefined;
  /** The customer whose data the run has, by whom it is erased: 1 to 128 characters. None when absent. */
  readonly customerId?: string | undefined;
  /** The schedule that starts the run; none when absent. */
  readonly schedule?: ScheduleOrigin | undefined;
}

/**
 * Workflow definitions and their runs (specification, section 4). Each id of a workflow may also be given as
 * `key:<key>`, for the workflow that has the key then; it is `not_found` where none has. Every member rejects with
 * `unavailable` when the store cannot be reached.
 */
export interface Workflows {
  /**
   * Validates and stores a definition, under `id` where it is given. Rejects with `validation`, naming all issues, and
   * with `conflict` when the store is full or another workflow has its key.
   */
  create(draft: WorkflowDraft, id?: string): Promise<WorkflowDefinition>;
  /**
   * Validates a definition and stores it as the next version of a workflow, which runs use that are created from then
   * on. It keeps its key unless the draft has another. Rejects with `validation`, naming all issues, with `not_found`,
   * with `conflict` where another workflow has the key, and with `precondition_failed` where the newest version is
   * another than `ifMatch`. Without `ifMatch` the last caller wins.
   */
  replace(id: string, draft: WorkflowDraft, options?: ReplaceOptions): Promise<WorkflowDefinition>;
  /**
   * Stores a definition under its key: as a new workflow, as the next version, or not at all where nothing differs from
   * the newest one. Of several callers at once one makes the workflow. Rejects as `replace`, but never with
   * `not_found`, with `validation` also for a draft with another key, and with `conflict` when the store is full.
   */
  put(key: string, draft: WorkflowDraft, options?: ReplaceOptions): Promise<PutResult>;
  /** The id of a workflow. Rejects with `not_found` for an unknown key; an id is returned as it is. */
  idOf(reference: string): Promise<string>;
  /** The issues of a draft, and the layers that its steps would have. Stores nothing. */
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

/** Creates the use cases around workflows. */
export function createWorkflows(
  ports: Pick<Ports, 'clock' | 'newId' | 'events' | 'workflows' | 'runs' | 'expressions' | 'schemas'>,
  {
    runner,
    ...targets
  }: {
    readonly tools: Pick<ToolRegistry, 'has' | 'get'>;
    readonly agents: Pick<AgentRegistry, 'has' | 'get'>;
    readonly runner: Pick<WorkflowRunner, 'run' | 'start'>;
  },
  limits: Limits,
): Omit<Workflows, 'simulate'> {
  const { clock, events, workflows, runs } = ports;
  const checks = createDraftChecks(ports, targets, limits);
  const versions = createWorkflowVersions(ports, checks);
  const { get } = versions;
  const idOf = (reference: string): Promise<string> => workflowIdOf(workflows, reference);

  return {
    ...versions,
    list: (page) => workflows.list(page),
    validate: (draft) => checks.inspect(draft),
    idOf,
    async delete(reference) {
      const { id, name, version } = await get(reference);
      if (!(await workflows.delete(id))) throw notFound('workflow', reference);
      events({ type: 'workflow.deleted', workflowId: id, name, seq: version + 1, at: clock.now() });
    },
    async run(
      id,
      { background = false, input = {}, waitMs, runId, version, origin, customerId, schedule } = {},
    ) {
      const issues = customerIdIssues(customerId);
      if (issues.length > 0) throw invalid(issues);
      const ownInput = copyInput(input, limits.maxOutputBytes);
      await yieldIfDue();
      const definition = await definitionToRun(ports.workflows, id, version);
      const request = { definition, input: ownInput, runId, origin, customerId, schedule };
      return background ? runner.start(request) : runner.run(request, waitMs);
    },
    async getRun(reference, runId) {
      const workflowId = await idOf(reference);
      const stored = await runs.get(runId);
      if (stored?.workflowId !== workflowId) throw notFound('execution', runId);
      return recordOf(replay(stored));
    },
    async listRuns(reference, page, filter = {}) {
      const workflowId = await idOf(reference);
      const found = await runs.list(workflowId, filter, page);
      if (found.total === 0 && (await runs.list(workflowId, {}, { limit: 1, offset: 0 })).total === 0) {
        await get(workflowId);
      }
      return found;
    },
  };
}
