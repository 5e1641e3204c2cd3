import type { Awaitable } from '../../lib/async/awaitable.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { InputSchema, Tool, ToolContext } from '../../ports/tool.ts';

/** What a tool is made of; its input is typed by its schema. */
export interface ToolSource<T> extends Omit<Tool<T>, 'input' | 'execute'> {
  /** Every zod schema will do, of whichever copy of zod. */
  readonly input: InputSchema<T>;
  /** Does the work and returns a JSON object. Throw `ToolError` to choose the text that users see. */
  execute(input: NoInfer<T>, context: ToolContext): Awaitable<JsonObject>;
}

/** A tool whose `execute` sees its input with the type that its schema gives. */
export function defineTool<T>(source: ToolSource<T>): Tool<T> {
  return source;
}
