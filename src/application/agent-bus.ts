import { copyJsonObject, JsonError, type JsonObject } from '../domain/json.ts';
import { quote } from '../domain/quote.ts';
import { isoTime } from '../domain/time.ts';
import { ToolError } from '../domain/tool-error.ts';
import type { Agent, AgentContext } from '../ports/agent.ts';
import type { Ports } from '../ports/ports.ts';
import type { Awaitable } from '../ports/stages.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { bounded, GivenUpError, isThenable, type LazySignal } from './bounded.ts';
import type { Limits } from './limits.ts';
import { isInstance, safeErrorText } from './safe-error.ts';

export { type AgentRegistry, createAgentRegistry } from './agent-registry.ts';

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

/** Agents may call each other through so many of them (decisions, section 4). */
const MAX_DEPTH = 8;

type BusPorts = Pick<Ports, 'clock' | 'newId' | 'logger' | 'telemetry'>;

/** A bus over the agents of a registry, as they are registered when a message is sent. */
export function createAgentBus(
  ports: BusPorts,
  agents: Pick<AgentRegistry, 'get'>,
  limits: Limits,
): AgentBus {
  const { clock, logger, telemetry } = ports;

  function contextFor(name: string, lazy: LazySignal, depth: number): AgentContext {
    return {
      get signal() {
        return lazy.signal;
      },
      logger,
      async route(recipient, payload) {
        const { signal } = lazy;
        const { output, error } = await send(recipient, payload, { sender: name, signal, depth: depth + 1 });
        if (output === null) throw new ToolError(error ?? 'the agent failed');
        return output;
      },
    };
  }

  function handle(agent: Agent, name: string, payload: JsonObject, options: SendOptions, lazy: LazySignal) {
    const message = {
      id: options.id ?? ports.newId(),
      sender: options.sender,
      recipient: name,
      payload: copyOf('payload', name, payload, limits.maxOutputBytes),
      createdAt: isoTime(clock.now()),
    };
    const reply = agent.handle(message, contextFor(name, lazy, options.depth ?? 0));
    if (!isThenable(reply)) return copyOf('reply', name, reply, limits.maxOutputBytes);
    return copyWhenThere(name, reply, limits.maxOutputBytes);
  }

  function send(recipient: string, payload: JsonObject, options: SendOptions): Awaitable<AgentOutcome> {
    const started = clock.monotonic();
    const ended = (output: JsonObject | null, error: string | null): AgentOutcome => ({
      status: error === null ? 'completed' : 'failed',
      output,
      error,
      durationMs: clock.monotonic() - started,
    });
    const agent = agents.get(recipient);
    if (agent === undefined) return ended(null, `no agent ${quote(recipient)} is registered`);
    if ((options.depth ?? 0) >= MAX_DEPTH) {
      return ended(
        null,
        `stopped before agent ${quote(recipient)}: agents may call each other ${MAX_DEPTH} deep`,
      );
    }
    return telemetry.span(`agent ${recipient}`, { agent_name: recipient }, (span) => {
      const succeed = (output: JsonObject): AgentOutcome => ended(output, null);
      const fail = (thrown: unknown): AgentOutcome => {
        const error = failureText(recipient, thrown);
        span.fail('agent_error');
        logger.warn('agent failed', {
          agent_name: recipient,
          sender: options.sender,
          reason: error,
          err: thrown,
        });
        return ended(null, error);
      };
      try {
        const bounds = { clock, timeoutMs: limits.agentTimeoutMs, signal: options.signal };
        const reply = bounded((lazy) => handle(agent, recipient, payload, options, lazy), bounds);
        return isThenable(reply) ? reply.then(succeed, fail) : succeed(reply);
      } catch (thrown) {
        return fail(thrown);
      }
    });
  }

  return { send };
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

/** Waits for a reply within the agent's time, so that what a thenable comes to is bounded as well. */
async function copyWhenThere(
  name: string,
  reply: PromiseLike<unknown>,
  maxBytes: number,
): Promise<JsonObject> {
  return copyOf('reply', name, await reply, maxBytes);
}
