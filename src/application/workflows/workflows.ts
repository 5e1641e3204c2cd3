import { invalid, notFound } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { replay } from '../../domain/run/evolve.ts';
import type { Run, RunSummary } from '../../domain/run/run.ts';
import { recordOf } from '../../domain/run/state.ts';
import type { Step, StepDraft, WorkflowDefinition, WorkflowDraft } from '../../domain/workflow/definition.ts';
import { type ValidationRules, validateWorkflow } from '../../domain/workflow/validation.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Page, PageRequest } from '../../ports/storage/record-store.ts';
import type { RunFilter } from '../../ports/storage/run-log.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { copyInput } from '../runs/control/copy-input.ts';
import type { WorkflowRunner } from '../runs/runner.ts';
import type { ToolRegistry } from '../tools/registry.ts';

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
  /** The id of the run, made by `NewId`; chosen here when absent. */
  readonly runId?: string | undefined;
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
  /** One definition. Rejects with `not_found`. */
  get(id: string): Promise<WorkflowDefinition>;
  /** Definitions, newest first. */
  list(page: PageRequest): Promise<Page<WorkflowDefinition>>;
  /** Deletes a definition. Running runs continue, and the records of its runs stay. Rejects with `not_found`. */
  delete(id: string): Promise<void>;
  /** Runs a definition: see `WorkflowRunner`. Rejects with `not_found`, and with `validation` for an input that is not JSON. */
  run(id: string, request?: RunRequest): Promise<Run>;
  /** One run of this workflow. Rejects with `not_found`, also for a run of another workflow. */
  getRun(workflowId: string, runId: string): Promise<Run>;
  /**
   * Runs of a workflow that match `filter`, without their step results, newest first; also of a deleted workflow while
   * runs of it are stored. Rejects with `not_found` where there is neither a definition nor a run.
   */
  listRuns(workflowId: string, page: PageRequest, filter?: RunFilter): Promise<Page<RunSummary>>;
}

type WorkflowPorts = Pick<Ports, 'clock' | 'newId' | 'events' | 'workflows' | 'runs'>;

/** Dependencies of the workflow use cases, in addition to their ports. */
export interface WorkflowDeps {
  readonly tools: Pick<ToolRegistry, 'has'>;
  readonly agents: Pick<AgentRegistry, 'has'>;
  readonly runner: Pick<WorkflowRunner, 'run' | 'start'>;
}

/** Creates the use cases around workflows. */
export function createWorkflows(ports: WorkflowPorts, deps: WorkflowDeps, limits: Limits): Workflows {
  const { clock, newId, events, workflows, runs } = ports;
  const { tools, agents, runner } = deps;
  const rules: ValidationRules = {
    maxSteps: limits.maxWorkflowSteps,
    hasTool: (tool) => tools.has(tool),
    hasAgent: (agent) => agents.has(agent),
  };

  async function get(id: string): Promise<WorkflowDefinition> {
    const definition = await workflows.get(id);
    if (definition === undefined) throw notFound('workflow', id);
    return definition;
  }

  return {
    get,
    list: (page) => workflows.list(page),
    async create({ name, description = '', steps: draft }, id = newId()) {
      const steps = copySteps(draft, limits.maxOutputBytes);
      const { issues, warnings, layers } = validateWorkflow(steps, rules);
      if (issues.length > 0) throw invalid(issues);
      const at = clock.now();
      const definition = { id, name, description, steps, layers, warnings, createdAt: isoTime(at) };
      await workflows.put(definition);
      events({ type: 'workflow.created', workflowId: id, name, seq: 1, at });
      return definition;
    },
    async delete(id) {
      const { name } = await get(id);
      if (!(await workflows.delete(id))) throw notFound('workflow', id);
      events({ type: 'workflow.deleted', workflowId: id, name, seq: 2, at: clock.now() });
    },
    async run(id, { background = false, input = {}, waitMs, runId } = {}) {
      const ownInput = copyInput(input, limits.maxOutputBytes);
      const definition = await get(id);
      return background
        ? runner.start({ definition, input: ownInput, runId })
        : runner.run({ definition, input: ownInput, runId }, waitMs);
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

/** Copies the steps. An input that is not JSON is an issue of its step. */
function copySteps(drafts: readonly StepDraft[], maxBytes: number): Step[] {
  const issues: string[] = [];
  const copies = drafts.map((draft, index): Step => {
    const step: Step = { ...draft, dependsOn: [...(draft.dependsOn ?? [])], staticInput: {} };
    try {
      return { ...step, staticInput: copyJsonObject(draft.staticInput ?? {}, maxBytes) };
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      issues.push(`steps.${index}.static_input: ${error.message}`);
      return step;
    }
  });
  if (issues.length > 0) throw invalid(issues);
  return copies;
}
