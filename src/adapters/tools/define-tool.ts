import type { Awaitable } from '../../lib/async/awaitable.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { InputSchema, Tool, ToolContext } from '../../ports/tool.ts';

/** The definition of a tool; the schema gives the type of its input. */
export interface ToolSource<T> extends Omit<Tool<T>, 'input' | 'execute'> {
  /** Any zod schema, of any copy of zod. */
  readonly input: InputSchema<T>;
  /** Runs the tool and returns a JSON object. Throw a `ToolError` to choose the text that users see. */
  execute(input: NoInfer<T>, context: ToolContext): Awaitable<JsonObject>;
}

/** Defines a tool; `execute` gets its input with the type of the schema. */
export function defineTool<T>(source: ToolSource<T>): Tool<T> {
  return source;
}
