import { notFound } from '../../domain/errors.ts';
import type { ToolOutcome } from '../../domain/message/message.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { ToolRegistry } from './registry.ts';

/** A call of one tool by a person, for trying it. */
export interface ToolCallRequest {
  readonly toolName: string;
  readonly input: JsonObject;
  /** A new one when absent. */
  readonly idempotencyKey?: string | undefined;
  /** Aborted when the service shuts down: the call then ends as failed, `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a registered tool as messages and workflows do, retries included. Rejects with `not_found` for an unknown tool.
 */
export type CallTool = (request: ToolCallRequest) => Promise<ToolOutcome>;

/** Creates the call of a tool for trying it. */
export function createCallTool(tools: Pick<ToolRegistry, 'has' | 'execute'>): CallTool {
  return async ({ toolName, input, idempotencyKey, signal }) => {
    if (!tools.has(toolName)) throw notFound('tool', toolName);
    return tools.execute({ toolName, input }, { idempotencyKey, signal });
  };
}
