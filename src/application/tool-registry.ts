import type { ToolExecuted } from '../domain/events.ts';
import { copyJsonObject, type JsonObject } from '../domain/json.ts';
import type { ToolCall, ToolOutcome } from '../domain/message.ts';
import { checkRegistration, registrationFault } from '../domain/registration.ts';
import type { Ports } from '../ports/ports.ts';
import type { Span } from '../ports/telemetry.ts';
import { type InputIssue, type Tool, toolEffects } from '../ports/tool.ts';
import { bounded } from './bounded.ts';
import type { Limits } from './limits.ts';
import { backoffMs, pause } from './retry.ts';
import { isInstance } from './safe-error.ts';
import { type ToolFailure, toolFailure } from './tool-failure.ts';

/** What a caller may say of a tool call beside its name and input. */
export interface ExecuteOptions {
  /** The same for every repeat of one call, so that a remote system can tell; a new one when absent. */
  readonly idempotencyKey?: string;
  /** Aborted when the call is no longer wanted: it then ends as failed. */
  readonly signal?: AbortSignal | undefined;
  /** Told of the outcome instead of the events port; whoever takes it passes it on. */
  readonly tell?: (event: ToolExecuted) => void;
}

/** The tools that there are, and the one way to call them, the same for every caller (specification, section 1). */
export interface ToolRegistry {
  /** Adds a tool; throws `registration` for a name that is taken or not allowed, or a tool that is not whole. */
  register(tool: Tool): void;
  has(name: string): boolean;
  /** All tools, in the order of their registration. */
  list(): readonly Tool[];
  /**
   * Calls a tool: checks the input, bounds each attempt, retries what may be retried, tells the outcome once.
   * Never rejects: whatever goes wrong is in the outcome (decisions, section 5).
   */
  execute(call: ToolCall, options?: ExecuteOptions): Promise<ToolOutcome>;
}

type RegistryPorts = Pick<Ports, 'clock' | 'newId' | 'random' | 'logger' | 'events' | 'telemetry'>;

interface Attempts {
  readonly count: number;
  readonly output: JsonObject | null;
  readonly error: string | null;
}

/** An empty tool registry. */
export function createToolRegistry(ports: RegistryPorts, limits: Limits): ToolRegistry {
  const { clock, logger, random, telemetry } = ports;
  const tools = new Map<string, Tool>();

  /** One attempt. Throws what went wrong, or returns the tool's output as a copy of its own. */
  async function attempt(
    tool: Tool,
    call: ToolCall,
    number: number,
    idempotencyKey: string,
    signal?: AbortSignal,
  ): Promise<JsonObject> {
    const parsed = tool.input.safeParse(copyJsonObject(call.input, limits.maxOutputBytes));
    if (!parsed.success) throw invalidInput(parsed.error.issues);
    const output = await bounded(
      (lazy) =>
        tool.execute(parsed.data, {
          get signal() {
            return lazy.signal;
          },
          attempt: number,
          logger,
          idempotencyKey,
        }),
      { clock, timeoutMs: limits.toolTimeoutMs, signal },
    );
    return copyJsonObject(output, limits.maxOutputBytes);
  }

  async function attempts(
    tool: Tool,
    call: ToolCall,
    options: ExecuteOptions,
    span: Span,
  ): Promise<Attempts> {
    const key = options.idempotencyKey ?? ports.newId();
    for (let number = 1; ; number++) {
      let failure: ToolFailure;
      try {
        const output = await attempt(tool, call, number, key, options.signal);
        return { count: number, output, error: null };
      } catch (error) {
        if (isInstance(error, InvalidInput)) return { count: 0, output: null, error: error.message };
        failure = toolFailure(error);
        logger.warn('tool attempt failed', {
          tool_name: tool.name,
          attempt: number,
          reason: failure.text,
          err: error,
        });
      }
      if (number >= limits.toolMaxAttempts || !mayRetry(tool, failure)) {
        return { count: number, output: null, error: failure.text };
      }
      span.event('retry', { attempt: number, reason: failure.text });
      await pause(clock, backoffMs(number, random), options.signal);
    }
  }

  return {
    register(tool) {
      checkRegistration('tool', tool.name, (name) => tools.has(name));
      checkTool(tool);
      tools.set(tool.name, tool);
    },
    has: (name) => tools.has(name),
    list: () => [...tools.values()],
    async execute(call, options = {}) {
      const tool = tools.get(call.toolName);
      const started = clock.monotonic();
      const ended =
        tool === undefined
          ? {
              count: 0,
              output: null,
              error: `no tool ${JSON.stringify(call.toolName.slice(0, 64))} is registered`,
            }
          : await telemetry.span('execute_tool', { tool_name: tool.name }, async (span) => {
              const result = await attempts(tool, call, options, span);
              if (result.error !== null) span.fail('tool_error');
              return result;
            });
      const outcome: ToolOutcome = {
        toolName: call.toolName,
        input: call.input,
        status: ended.error === null ? 'success' : 'error',
        output: ended.output,
        attempts: ended.count,
        error: ended.error,
        durationMs: clock.monotonic() - started,
      };
      const tell = options.tell ?? ports.events;
      tell({ type: 'tool.executed', at: clock.now(), registered: tool !== undefined, outcome });
      return outcome;
    },
  };
}

class InvalidInput extends Error {}

function invalidInput(issues: readonly InputIssue[]): InvalidInput {
  const faults = issues.map(
    ({ path, message }) => `${path.length === 0 ? 'input' : path.join('.')}: ${message}`,
  );
  return new InvalidInput(`invalid input: ${faults.join('; ')}`.slice(0, 500));
}

/** A `write` that may have begun to act is not repeated, unless its error says that it did nothing. */
function mayRetry(tool: Tool, failure: ToolFailure): boolean {
  if (failure.permanent) return false;
  return tool.effect !== 'write' || failure.safeToRetry;
}

/** Tools may come from modules that nobody type-checked, so what the registry relies on is looked at once. */
function checkTool(tool: Tool): void {
  const fault = (text: string) => registrationFault('tool', tool.name, text);
  if (typeof tool.description !== 'string') throw fault('has no description');
  if (typeof tool.execute !== 'function') throw fault('has no execute function');
  if (typeof tool.input?.safeParse !== 'function' || typeof tool.input.toJSONSchema !== 'function') {
    throw fault('has no input schema: expected a zod schema');
  }
  if (tool.effect !== undefined && !toolEffects.includes(tool.effect)) {
    throw fault(`has an unknown effect: expected one of ${toolEffects.join(', ')}`);
  }
}
