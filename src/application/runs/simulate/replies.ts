import { ToolError } from '../../../domain/tool-error.ts';
import type { Awaitable } from '../../../lib/async/awaitable.ts';
import { sleep } from '../../../lib/async/sleep.ts';
import { copyJsonObject } from '../../../lib/json/copy.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { exampleOf } from '../../../lib/json/schema-example.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { Agent } from '../../../ports/agent.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { InputSchema, Tool } from '../../../ports/tool.ts';
import type { AgentBus } from '../../agents/bus.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { StepTargets } from '../run-steps.ts';
import type { Budget } from './budget.ts';
import type { Scopes, SimulatedStep } from './scopes.ts';

/** What {@link createReplies} works with. */
export interface RepliesDeps {
  readonly clock: Clock;
  readonly scopes: Scopes;
  readonly budget: Budget;
  /** The registered tools and agents, none of which is called. */
  readonly tools: Pick<ToolRegistry, 'get'>;
  readonly agents: Pick<AgentRegistry, 'get'>;
  /** Creates a registry that is empty. */
  readonly createTools: () => Pick<ToolRegistry, 'register' | 'has' | 'execute'>;
  /** Creates a bus to these agents. */
  readonly createBus: (agents: Pick<AgentRegistry, 'get'>) => AgentBus;
  /** Bytes of JSON of a schema. */
  readonly maxSchemaBytes: number;
}

/** The name of the tool that stands in for tools which are not registered. */
const STAND_IN = 'mock';

const anyInput: InputSchema<unknown> = {
  safeParse: (data) => ({ success: true, data }),
  toJSONSchema: () => ({}),
};

/**
 * The targets of the steps of a simulation. They go through the real registry and the real bus, so that inputs are
 * checked, and attempts, back-offs and time-outs are as they would be; but each call ends as the mock of its step says.
 */
export function createReplies(deps: RepliesDeps): StepTargets {
  const { clock, scopes, budget, tools, agents, createTools, createBus, maxSchemaBytes } = deps;
  const simulated = createTools();
  const standIns = createTools();
  standIns.register(withReplies({ name: STAND_IN, description: '', input: anyInput, execute: () => ({}) }));
  const registered = createBus({ get: (name) => agents.get(name) && agentWithReplies(name) });
  const unregistered = createBus({ get: agentWithReplies });
  const examples = new Map<string, JsonObject | undefined>();

  function exampleOutput({ name, output }: Tool): JsonObject | undefined {
    if (output === undefined || examples.has(name)) return examples.get(name);
    const schema = output.toJSONSchema({ io: 'output', unrepresentable: 'any' });
    const example = exampleOf(copyJsonObject(schema, maxSchemaBytes));
    const fits = isJsonObject(example) && output.safeParse(example).success;
    examples.set(name, fits ? example : undefined);
    return examples.get(name);
  }

  function reply({ key, mock }: SimulatedStep, signal: AbortSignal, tool?: Tool): Awaitable<JsonObject> {
    if (!budget.spend(1)) return never();
    const end = (): Awaitable<JsonObject> => {
      if (signal.aborted) throw signal.reason;
      if (mock?.error !== undefined) throw new ToolError(mock.error);
      const output = mock?.output ?? (tool && exampleOutput(tool));
      if (output === undefined) throw new ToolError(missingMock(key, tool), { permanent: true });
      return budget.spendOutput(output) ? output : never();
    };
    const { delayMs = 0 } = mock ?? {};
    return delayMs === 0 ? end() : sleep(clock, delayMs, signal).then(end);
  }

  function withReplies(tool: Tool): Tool {
    const { timeoutMs, retry, effect = 'read', name, description, input } = tool;
    return {
      name,
      description,
      input,
      effect,
      timeoutMs,
      retry,
      execute: (_input, { idempotencyKey, signal }) => reply(scopes.called(idempotencyKey), signal, tool),
    };
  }

  function agentWithReplies(name: string): Agent {
    return {
      name,
      description: '',
      handle: ({ id }, { signal }) => reply(scopes.called(id), signal),
    };
  }

  return {
    agentRegistry: agents,
    tools: {
      execute(call, options = {}) {
        const { toolName } = call;
        const tool = tools.get(toolName);
        if (tool === undefined && isMocked(scopes.called(givenKey(options.idempotencyKey)))) {
          return standIns.execute({ ...call, toolName: STAND_IN }, options);
        }
        if (tool !== undefined && !simulated.has(toolName)) simulated.register(withReplies(tool));
        return simulated.execute(call, options);
      },
    },
    agents: {
      send(recipient, payload, options) {
        const callKey = givenKey(options.callKey);
        const isRegistered = agents.get(recipient) !== undefined || !isMocked(scopes.called(callKey));
        return (isRegistered ? registered : unregistered).send(recipient, payload, {
          ...options,
          id: callKey,
        });
      },
    },
  };
}

/** The key of a call, by which its step is found. Each step calls with one. */
function givenKey(key: string | undefined): string {
  if (key === undefined) throw new Error('a simulated step calls without a key');
  return key;
}

/** Whether the mock of a step says how it ends. */
function isMocked({ mock }: SimulatedStep): boolean {
  return mock !== undefined && (mock.output ?? mock.error) !== undefined;
}

function missingMock(key: string, tool: Tool | undefined): string {
  const text = `give a mock for step ${quote(key)}`;
  return tool?.output === undefined
    ? `simulate: ${text}`
    : `simulate: no example fits the output schema of tool ${quote(tool.name)}: ${text}`;
}

/** A simulation that was stopped goes on no more. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
