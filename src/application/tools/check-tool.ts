import { registrationError } from '../../domain/registration.ts';
import { retryIssues } from '../../domain/retry.ts';
import { isPointer } from '../../lib/json/pointer.ts';
import { membersOf } from '../../lib/json/schema-members.ts';
import { quote } from '../../lib/text/quote.ts';
import {
  type InputSchema,
  inputSchemaOf,
  MAX_TOOL_TIMEOUT_MS,
  type Tool,
  toolEffects,
} from '../../ports/tool.ts';

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
  if (tool.owner !== undefined && !isOwner(tool.owner)) {
    throw error('has an owner that is no JSON pointer into its output, such as /customer_id');
  }
  const unfit = fromMessageIssue(tool);
  if (unfit !== undefined) throw error(`has a fromMessage that ${unfit}`);
  const [issue] = tool.retry === undefined ? [] : retryIssues(tool.retry);
  if (issue !== undefined) throw error(`has an invalid retry: ${issue}`);
}

/** Modules that were not type-checked may give anything. */
function isSchema(schema: Partial<InputSchema<unknown>> | null | undefined): boolean {
  return typeof schema?.safeParse === 'function' && typeof schema.toJSONSchema === 'function';
}

function isOwner(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && isPointer(value);
}

/** The fault of the names in `fromMessage`: one that the input does not have would guard nothing. */
function fromMessageIssue(tool: Tool): string | undefined {
  const { fromMessage } = tool;
  if (fromMessage === undefined) return undefined;
  const names: unknown = fromMessage;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    return 'is no list of names';
  }
  const known = membersOf(inputSchemaOf(tool));
  const unknown = known && fromMessage.find((name) => !known.has(name));
  return unknown === undefined ? undefined : `names ${quote(unknown)}, which the input does not have`;
}

function isTimeout(value: unknown): boolean {
  return typeof value === 'number' && value >= 1 && value <= MAX_TOOL_TIMEOUT_MS;
}
