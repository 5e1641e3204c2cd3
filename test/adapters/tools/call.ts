import { noMessage } from '../../../src/domain/message/call-context.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Tool, ToolContext } from '../../../src/ports/tool.ts';

const silent = (): void => {};

/** A context for tools that need none. */
const context: ToolContext = {
  ...noMessage,
  signal: new AbortController().signal,
  attempt: 1,
  logger: { debug: silent, info: silent, warn: silent, error: silent, bind: (_fields, work) => work() },
  idempotencyKey: 'key-1',
};

/** Checks an input as the registry does and calls a tool that needs no waiting. */
export function call(tool: Tool, input: JsonObject): JsonObject {
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) throw new Error(`the input is refused: ${JSON.stringify(parsed.error.issues)}`);
  const output = tool.execute(parsed.data, context);
  if ('then' in output) throw new Error('the tool waits');
  return output;
}
