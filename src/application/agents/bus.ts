import { safeErrorText } from '../../domain/error-text.ts';
import type { Limits } from '../../domain/limits.ts';
import { type CallContext, noMessage } from '../../domain/message/call-context.ts';
import type { AgentMessage } from '../../domain/routing/routing.ts';
import { ToolError } from '../../domain/tool-error.ts';
import { AbortError, isAbort, isCancelled, TimeoutError, withTimeout } from '../../lib/async/timeout.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';
import { elapsedMs, isoTime } from '../../lib/text/time.ts';
import type { Agent, AgentContext } from '../../ports/agent.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentRegistry } from './registry.ts';

/** The outcome of a message to an agent. */
export interface AgentOutcome {
  readonly status: 'completed' | 'failed';
  /** The agent's reply; null when it failed. */
  readonly output: JsonObject | null;
  /** Its failure, safe to show; null without one. */
  readonly error: string | null;
  /** True when it ended because a user has cancelled it. */
  readonly cancelled?: true;
  readonly durationMs: number;
}

/** The sender's additions to the payload of a message. */
export interface SendOptions {
  readonly sender: string;
  /** Identifier of the message; a new one when absent. */
  readonly id?: string;
  /** When the message was created, in ISO 8601; now when absent. */
  readonly createdAt?: string;
  /** Aborted when the sender no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** The number of agents that have forwarded this message; 0 from a route or a workflow. */
  readonly depth?: number;
  /** The customer's message that this one serves; absent where there is none. */
  readonly context?: CallContext | undefined;
  /** Gets the ids of the messages that agents forward while they handle this one. */
  readonly forwarded?: string[] | undefined;
}

/** Delivers messages to agents. */
export interface AgentBus {
  /**
   * Sends a copy of `payload` to the agent of that name and waits for its reply, at most `agentTimeoutMs`. Never
   * rejects: an error is part of the outcome.
   */
  send(recipient: string, payload: JsonObject, options: SendOptions): Promise<AgentOutcome>;
}

type DeliveryResult = Pick<AgentOutcome, 'output' | 'error' | 'cancelled'>;

/** Maximum number of agents that a message passes through (decisions, section 4). */
const MAX_DEPTH = 8;

type BusPorts = Pick<Ports, 'clock' | 'newId' | 'logger' | 'telemetry'>;

/** Creates a bus to the agents of a registry. Agents are looked up when a message is sent. */
export function createAgentBus(
  ports: BusPorts,
  agents: Pick<AgentRegistry, 'get'>,
  limits: Limits,
): AgentBus {
  const { clock, logger, telemetry } = ports;

  function createContext(
    sender: string,
    signal: AbortSignal,
    { depth = 0, context = noMessage, forwarded }: SendOptions,
  ): AgentContext {
    return {
      ...context,
      signal,
      logger,
      async route(recipient, payload) {
        const id = ports.newId();
        forwarded?.push(id);
        const options = { id, sender, signal, depth: depth + 1, context, forwarded };
        const { output, error } = await send(recipient, payload, options);
        if (output === null) throw new ToolError(error ?? `agent "${recipient}" failed`);
        return output;
      },
    };
  }

  const copyOf = (part: 'payload' | 'reply', name: string, value: unknown): JsonObject =>
    copyMessagePart({ part, name, value }, limits.maxOutputBytes);

  async function deliver(
    agent: Agent,
    payload: JsonObject,
    options: SendOptions,
    span: Span,
  ): Promise<DeliveryResult> {
    const { name } = agent;
    const { sender, signal: senderSignal } = options;
    try {
      const message: AgentMessage = {
        id: options.id ?? ports.newId(),
        sender,
        recipient: name,
        payload: copyOf('payload', name, payload),
        created_at: options.createdAt ?? isoTime(clock.now()),
      };
      const reply = await withTimeout(
        (signal) => agent.handle(message, createContext(name, signal, options)),
        { clock, timeoutMs: limits.agentTimeoutMs, signal: senderSignal },
      );
      return { output: copyOf('reply', name, reply), error: null };
    } catch (error) {
      if (isCancelled(senderSignal) && isAbort(error)) {
        span.set({ cancelled: true });
        return { output: null, error: 'cancelled', cancelled: true };
      }
      const reason = agentFailureText(name, error);
      span.fail('agent_error');
      logger.warn('agent failed', { agent_name: name, sender, reason, err: error });
      return failed(reason);
    }
  }

  async function send(recipient: string, payload: JsonObject, options: SendOptions): Promise<AgentOutcome> {
    const startedMs = clock.monotonic();
    const agent = agents.get(recipient);
    const depth = options.depth ?? 0;
    let result: DeliveryResult;
    if (agent === undefined) result = failed(unknownAgentText(recipient));
    else if (depth >= MAX_DEPTH) result = failed(tooDeep(recipient));
    else {
      result = await telemetry.span(`agent ${recipient}`, { agent_name: recipient }, (span) =>
        deliver(agent, payload, options, span),
      );
    }
    const status = result.error === null ? 'completed' : 'failed';
    return { status, ...result, durationMs: elapsedMs(startedMs, clock.monotonic()) };
  }

  return { send };
}

function failed(error: string): DeliveryResult {
  return { output: null, error };
}

function tooDeep(recipient: string): string {
  return `stopped before agent "${recipient}": agents may call each other at most ${MAX_DEPTH} levels deep`;
}

/** The error of a message to an agent that is not registered. */
export function unknownAgentText(name: string): string {
  return `no agent ${quote(name)} is registered`;
}

/** A copy of what an agent gets or returns. Throws a `ToolError` where that is not JSON, or larger than `maxBytes`. */
export function copyMessagePart(
  {
    part,
    name,
    value,
  }: { readonly part: 'payload' | 'reply'; readonly name: string; readonly value: unknown },
  maxBytes: number,
): JsonObject {
  try {
    return copyJsonObject(value, maxBytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ToolError(`the ${part} of agent "${name}" ${error.message}`, { cause: error });
  }
}

/** The error of an agent that has failed, safe to show. */
export function agentFailureText(name: string, error: unknown): string {
  if (error instanceof TimeoutError) return `agent "${name}" ${error.message}`;
  if (error instanceof AbortError) return error.message;
  return safeErrorText(error, `agent "${name}" failed unexpectedly`);
}
