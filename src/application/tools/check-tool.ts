import { registrationError } from '../../domain/registration.ts';
import { retryIssues } from '../../domain/retry.ts';
import { type InputSchema, MAX_TOOL_TIMEOUT_MS, type Tool, toolEffects } from '../../ports/tool.ts';

/**
 * Checks the members that the registry uses: tools may come from modules that were not type-checked. Throws
 * `registration`.
 */
export function checkTool(tool: Tool): void {
  const error = (text: string) => registrationError('tool', tool.name, text);
  if (typeof tool.description !== 'string') throw error('has no description');
  if (typeof tool.execute !== 'function') throw error('has no execute function');
  if (!isSchema(tool.input)) throw error('has no input schema: expected a zod schema');
  if (tool.output !== undefined && !isSchema(tool.output)) {
    throw error('has an output that is no schema: expected a zod schema');
  }
  if (tool.effect !== undefined && !toolEffects.includes(tool.effect)) {
    throw error(`has an unknown effect: expected one of ${toolEffects.join(', ')}`);
  }
  if (tool.timeoutMs !== undefined && !isTimeout(tool.timeoutMs)) {
    throw error(`has a timeoutMs that is not from 1 to ${MAX_TOOL_TIMEOUT_MS}`);
  }
  const [issue] = tool.retry === undefined ? [] : retryIssues(tool.retry);
  if (issue !== undefined) throw error(`has an invalid retry: ${issue}`);
}

/** Modules that were not type-checked may give anything. */
function isSchema(schema: Partial<InputSchema<unknown>> | null | undefined): boolean {
  return typeof schema?.safeParse === 'function' && typeof schema.toJSONSchema === 'function';
}

function isTimeout(value: unknown): boolean {
  return typeof value === 'number' && value >= 1 && value <= MAX_TOOL_TIMEOUT_MS;
}
