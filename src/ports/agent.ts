import type { AgentMessage } from '../domain/routing/routing.ts';
import type { Awaitable } from '../lib/async/awaitable.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { Logger } from './logger.ts';

/** What an agent is given beside its message. */
export interface AgentContext {
  /** Aborted on time-out and shutdown. The result of later work is ignored. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /**
   * Sends a further message over the bus and returns the other agent's reply. Throws `ToolError` where that agent is
   * unknown or failed, and at depth 8, so that agents cannot call each other in an endless circle.
   */
  route(recipient: string, payload: JsonObject): Promise<JsonObject>;
}

/** A named recipient of messages: a routing target and a workflow step at once (specification, section 1). */
export interface Agent {
  readonly name: string;
  readonly description: string;
  /** Words by which the keyword decomposer gives this agent its part of a goal. */
  readonly keywords?: readonly string[];
  /** Replies with an output object. An error is recorded as a failed step or subtask. */
  handle(message: AgentMessage, context: AgentContext): Awaitable<JsonObject>;
}
