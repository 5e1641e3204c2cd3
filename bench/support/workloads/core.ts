import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createAgentBus } from '../../../src/application/agents/bus.ts';
import { createAgentRegistry } from '../../../src/application/agents/registry.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import { createRouting, type Routing } from '../../../src/application/routing/route-goal.ts';
import { createWorkflowRunner, type WorkflowRunner } from '../../../src/application/runs/runner.ts';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import type { SubTask } from '../../../src/domain/routing/routing.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { RunStore } from '../../../src/ports/run-store.ts';

const limits = { ...defaultLimits, maxWorkflowSteps: 100_000, maxSubtasks: 1_000 };

/** The core in this process with the example tools; `overrides` and `bounds` replace defaults. */
export function createBenchOrchestrator(
  overrides: Partial<Ports> = {},
  bounds: Partial<Limits> = {},
): Orchestrator {
  const orchestrator = createOrchestrator(defaultPorts(overrides), bounds);
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  return orchestrator;
}

/** The workflow engine in this process: a tool that does nothing, each layer saved, by default to a store in memory. */
export function createBenchRunner(
  runs: RunStore = createMemoryRunStore({ maxRecords: 100 }),
): WorkflowRunner {
  const ports = defaultPorts({ runs });
  const tools = createToolRegistry(ports, limits);
  tools.register({
    name: 'nothing',
    description: 'Does nothing',
    input: { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) },
    execute: () => ({}),
  });
  const agents = createAgentBus(ports, createAgentRegistry(), limits);
  return createWorkflowRunner(ports, { tools, agents }, limits);
}

/** Routing in this process, to two agents that do nothing: `at-once` replies an object, `later` a promise of one. */
export function createBenchRouting(overrides: Partial<Ports> = {}): Routing {
  const ports = defaultPorts(overrides);
  const agents = createAgentRegistry();
  agents.register({ name: 'at-once', description: 'Replies at once', handle: () => ({}) });
  agents.register({ name: 'later', description: 'Replies with a promise', handle: async () => ({}) });
  return createRouting(ports, { agents, bus: createAgentBus(ports, agents, limits) }, limits);
}

/** Routing whose history nobody keeps. */
export function createRoutingWithoutStore(): Routing {
  return createBenchRouting({ routes: { ...defaultPorts().routes, put: async () => {} } });
}

/** As many subtasks without payload for one agent. */
export function createSubtasks(agentName: string, count: number): SubTask[] {
  return Array.from({ length: count }, () => ({ agentName, payload: {} }));
}

/** The floor of routing: as many functions that do nothing, awaited together. */
export function createAllSettled(count: number): () => Promise<unknown> {
  const nothing = async (): Promise<object> => ({});
  const numbers = Array.from({ length: count });
  return () => Promise.allSettled(numbers.map(nothing));
}
