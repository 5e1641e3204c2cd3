import { isInstance, safeErrorText } from '../../domain/error-text.ts';
import type { Limits } from '../../domain/limits.ts';
import type { AgentMessage } from '../../domain/routing/routing.ts';
import { ToolError } from '../../domain/tool-error.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import { type Bounds, boundedAs, GivenUpError, isThenable, type LazySignal } from '../../lib/async/legacy.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import { quote } from '../../lib/text/quote.ts';
import { elapsedMs, isoTime } from '../../lib/text/time.ts';
import type { Agent, AgentContext } from '../../ports/agent.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentRegistry } from './registry.ts';

export type { AgentRegistry } from './registry.ts';

/** What became of a message over the bus. */
export interface AgentOutcome {
  readonly status: 'completed' | 'failed';
  /** The agent's reply; null when it failed. */
  readonly output: JsonObject | null;
  /** Why it failed, in words that are safe to show; null when it did not. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** What a sender says of the message beside its content. */
export interface SendOptions {
  readonly sender: string;
  /** Identifier of the message; a new one when absent. */
  readonly id?: string;
  /** When the message was made, as records bear it; now when absent. */
  readonly createdAt?: string;
  /** Aborted when the sender no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** How many agents this message has come through; 0 from a route or a workflow. */
  readonly depth?: number;
}

/** Delivers messages to agents. */
export interface AgentBus {
  /**
   * Sends a copy of `payload` to the agent of that name and waits for its reply, no longer than the agents'
   * time-out. Never rejects, and comes back at once where the agent replies at once.
   */
  send(recipient: string, payload: JsonObject, options: SendOptions): Awaitable<AgentOutcome>;
}

/** A message on its way, with what bounds it. */
interface Delivery extends Bounds {
  readonly agent: Agent;
  readonly recipient: string;
  readonly payload: JsonObject;
  readonly options: SendOptions;
  readonly started: number;
}

/** Agents may call each other through so many of them (decisions, section 4). */
const MAX_DEPTH = 8;

/** Bytes of JSON from which on a payload takes milliseconds to copy. */
const LARGE_PAYLOAD = 131_072;

type BusPorts = Pick<Ports, 'clock' | 'newId' | 'logger' | 'telemetry'>;

/** A bus over the agents of a registry, as they are registered when a message is sent. */
export function createAgentBus(
  ports: BusPorts,
  agents: Pick<AgentRegistry, 'get'>,
  limits: Limits,
): AgentBus {
  const { clock, logger, telemetry } = ports;
  const timeoutMs = limits.agentTimeoutMs;

  /** Runs an agent on a message. Throws or rejects with whatever went wrong. */
  function handle(lazy: LazySignal, delivery: Delivery): Awaitable<unknown> {
    const { recipient, payload, options } = delivery;
    const message: AgentMessage = {
      id: options.id ?? ports.newId(),
      sender: options.sender,
      recipient,
      payload: copyOf('payload', recipient, payload, limits.maxOutputBytes),
      created_at: options.createdAt ?? isoTime(clock.now()),
    };
    const context = new MessageContext(lazy, logger, recipient, (options.depth ?? 0) + 1, send);
    if (jsonByteLength(message.payload, LARGE_PAYLOAD) <= LARGE_PAYLOAD)
      return delivery.agent.handle(message, context);
    // What took long to copy takes the agent as long: others go first.
    return sleep(clock, 0).then(() => {
      if (lazy.signal.aborted) throw lazy.signal.reason;
      return delivery.agent.handle(message, context);
    });
  }

  function takeReply(reply: unknown, { recipient }: Delivery): JsonObject {
    return copyOf('reply', recipient, reply, limits.maxOutputBytes);
  }

  function failed(delivery: Delivery, span: Span, thrown: unknown): AgentOutcome {
    const { recipient, options, started } = delivery;
    const error = failureText(recipient, thrown);
    span.fail('agent_error');
    logger.warn('agent failed', {
      agent_name: recipient,
      sender: options.sender,
      reason: error,
      err: thrown,
    });
    return outcome(null, error, started);
  }

  function deliver(delivery: Delivery, span: Span): Awaitable<AgentOutcome> {
    try {
      const reply = boundedAs(handle, takeReply, delivery);
      return isThenable(reply) ? wait(reply, delivery, span) : outcome(reply, null, delivery.started);
    } catch (thrown) {
      return failed(delivery, span, thrown);
    }
  }

  async function wait(reply: PromiseLike<JsonObject>, delivery: Delivery, span: Span): Promise<AgentOutcome> {
    try {
      return outcome(await reply, null, delivery.started);
    } catch (thrown) {
      return failed(delivery, span, thrown);
    }
  }

  function outcome(output: JsonObject | null, error: string | null, started: number): AgentOutcome {
    const status = error === null ? 'completed' : 'failed';
    return { status, output, error, durationMs: elapsedMs(started, clock.monotonic()) };
  }

  function send(recipient: string, payload: JsonObject, options: SendOptions): Awaitable<AgentOutcome> {
    const started = clock.monotonic();
    const agent = agents.get(recipient);
    if (agent === undefined) return outcome(null, `no agent ${quote(recipient)} is registered`, started);
    if ((options.depth ?? 0) >= MAX_DEPTH) {
      const error = `stopped before agent "${recipient}": agents may call each other ${MAX_DEPTH} deep`;
      return outcome(null, error, started);
    }
    const { signal } = options;
    const delivery = { agent, recipient, payload, options, started, clock, timeoutMs, signal };
    return telemetry.span(`agent ${recipient}`, { agent_name: recipient }, (span) => deliver(delivery, span));
  }

  return { send };
}

/**
 * What an agent is given. A class, because one is made for every message, and an object literal with a getter costs
 * many times as much.
 */
class MessageContext implements AgentContext {
  readonly logger: Logger;
  private readonly lazy: LazySignal;
  private readonly agentName: string;
  private readonly depth: number;
  private readonly send: AgentBus['send'];

  constructor(lazy: LazySignal, logger: Logger, agentName: string, depth: number, send: AgentBus['send']) {
    this.lazy = lazy;
    this.logger = logger;
    this.agentName = agentName;
    this.depth = depth;
    this.send = send;
  }

  get signal(): AbortSignal {
    return this.lazy.signal;
  }

  /** A function of its own, so that agents may take it out of their context. */
  get route(): AgentContext['route'] {
    const { agentName: sender, depth } = this;
    return async (recipient, payload) => {
      const options = { sender, signal: this.signal, depth };
      const { output, error } = await this.send(recipient, payload, options);
      if (output === null) throw new ToolError(error ?? 'the agent failed');
      return output;
    };
  }
}

/** What a record says of an agent's failure. */
function failureText(name: string, thrown: unknown): string {
  if (!isInstance(thrown, GivenUpError)) return safeErrorText(thrown, `agent "${name}" failed unexpectedly`);
  return thrown.reason === 'timeout' ? `agent "${name}" ${thrown.message}` : thrown.message;
}

function copyOf(what: 'payload' | 'reply', name: string, value: unknown, maxBytes: number): JsonObject {
  try {
    return copyJsonObject(value, maxBytes);
  } catch (error) {
    if (!isInstance(error, JsonError)) throw error;
    throw new ToolError(`the ${what} of agent "${name}" ${error.message}`, { cause: error });
  }
}
