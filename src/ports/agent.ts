import type { CallContext } from '../domain/message/call-context.ts';
import type { AgentMessage } from '../domain/routing/routing.ts';
import type { Awaitable } from '../lib/async/awaitable.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { Logger } from './logger.ts';
import type { ToolEffect } from './tool.ts';

/**
 * The context that an agent receives with its message. Its members about a customer's message are null in workflows and
 * routing, but for the customer of the run or the goal.
 */
export interface AgentContext extends CallContext {
  /** Aborted on timeout and shutdown. The result of later work is ignored. */
  readonly signal: AbortSignal;
  /** Binds the ids of the request to each line. */
  readonly logger: Logger;
  /**
   * Sends another message over the bus and returns the other agent's reply. Throws `ToolError` where that agent is
   * unknown or failed, and at depth 8, so that agents cannot call each other in an endless loop.
   */
  route(recipient: string, payload: JsonObject): Promise<JsonObject>;
}

/**
 * A named recipient of messages: it can be the target of subtasks and of workflow steps (specification, section 1).
 */
export interface Agent {
  /** Unique in its registry: 1 to 64 letters, digits, `_`, `-` or `.`. */
  readonly name: string;
  /** The work of the agent, for people and for the language model. */
  readonly description: string;
  /** Words and phrases by which the keyword decomposer assigns parts of a goal to this agent. */
  readonly keywords?: readonly string[];
  /**
   * JSON Schema (2020-12) of the payload; any object when null or absent. The language model that splits a goal fills
   * in what it describes, beside the `text`, `message` and `goal` that every subtask has. Messages are not checked
   * against it.
   */
  readonly inputSchema?: JsonObject | null;
  /** The effect of repeating a message; `write` when absent. Decides if a run that is recovered sends it again. */
  readonly effect?: ToolEffect;
  /** Handles a message and returns the reply as an object. An error is recorded as a failed step or subtask. */
  handle(message: AgentMessage, context: AgentContext): Awaitable<JsonObject>;
}
