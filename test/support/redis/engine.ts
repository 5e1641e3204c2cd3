import { z } from 'zod';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import { replay } from '../../../src/domain/run/evolve.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import { recordOf } from '../../../src/domain/run/state.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import { defaultPorts } from '../../../src/entries/defaults.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import type { Tool, ToolContext } from '../../../src/ports/tool.ts';
import { recordEvents } from '../fakes.ts';
import type { StoresUnderTest } from './stores.ts';

/** A replica: the whole core over a real store, without built-in agents. */
export function createRedisEngine(
  { ports: stored, logger }: Pick<StoresUnderTest, 'ports' | 'logger'>,
  limits: Partial<Limits> = {},
  overrides: Partial<Ports> = {},
) {
  const recorded = recordEvents();
  const ports = defaultPorts({ ...stored, logger, events: recorded.sink, ...overrides });
  const orchestrator = createOrchestrator(ports, limits, { builtInAgents: [] });
  return {
    ...orchestrator,
    log: stored.runs,
    logger,
    recorded,
    /** Registers a tool that accepts any input. Its effect is `write`, so that it is never repeated. */
    tool(name: string, execute: (input: JsonObject, context: ToolContext) => ReturnType<Tool['execute']>) {
      const tool: Tool<JsonObject> = { name, description: name, effect: 'write', input: anyInput, execute };
      orchestrator.tools.register(tool);
    },
    /** Creates a workflow with these steps. */
    define: (...steps: readonly Step[]) =>
      orchestrator.workflows.create({ name: 'sample', description: '', steps }),
  };
}

/** A replica of {@link createRedisEngine}. */
export type RedisEngine = ReturnType<typeof createRedisEngine>;

const anyInput = z.record(z.string(), z.json());

/** The record that the events of a run replay to, as the store has them. */
export async function replayed({ log }: Pick<RedisEngine, 'log'>, runId: string): Promise<Run> {
  const stored = await log.get(runId);
  if (stored === undefined) throw new Error(`the run ${runId} is not stored`);
  return recordOf(replay(stored));
}
