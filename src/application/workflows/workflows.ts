import { invalid, notFound } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import type { Run, RunSummary } from '../../domain/run/run.ts';
import type { Step, StepDraft, WorkflowDefinition, WorkflowDraft } from '../../domain/workflow/definition.ts';
import { type ValidationRules, validateWorkflow } from '../../domain/workflow/validation.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Page, PageRequest } from '../../ports/record-store.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { WorkflowRunner } from '../runs/runner.ts';
import type { ToolRegistry } from '../tools/registry.ts';

/** What a run is asked for with. */
export interface RunRequest {
  /** True to have the PENDING execution at once, and the run later. False when absent. */
  readonly background?: boolean;
  /** What `$input` stands for in the steps' inputs. Empty when absent. */
  readonly input?: JsonObject;
}

/** Workflow definitions and their executions (specification, section 4). Every member rejects with `unavailable` when the store cannot be reached. */
export interface Workflows {
  /** Checks and keeps a definition. Rejects with `validation`, naming all faults, and with `conflict` where there is no room. */
  create(draft: WorkflowDraft): Promise<WorkflowDefinition>;
  /** One definition. Rejects with `not_found`. */
  get(id: string): Promise<WorkflowDefinition>;
  /** Definitions, newest first. */
  list(page: PageRequest): Promise<Page<WorkflowDefinition>>;
  /** Deletes a definition; runs under way go on, and its executions stay. Rejects with `not_found`. */
  delete(id: string): Promise<void>;
  /** Runs a definition: see `WorkflowRunner`. Rejects with `not_found`, and with `validation` for an input that is no JSON. */
  run(id: string, request?: RunRequest): Promise<Run>;
  /** One execution of this workflow. Rejects with `not_found`, also for another workflow's execution. */
  getRun(workflowId: string, runId: string): Promise<Run>;
  /**
   * Executions of a workflow without their step results, newest first; also of a deleted one while any is kept.
   * Rejects with `not_found` where there is neither a definition nor an execution.
   */
  listRuns(workflowId: string, page: PageRequest): Promise<Page<RunSummary>>;
}

type WorkflowPorts = Pick<Ports, 'clock' | 'newId' | 'workflows' | 'runs'>;

/** What the use cases stand on beside their ports. */
export interface WorkflowParts {
  readonly tools: Pick<ToolRegistry, 'has'>;
  readonly agents: Pick<AgentRegistry, 'has'>;
  readonly runner: Pick<WorkflowRunner, 'run' | 'start'>;
}

/** The use cases around workflows. */
export function createWorkflows(ports: WorkflowPorts, parts: WorkflowParts, limits: Limits): Workflows {
  const { clock, newId, workflows, runs } = ports;
  const { tools, agents, runner } = parts;
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
    async create({ name, description = '', steps: draft }) {
      const steps = copySteps(draft, limits.maxOutputBytes);
      const { issues: faults, warnings, layers } = validateWorkflow(steps, rules);
      if (faults.length > 0) throw invalid(faults);
      const definition = {
        id: newId(),
        name,
        description,
        steps,
        layers,
        warnings,
        createdAt: isoTime(clock.now()),
      };
      await workflows.put(definition);
      return definition;
    },
    async delete(id) {
      if (!(await workflows.delete(id))) throw notFound('workflow', id);
    },
    async run(id, { background = false, input = {} } = {}) {
      const ownInput = copyInput(input, limits.maxOutputBytes);
      const definition = await get(id);
      return background ? runner.start(definition, ownInput) : runner.run(definition, ownInput);
    },
    async getRun(workflowId, runId) {
      const execution = await runs.get(runId);
      if (execution?.workflowId !== workflowId) throw notFound('execution', runId);
      return execution;
    },
    async listRuns(workflowId, page) {
      const found = await runs.list(workflowId, page);
      if (found.total === 0) await get(workflowId);
      return found;
    },
  };
}

/** A copy of a run's input, so that the caller's object may change while the run goes on. */
function copyInput(input: JsonObject, maxBytes: number): JsonObject {
  try {
    return copyJsonObject(input, maxBytes);
  } catch (error) {
    throw error instanceof JsonError ? invalid([`input: ${error.message}`]) : error;
  }
}

/** The steps as records of their own; what is no JSON is a fault of its step. */
function copySteps(drafts: readonly StepDraft[], maxBytes: number): Step[] {
  const faults: string[] = [];
  const copies = drafts.map((draft, number): Step => {
    const step: Step = { ...draft, dependsOn: [...(draft.dependsOn ?? [])], staticInput: {} };
    try {
      return { ...step, staticInput: copyJsonObject(draft.staticInput ?? {}, maxBytes) };
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      faults.push(`steps.${number}.static_input: ${error.message}`);
      return step;
    }
  });
  if (faults.length > 0) throw invalid(faults);
  return copies;
}
