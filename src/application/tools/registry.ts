import { isInstance } from '../../domain/error-text.ts';
import type { ToolExecuted } from '../../domain/events.ts';
import type { Limits } from '../../domain/limits.ts';
import type { ToolCall, ToolOutcome } from '../../domain/message/message.ts';
import { checkRegistration, registrationError } from '../../domain/registration.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import { backoffMs } from '../../lib/async/backoff.ts';
import { type Bounds, boundedAs, isThenable, type LazySignal } from '../../lib/async/legacy.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { copyJsonObject } from '../../lib/json/copy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span, SpanAttributes } from '../../ports/telemetry.ts';
import { type InputIssue, type Tool, toolEffects } from '../../ports/tool.ts';
import { attemptContext } from './context.ts';
import { type ToolFailure, toolFailure } from './failure.ts';

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
  execute(call: ToolCall, options?: ExecuteOptions): Awaitable<ToolOutcome>;
}

/** A moment, by both clocks. */
export interface Moment {
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  /** Monotonic time in milliseconds. */
  readonly monotonic: number;
}

/** As {@link ExecuteOptions}, for the workflow engine, which has just asked the clocks. */
interface TimedOptions extends ExecuteOptions {
  /** When the call began; now when absent. */
  readonly begun?: Moment;
}

/** A tool registry, as the workflow engine sees it. */
export interface TimedToolRegistry extends ToolRegistry {
  execute(call: ToolCall, options?: TimedOptions): Awaitable<ToolOutcome>;
}

type RegistryPorts = Pick<Ports, 'clock' | 'newId' | 'random' | 'logger' | 'events' | 'telemetry'>;

/** A call under way, with what bounds each of its attempts. */
interface CallUnderWay extends Bounds {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly idempotencyKey: string;
  readonly span: Span;
  /** Which attempt is under way, from 1. */
  attempt: number;
}

/** A tool, with what the spans of its calls say. */
interface Registered {
  readonly tool: Tool;
  readonly attributes: SpanAttributes;
}

/** How a call ended: after how many attempts, with which output or error. */
interface Ending {
  readonly attempts: number;
  readonly output: JsonObject | null;
  readonly error: string | null;
}

/** An empty tool registry. */
export function createToolRegistry(ports: RegistryPorts, limits: Limits): TimedToolRegistry {
  const { clock, logger, random, telemetry } = ports;
  const tools = new Map<string, Registered>();

  /** Runs a tool on its checked input. Throws or rejects with what went wrong. */
  function attempt(lazy: LazySignal, call: CallUnderWay): Awaitable<unknown> {
    const { tool, input, idempotencyKey } = call;
    const parsed = tool.input.safeParse(copyJsonObject(input, limits.maxOutputBytes));
    if (!parsed.success) throw invalidInput(parsed.error.issues);
    return tool.execute(parsed.data, attemptContext(lazy, call.attempt, logger, idempotencyKey));
  }

  const copyOutput = (output: unknown): JsonObject => copyJsonObject(output, limits.maxOutputBytes);

  /** What follows a first attempt that failed with `thrown`: further ones, as long as they are allowed. */
  async function retry(call: CallUnderWay, thrown: unknown): Promise<Ending> {
    let error = thrown;
    for (;;) {
      const { attempt: number } = call;
      if (isInstance(error, InvalidInput)) return { attempts: 0, output: null, error: error.message };
      const failure = toolFailure(error);
      const line = { tool_name: call.tool.name, attempt: number, reason: failure.text, err: error };
      logger.warn('tool attempt failed', line);
      if (number >= limits.toolMaxAttempts || !mayRetry(call.tool, failure)) {
        return { attempts: number, output: null, error: failure.text };
      }
      call.span.event('retry', { attempt: number, reason: failure.text });
      await sleep(clock, backoffMs(number, random), call.signal);
      call.attempt = number + 1;
      try {
        return { attempts: call.attempt, output: await boundedAs(attempt, copyOutput, call), error: null };
      } catch (next) {
        error = next;
      }
    }
  }

  async function again(call: CallUnderWay, thrown: unknown): Promise<Ending> {
    const ending = await retry(call, thrown);
    if (ending.error !== null) call.span.fail('tool_error');
    return ending;
  }

  async function wait(call: CallUnderWay, output: PromiseLike<JsonObject>): Promise<Ending> {
    try {
      return succeeded(await output);
    } catch (thrown) {
      return again(call, thrown);
    }
  }

  /** All attempts at a call. Nothing is waited for where the first succeeds at once. */
  function run(
    { tool }: Registered,
    { input }: ToolCall,
    options: TimedOptions,
    span: Span,
  ): Awaitable<Ending> {
    const { idempotencyKey = ports.newId(), signal } = options;
    const timeoutMs = limits.toolTimeoutMs;
    const call: CallUnderWay = { tool, input, idempotencyKey, span, attempt: 1, clock, timeoutMs, signal };
    try {
      const output = boundedAs(attempt, copyOutput, call);
      return isThenable(output) ? wait(call, output) : succeeded(output);
    } catch (thrown) {
      return again(call, thrown);
    }
  }

  /** Tells what came of a call. */
  function conclude(
    call: ToolCall,
    { begun, tell = ports.events }: TimedOptions,
    registered: boolean,
    started: number,
    ending: Ending,
  ): ToolOutcome {
    const outcome = outcomeOf(call, ending, elapsedMs(started, clock.monotonic()));
    const at = begun === undefined ? clock.now() : Math.floor(begun.at + outcome.durationMs);
    tell({ type: 'tool.executed', at, registered, outcome });
    return outcome;
  }

  return {
    register(tool) {
      checkRegistration('tool', tool.name, (name) => tools.has(name));
      checkTool(tool);
      tools.set(tool.name, { tool, attributes: { tool_name: tool.name } });
    },
    has: (name) => tools.has(name),
    list: () => Array.from(tools.values(), ({ tool }) => tool),
    execute(call, options = {}) {
      const registered = tools.get(call.toolName);
      const started = options.begun?.monotonic ?? clock.monotonic();
      if (registered === undefined) return conclude(call, options, false, started, unknownTool(call));
      const ending = telemetry.span('execute_tool', registered.attributes, (span) =>
        run(registered, call, options, span),
      );
      if (!isThenable(ending)) return conclude(call, options, true, started, ending);
      return ending.then((ended) => conclude(call, options, true, started, ended));
    },
  };
}

function succeeded(output: JsonObject): Ending {
  return { attempts: 1, output, error: null };
}

function unknownTool({ toolName }: ToolCall): Ending {
  const error = `no tool ${JSON.stringify(toolName.slice(0, 64))} is registered`;
  return { attempts: 0, output: null, error };
}

function outcomeOf(call: ToolCall, { attempts, output, error }: Ending, durationMs: number): ToolOutcome {
  const status = error === null ? 'success' : 'error';
  return { toolName: call.toolName, input: call.input, status, output, attempts, error, durationMs };
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
  const fault = (text: string) => registrationError('tool', tool.name, text);
  if (typeof tool.description !== 'string') throw fault('has no description');
  if (typeof tool.execute !== 'function') throw fault('has no execute function');
  if (typeof tool.input?.safeParse !== 'function' || typeof tool.input.toJSONSchema !== 'function') {
    throw fault('has no input schema: expected a zod schema');
  }
  if (tool.effect !== undefined && !toolEffects.includes(tool.effect)) {
    throw fault(`has an unknown effect: expected one of ${toolEffects.join(', ')}`);
  }
}
