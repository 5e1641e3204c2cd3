import { z } from 'zod';
import { createAgentBus } from '../../../src/application/agents/bus.ts';
import { createAgentRegistry } from '../../../src/application/agents/registry.ts';
import { createItemWriter } from '../../../src/application/inbox/item-writer.ts';
import { createDurability, createEffectOf } from '../../../src/application/runs/recovery.ts';
import { createRunControl } from '../../../src/application/runs/run-control.ts';
import { createWorkflowRunner } from '../../../src/application/runs/runner.ts';
import { createWaitItems } from '../../../src/application/runs/wait-items.ts';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { createWorkflows } from '../../../src/application/workflows/workflows.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import type { RecoveryPolicy } from '../../../src/domain/run/recover.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { Tool, ToolContext, ToolEffect } from '../../../src/ports/tool.ts';
import { testPorts } from '../ports.ts';

/** Options of the test engine. */
export interface TestEngineOptions {
  readonly ports?: Partial<Ports>;
  readonly limits?: Partial<Limits>;
  /** Runs are durable where it is given. */
  readonly recovery?: RecoveryPolicy;
}

/** A complete workflow engine over {@link testPorts}. */
export function createTestEngine(options: TestEngineOptions = {}) {
  const { ports, clock, recorded, logger } = testPorts(options.ports);
  const limits = { ...defaultLimits, ...options.limits };
  const tools = createToolRegistry(ports, limits);
  const agents = createAgentRegistry();
  const bus = createAgentBus(ports, agents, limits);
  const { recovery } = options;
  const items = createItemWriter(ports);
  const effectOf = createEffectOf({ tools, agents });
  const waitItems = createWaitItems({ ports, playbook: () => ports.playbook, items, effectOf }, limits);
  const runner = createWorkflowRunner(
    ports,
    {
      targets: { tools, agents: bus, agentRegistry: agents },
      items: waitItems,
      hasInbox: true,
      durability:
        recovery && createDurability(recovery, { hasInbox: true, effectOf, ready: Promise.resolve() }),
    },
    limits,
  );
  const control = createRunControl(ports, runner, limits, waitItems);
  const workflows = createWorkflows(ports, { tools, agents, runner }, limits);
  return {
    clock,
    recorded,
    logger,
    runs: ports.runs,
    inbox: ports.inbox,
    runQueue: ports.runQueue,
    tools,
    agents,
    runner,
    control,
    waitItems,
    workflows,
    /** Registers a tool that accepts any input. */
    tool(
      name: string,
      execute: (input: JsonObject, context: ToolContext) => ReturnType<Tool['execute']>,
      effect: ToolEffect = 'read',
    ) {
      const tool: Tool<JsonObject> = { name, description: name, input: anyInput, effect, execute };
      tools.register(tool);
    },
    /** Creates a workflow with these steps. */
    define: (...steps: readonly Step[]) => workflows.create({ name: 'sample', description: '', steps }),
  };
}

const anyInput = z.record(z.string(), z.json());

/** A step that calls a tool. */
export function callTool(
  id: string,
  toolName: string,
  staticInput: JsonObject = {},
  dependsOn: readonly string[] = [],
): Step {
  return { id, kind: 'tool', toolName, dependsOn, staticInput };
}

/** A step that calls an agent. */
export function callAgent(
  id: string,
  agentName: string,
  staticInput: JsonObject = {},
  dependsOn: readonly string[] = [],
): Step {
  return { id, kind: 'agent', agentName, dependsOn, staticInput };
}
