import { z } from 'zod';
import { createOrchestrator, type OrchestratorOptions } from '../../../src/application/orchestrator.ts';
import type { Mocks, SimulatedRun } from '../../../src/application/runs/simulate/simulate.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import type {
  StepDraft,
  WorkflowDefinition,
  WorkflowDraft,
} from '../../../src/domain/workflow/definition.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { ToolEffect } from '../../../src/ports/tool.ts';
import { testPorts } from '../ports.ts';

/** Options of {@link createTestSimulator}. */
export interface TestSimulatorOptions {
  readonly ports?: Partial<Ports>;
  readonly limits?: Partial<Limits>;
  readonly options?: OrchestratorOptions;
}

/** An orchestrator for simulations, with a tool of each effect and an agent. None of them may be called. */
export function createTestSimulator({ ports: given, limits, options }: TestSimulatorOptions = {}) {
  const { ports, clock, recorded, logger } = testPorts(given);
  const orchestrator = createOrchestrator(ports, limits, { builtInAgents: [], ...options });
  const called = (): never => {
    throw new Error('a simulation calls nothing');
  };
  for (const effect of ['read', 'idempotent', 'write'] satisfies ToolEffect[]) {
    const tool = { name: effect, description: effect, input: z.record(z.string(), z.json()), effect };
    orchestrator.tools.register({ ...tool, execute: called });
  }
  orchestrator.agents.register({ name: 'agent', description: 'agent', handle: called });

  async function define(
    steps: readonly StepDraft[],
    draft: Partial<WorkflowDraft> = {},
  ): Promise<WorkflowDefinition> {
    return orchestrator.workflows.create({ name: 'sample', ...draft, steps });
  }

  return {
    orchestrator,
    ports,
    clock,
    recorded,
    logger,
    /** Creates a workflow with these steps. */
    define,
    /** Creates a workflow with these steps, and simulates it. */
    async simulate(
      steps: readonly StepDraft[],
      mocks: Mocks = {},
      { input, ...draft }: Partial<WorkflowDraft> & { readonly input?: JsonObject } = {},
    ): Promise<SimulatedRun> {
      const { id } = await define(steps, draft);
      return orchestrator.workflows.simulate(id, { input, mocks });
    },
  };
}

/** A step that calls a tool. */
export function tool(id: string, rest: Partial<Extract<StepDraft, { kind: 'tool' }>> = {}): StepDraft {
  return { id, kind: 'tool', toolName: 'read', ...rest };
}

/** The result of a step. */
export function resultOf(run: SimulatedRun, stepId: string) {
  const result = run.stepResults.find((one) => one.stepId === stepId);
  if (result === undefined) throw new Error(`there is no step ${stepId}`);
  return result;
}

/** The end of each step: its status, after it its error where there is one. */
export function endsOf(run: SimulatedRun): Readonly<Record<string, string>> {
  return Object.fromEntries(
    run.stepResults.map(({ stepId, status, error }) => [
      stepId,
      error === null ? status : `${status}: ${error}`,
    ]),
  );
}
