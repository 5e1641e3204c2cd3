import { z } from 'zod';
import { createMemoryRecordStore } from '../../../src/adapters/memory/record-store.ts';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { createAgentBus } from '../../../src/application/agents/bus.ts';
import { createAgentRegistry } from '../../../src/application/agents/registry.ts';
import { createWorkflowRunner } from '../../../src/application/runs/runner.ts';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { createWorkflows } from '../../../src/application/workflows/workflows.ts';
import type { EventSink } from '../../../src/domain/events.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import type { Step, WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { RunStore } from '../../../src/ports/run-store.ts';
import type { Telemetry } from '../../../src/ports/telemetry.ts';
import type { Tool, ToolContext } from '../../../src/ports/tool.ts';
import { createFakeClock } from '../fake-clock.ts';
import { countingIds, noTelemetry, recordEvents, recordLogs } from '../fakes.ts';

/** What a test may choose of its workflow engine. */
export interface RigOptions {
  readonly limits?: Partial<Limits>;
  readonly runs?: RunStore;
  readonly telemetry?: Telemetry;
  readonly logger?: Logger;
  readonly events?: EventSink;
}

/** A whole workflow engine in memory, with a clock that stands still. */
export function workflowRig(options: RigOptions = {}) {
  const clock = createFakeClock();
  const told = recordEvents();
  const logger = recordLogs();
  const limits = { ...defaultLimits, ...options.limits };
  const runs = options.runs ?? createMemoryRunStore({ maxRecords: 20_000 });
  const definitions = createMemoryRecordStore<WorkflowDefinition, WorkflowDefinition>({
    idOf: ({ id }) => id,
    summarize: (definition) => definition,
    maxRecords: 1_000,
  });
  const ports = {
    clock,
    newId: countingIds(),
    random: () => 0.5,
    logger: options.logger ?? logger,
    events: options.events ?? told.sink,
    telemetry: options.telemetry ?? noTelemetry,
    runs,
    workflows: definitions,
  };
  const tools = createToolRegistry(ports, limits);
  const agents = createAgentRegistry();
  const bus = createAgentBus(ports, agents, limits);
  const runner = createWorkflowRunner(ports, { tools, agents: bus }, limits);
  const workflows = createWorkflows(ports, { tools, agents, runner }, limits);
  return {
    ...{ clock, told, logger, runs, tools, agents, runner, workflows },
    /** Registers a tool that takes any input. */
    tool(name: string, execute: (input: JsonObject, context: ToolContext) => ReturnType<Tool['execute']>) {
      const tool: Tool<JsonObject> = { name, description: name, input: anyInput, execute };
      tools.register(tool);
    },
    /** Keeps a definition of these steps. */
    define: (...steps: readonly Step[]) => workflows.create({ name: 'sample', description: '', steps }),
  };
}

const anyInput = z.record(z.string(), z.json());

/** A step that calls the tool of that name. */
export function callTool(
  id: string,
  toolName: string,
  staticInput: JsonObject = {},
  dependsOn: readonly string[] = [],
): Step {
  return { id, kind: 'tool', toolName, dependsOn, staticInput };
}

/** A step that sends its input to the agent of that name. */
export function askAgent(
  id: string,
  agentName: string,
  staticInput: JsonObject = {},
  dependsOn: readonly string[] = [],
): Step {
  return { id, kind: 'agent', agentName, dependsOn, staticInput };
}

/** A promise, and what settles it. */
export function gate<T = void>() {
  return Promise.withResolvers<T>();
}
