import type { JsonObject } from '../domain/json.ts';
import type { Agent } from '../ports/agent.ts';

/** The agents that there are, by name. */
export interface AgentRegistry {
  /** Adds an agent; throws `registration` for a name that is taken or not 1 to 64 of letters, digits, `_`, `-`, `.`. */
  register(agent: Agent): void;
  has(name: string): boolean;
  /** All agents, in the order of their registration. */
  list(): readonly Agent[];
}

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
  /** Aborted when the sender no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** How many agents this message has come through; 0 from a route or a workflow. */
  readonly depth?: number;
}

/** Delivers messages to agents. */
export interface AgentBus {
  /** Sends `payload` to the agent of that name and waits for its reply. Never rejects. */
  send(recipient: string, payload: JsonObject, options: SendOptions): Promise<AgentOutcome>;
}
