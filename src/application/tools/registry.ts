import type { ToolExecuted } from '../../domain/events.ts';
import type { Limits } from '../../domain/limits.ts';
import type { ToolCall, ToolOutcome } from '../../domain/message/message.ts';
import { checkRegistration, registrationError } from '../../domain/registration.ts';
import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { withTimeout } from '../../lib/async/timeout.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span, SpanAttributes } from '../../ports/telemetry.ts';
import { type Tool, toolEffects } from '../../ports/tool.ts';
import { InvalidInputError, type ToolFailure, toolFailure } from './failure.ts';

/** Options of one tool call. */
export interface ExecuteOptions {
  /** The same for every attempt at one call, so that a remote system can detect repeats; a new one when absent. */
  readonly idempotencyKey?: string;
  /** Aborted when the caller no longer wants the call: it then ends as failed. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the `tool.executed` event instead of the events port; the caller must forward it. */
  readonly emit?: (event: ToolExecuted) => void;
}

/** The registered tools. All callers call tools through it (specification, section 1). */
export interface ToolRegistry {
  /** Adds a tool. Throws `registration` for a name that is already registered or invalid, and for an incomplete tool. */
  register(tool: Tool): void;
  /** Whether a tool of that name is registered. */
  has(name: string): boolean;
  /** All tools, in the order of their registration. */
  list(): readonly Tool[];
  /**
   * Calls a tool: validates the input, limits the time of each attempt, retries where that is safe, and emits the outcome
   * once. Never rejects: an error is part of the outcome (decisions, section 5).
   */
  execute(call: ToolCall, options?: ExecuteOptions): Promise<ToolOutcome>;
}

type RegistryPorts = Pick<Ports, 'clock' | 'newId' | 'random' | 'logger' | 'events' | 'telemetry'>;

/** A tool with the attributes of its spans. */
interface RegisteredTool {
  readonly tool: Tool;
  readonly attributes: SpanAttributes;
}

/** The result of all attempts at a call. */
interface CallResult {
  readonly attempts: number;
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly notFound?: boolean;
}

/** Creates an empty tool registry. */
export function createToolRegistry(ports: RegistryPorts, limits: Limits): ToolRegistry {
  const { clock, logger, random, telemetry } = ports;
  const tools = new Map<string, RegisteredTool>();

  /** All attempts at a call. */
  async function callTool(
    tool: Tool,
    call: ToolCall,
    { idempotencyKey = ports.newId(), signal }: ExecuteOptions,
    span: Span,
  ): Promise<CallResult> {
    const timeout = { clock, timeoutMs: limits.toolTimeoutMs, signal };
    for (let attempt = 1; ; attempt++) {
      try {
        const input = parseInput(tool, call.input, limits.maxOutputBytes);
        const returned = await withTimeout(
          (toolSignal) => tool.execute(input, { signal: toolSignal, attempt, logger, idempotencyKey }),
          timeout,
        );
        const output = copyJsonObject(returned, limits.maxOutputBytes);
        return { attempts: attempt, output, error: null };
      } catch (error) {
        const failure = toolFailure(error);
        if (failure.invalidInput) return failed(span, 0, failure.text);
        const level = failure.notFound ? 'debug' : 'warn';
        logger[level]('tool attempt failed', {
          tool_name: tool.name,
          attempt,
          reason: failure.text,
          err: error,
        });
        if (attempt >= limits.toolMaxAttempts || !mayRetry(tool, failure)) {
          return { ...failed(span, attempt, failure.text), notFound: failure.notFound };
        }
        span.event('retry', { attempt, reason: failure.text });
        await sleep(clock, backoffMs(attempt, random), signal);
      }
    }
  }

  return {
    register(tool) {
      checkRegistration('tool', tool.name, (name) => tools.has(name));
      checkTool(tool);
      tools.set(tool.name, { tool, attributes: { tool_name: tool.name } });
    },
    has: (name) => tools.has(name),
    list: () => Array.from(tools.values(), ({ tool }) => tool),
    async execute(call, options = {}) {
      const { toolName, input } = call;
      const registered = tools.get(toolName);
      const startedMs = clock.monotonic();
      const {
        attempts,
        output,
        error,
        notFound = false,
      } = registered === undefined
        ? unknownTool(toolName)
        : await telemetry.span('execute_tool', registered.attributes, (span) =>
            callTool(registered.tool, call, options, span),
          );
      const status = error === null ? 'success' : 'error';
      const durationMs = elapsedMs(startedMs, clock.monotonic());
      const outcome: ToolOutcome = {
        ...{ toolName, input, status, output, attempts, error, durationMs },
        ...(notFound ? { notFound } : {}),
      };
      const emit = options.emit ?? ports.events;
      emit({ type: 'tool.executed', at: clock.now(), registered: registered !== undefined, outcome });
      return outcome;
    },
  };
}

/** Validates an input. Each attempt gets its own copy, because a tool may change its input. */
function parseInput(tool: Tool, input: JsonObject, maxBytes: number): unknown {
  const parsed = tool.input.safeParse(copyInput(input, maxBytes));
  if (!parsed.success) throw new InvalidInputError(parsed.error.issues);
  return parsed.data;
}

function copyInput(input: JsonObject, maxBytes: number): JsonObject {
  try {
    return copyJsonObject(input, maxBytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new InvalidInputError([{ path: [], message: error.message }]);
  }
}

function failed(span: Span, attempts: number, error: string): CallResult {
  span.fail('tool_error');
  return { attempts, output: null, error };
}

function unknownTool(toolName: string): CallResult {
  const error = `no tool ${JSON.stringify(toolName.slice(0, 64))} is registered`;
  return { attempts: 0, output: null, error };
}

/** A `write` that may have had an effect is not retried, unless its error says that it had none. */
function mayRetry(tool: Tool, failure: ToolFailure): boolean {
  if (failure.permanent) return false;
  return tool.effect !== 'write' || failure.safeToRetry;
}

/** Checks the members that the registry uses: tools may come from modules that were not type-checked. */
function checkTool(tool: Tool): void {
  const error = (text: string) => registrationError('tool', tool.name, text);
  if (typeof tool.description !== 'string') throw error('has no description');
  if (typeof tool.execute !== 'function') throw error('has no execute function');
  if (typeof tool.input?.safeParse !== 'function' || typeof tool.input.toJSONSchema !== 'function') {
    throw error('has no input schema: expected a zod schema');
  }
  if (tool.effect !== undefined && !toolEffects.includes(tool.effect)) {
    throw error(`has an unknown effect: expected one of ${toolEffects.join(', ')}`);
  }
}
