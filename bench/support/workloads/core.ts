import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createMemoryStorage } from '../../../src/adapters/memory-storage.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createAgentBus } from '../../../src/application/agents/bus.ts';
import { createAgentRegistry } from '../../../src/application/agents/registry.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import { createErasureGuard } from '../../../src/application/privacy/erasure-guard.ts';
import { createRouting, type Routing } from '../../../src/application/routing/route-goal.ts';
import type { WorkflowRunner } from '../../../src/application/runs/runner.ts';
import { createWorkflowRunner } from '../../../src/application/runs/runner.ts';
import { createWaitItems } from '../../../src/application/runs/wait-items.ts';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import type { SubTask } from '../../../src/domain/routing/routing.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';

const limits = { ...defaultLimits, maxWorkflowSteps: 100_000, maxSubtasks: 1_000 };

/** Creates the core in this process with the example tools; `overrides` and `bounds` replace defaults. */
export function createBenchOrchestrator(
  overrides: Partial<Ports> = {},
  bounds: Partial<Limits> = {},
): Orchestrator {
  const orchestrator = createOrchestrator(defaultPorts(overrides), bounds);
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  return orchestrator;
}

/** A log in memory of few runs. */
function smallRunLog(): RunLog {
  return createMemoryStorage({ limits: { runs: { maxRows: 100, maxBytes: 64 * 1_024 * 1_024 } } }).runs;
}

/** Creates a workflow runner with the no-op tool `nothing`. It saves each layer, by default to a store in memory. */
export function createBenchRunner(runs: RunLog = smallRunLog()): WorkflowRunner {
  const ports = defaultPorts({ runs });
  const tools = createToolRegistry(ports, limits);
  tools.register({
    name: 'nothing',
    description: 'Does nothing',
    input: { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) },
    execute: () => ({}),
  });
  const agentRegistry = createAgentRegistry();
  const targets = { tools, agents: createAgentBus(ports, agentRegistry, limits), agentRegistry };
  const items = createWaitItems(
    { ports, playbook: () => ports.playbook, items: undefined, effectOf: () => 'read' },
    limits,
  );
  return createWorkflowRunner(ports, { targets, items, hasInbox: false }, limits);
}

/** Creates routing with two no-op agents: `at-once` returns an object, `later` a promise. */
export function createBenchRouting(overrides: Partial<Ports> = {}): Routing {
  const ports = defaultPorts(overrides);
  const agents = createAgentRegistry();
  agents.register({ name: 'at-once', description: 'Returns an object', handle: () => ({}) });
  agents.register({ name: 'later', description: 'Returns a promise', handle: async () => ({}) });
  const bus = createAgentBus(ports, agents, limits);
  const erasing = { beginErasable: createErasureGuard(ports), deleteRoute: async () => undefined };
  return createRouting(ports, { agents, bus, ...erasing }, limits);
}

/** Creates routing that does not store its results. */
export function createRoutingWithoutStore(): Routing {
  return createBenchRouting({ routes: { ...defaultPorts().routes, put: async () => {} } });
}

/** Creates `count` subtasks without payload for one agent. */
export function createSubtasks(agentName: string, count: number): SubTask[] {
  return Array.from({ length: count }, () => ({ agentName, payload: {} }));
}

/** The floor of routing: `Promise.allSettled` of `count` no-op functions. */
export function createAllSettled(count: number): () => Promise<unknown> {
  const nothing = async (): Promise<object> => ({});
  const numbers = Array.from({ length: count });
  return () => Promise.allSettled(numbers.map(nothing));
}
