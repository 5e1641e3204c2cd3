import type { ToolExecuted } from '../../domain/events.ts';
import type { Limits } from '../../domain/limits.ts';
import type { CallContext } from '../../domain/message/call-context.ts';
import type { ToolCall, ToolOutcome } from '../../domain/message/message.ts';
import { checkRegistration, registrationError } from '../../domain/registration.ts';
import type { RetryPolicy } from '../../domain/retry.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SpanAttributes } from '../../ports/telemetry.ts';
import { type Tool, type ToolOrigin, toolOrigins } from '../../ports/tool.ts';
import { type CallResult, createAttempts } from './attempts.ts';
import { checkTool } from './check-tool.ts';
import { createToolCounter, type ToolCounter, type ToolStats } from './stats.ts';

/** Options of one tool call. */
export interface ExecuteOptions {
  /** The same for every attempt at one call, so that a remote system can detect repeats; a new one when absent. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Aborted when the caller no longer wants the call: it then ends as failed. With a `CancelledError` as its reason the
   * call ends when the tool ends, and is not repeated.
   */
  readonly signal?: AbortSignal | undefined;
  /** The attempts, in place of those of the tool. What a `write` may repeat stays the same. */
  readonly retry?: RetryPolicy | undefined;
  /** Called before each wait for another attempt, with the number and error of the failed one, and the milliseconds. */
  readonly onRetry?: (attempt: number, error: string, delayMs: number) => void;
  /** The message that the call serves; absent where there is none. */
  readonly context?: CallContext | undefined;
  /**
   * The customer who sees what the tool returns, where it serves a message: an output that the tool says is of another
   * one is dropped, and the call ends with the status `not_found`.
   */
  readonly customerId?: string | undefined;
  /** Receives the `tool.executed` event instead of the events port; the caller must forward it. */
  readonly emit?: (event: ToolExecuted) => void;
}

/** A registered tool, who registered it, and its calls. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly origin: ToolOrigin;
  /** Since the process started. */
  readonly stats: ToolStats;
}

/** Tools that can be called. */
export interface ToolSet {
  /** True for the name of a registered tool. */
  has(name: string): boolean;
  /** The tool of that name, or undefined. */
  get(name: string): Tool | undefined;
  /** All tools, in the order of their registration. */
  list(): readonly Tool[];
  /**
   * Calls a tool: validates the input, limits the time of each attempt, retries where that is safe, and emits the
   * outcome once. Never rejects: an error is part of the outcome (decisions, section 5).
   */
  execute(call: ToolCall, options?: ExecuteOptions): Promise<ToolOutcome>;
}

/** The registered tools. All callers call tools through it (specification, section 1). */
export interface ToolRegistry extends ToolSet {
  /**
   * Adds a tool; `origin` is `code` when absent. Of two tools with one name, that of an extension or of code wins over
   * that of a playbook, which wins over an example, whichever is registered first; the place in the list stays. Throws
   * `registration` for two of the same rank, for an invalid name, and for an incomplete tool.
   */
  register(tool: Tool, origin?: ToolOrigin): void;
  /** All tools with who registered them and how they were called. */
  listRegistered(): readonly RegisteredTool[];
}

/** The tools that belong to a playbook, and what closes them. */
export interface PlaybookTools {
  /** In the order of their registration. */
  readonly tools: readonly { readonly tool: Tool; readonly origin: ToolOrigin }[];
  /** Closes the connections of the tools. Called once, when others are in their place and their last call has ended. */
  close(): void;
}

/** A registry whose tools of the playbook can be replaced while they are called. */
export interface ReplaceableTools extends ToolRegistry {
  /** Does work with the tools as they are now, which a replacement does not reach. */
  hold<T>(work: (tools: ToolSet) => Promise<T>): Promise<T>;
  /**
   * Puts tools in the place of the examples and of the last playbook's; those of extensions and of code stay. `prepare`
   * gets the new tools before they are in use. Where it throws, or a tool is refused as by `register`, nothing changes.
   * The replaced tools are closed when their last call and their last `hold` has ended.
   */
  replace(given: PlaybookTools, prepare: (tools: ToolSet) => void): void;
}

type RegistryPorts = Pick<Ports, 'clock' | 'newId' | 'random' | 'logger' | 'events' | 'telemetry'>;

/** A tool with the attributes of its spans and the counts of its calls. */
interface Entry {
  readonly tool: Tool;
  readonly origin: ToolOrigin;
  readonly attributes: SpanAttributes;
  readonly counter: ToolCounter;
}

/** The tools of one playbook, with those of extensions and of code. */
interface Generation {
  readonly entries: Map<string, Entry>;
  readonly set: ToolSet;
  /** The calls and holds that have not ended. */
  uses: number;
  isClosed: boolean;
  close(): void;
}

/** The tool of the highest rank has its name. */
const ranks = { example: 0, playbook: 1, extension: 2, code: 2 } as const satisfies Record<
  ToolOrigin,
  number
>;

/** Creates an empty tool registry. */
export function createToolRegistry(ports: RegistryPorts, limits: Limits): ReplaceableTools {
  const { clock, telemetry } = ports;
  const attemptCall = createAttempts(ports, limits);
  let current = createGeneration(() => undefined);

  function createGeneration(close: () => void): Generation {
    const entries = new Map<string, Entry>();
    const generation: Generation = {
      entries,
      uses: 0,
      isClosed: false,
      close,
      set: {
        has: (name) => entries.has(name),
        get: (name) => entries.get(name)?.tool,
        list: () => Array.from(entries.values(), ({ tool }) => tool),
        execute: (call, options) => use(generation, () => execute(entries, call, options)),
      },
    };
    return generation;
  }

  /** Does work during which the tools of a generation stay open. */
  async function use<T>(generation: Generation, work: () => Promise<T>): Promise<T> {
    generation.uses += 1;
    try {
      return await work();
    } finally {
      generation.uses -= 1;
      closeUnused(generation);
    }
  }

  function closeUnused(generation: Generation): void {
    if (generation === current || generation.uses > 0 || generation.isClosed) return;
    generation.isClosed = true;
    generation.close();
  }

  /** True where a tool of that origin takes a name. Throws where another of the same rank has it. */
  function takesName(entries: Generation['entries'], name: string, origin: ToolOrigin): boolean {
    const present = entries.get(name);
    if (present === undefined) return true;
    if (ranks[present.origin] === ranks[origin]) {
      throw registrationError('tool', name, 'is already registered');
    }
    return ranks[present.origin] < ranks[origin];
  }

  function add(entries: Generation['entries'], tool: Tool, origin: ToolOrigin): void {
    checkRegistration('tool', tool.name, () => false);
    checkTool(tool);
    if (!toolOrigins.includes(origin)) throw registrationError('tool', tool.name, 'has an unknown origin');
    if (!takesName(entries, tool.name, origin)) return;
    const attributes = { tool_name: tool.name };
    entries.set(tool.name, { tool, origin, attributes, counter: createToolCounter() });
  }

  function attempt(entry: Entry | undefined, call: ToolCall, options: ExecuteOptions): Promise<CallResult> {
    if (entry === undefined) {
      return Promise.resolve({ attempts: 0, output: null, error: unknownToolText(call.toolName) });
    }
    return telemetry.span('execute_tool', entry.attributes, (span) =>
      attemptCall(entry.tool, call, options, span),
    );
  }

  async function execute(
    entries: Generation['entries'],
    call: ToolCall,
    options: ExecuteOptions = {},
  ): Promise<ToolOutcome> {
    const { toolName, input } = call;
    const entry = entries.get(toolName);
    const startedMs = clock.monotonic();
    const result = await attempt(entry, call, options);
    const { attempts, output, error, notFound = false, isOfOther = false, cancelled = false } = result;
    const ended = error === null ? 'success' : 'error';
    const outcome: ToolOutcome = {
      toolName,
      input,
      status: isOfOther ? 'not_found' : ended,
      output,
      attempts,
      error,
      ...(notFound ? { notFound } : {}),
      ...(cancelled ? { cancelled } : {}),
      durationMs: elapsedMs(startedMs, clock.monotonic()),
    };
    entry?.counter.add(outcome);
    const emit = options.emit ?? ports.events;
    emit({ type: 'tool.executed', at: clock.now(), registered: entry !== undefined, outcome });
    return outcome;
  }

  return {
    register: (tool, origin = 'code') => add(current.entries, tool, origin),
    has: (name) => current.set.has(name),
    get: (name) => current.set.get(name),
    list: () => current.set.list(),
    execute: (call, options) => current.set.execute(call, options),
    listRegistered: () =>
      Array.from(current.entries.values(), ({ tool, origin, counter }) => ({
        tool,
        origin,
        stats: counter.stats(),
      })),
    hold: (work) => {
      const generation = current;
      return use(generation, () => work(generation.set));
    },
    replace({ tools, close }, prepare) {
      const next = createGeneration(close);
      for (const { tool, origin } of tools) add(next.entries, tool, origin);
      for (const [name, entry] of current.entries) {
        const { origin } = entry;
        const replaced = next.entries.get(name);
        // The counts of a tool go on where the new playbook has it too.
        if (ranks[origin] === ranks.code) next.entries.set(name, entry);
        else if (replaced?.origin === origin) next.entries.set(name, { ...replaced, counter: entry.counter });
      }
      prepare(next.set);
      const previous = current;
      current = next;
      closeUnused(previous);
    },
  };
}

/** The error of a call of a tool that is not registered. */
export function unknownToolText(toolName: string): string {
  return `no tool ${JSON.stringify(toolName.slice(0, 64))} is registered`;
}
