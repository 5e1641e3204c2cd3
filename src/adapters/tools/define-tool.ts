import type { z } from 'zod';
import type { JsonObject } from '../../domain/json.ts';
import type { Awaitable } from '../../ports/stages.ts';
import type { Tool, ToolContext, ToolEffect } from '../../ports/tool.ts';

/** What a tool is made of; its input is typed by the zod schema. */
export interface ToolSource<Schema extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  /** `read` when absent. */
  readonly effect?: ToolEffect;
  execute(input: z.output<Schema>, context: ToolContext): Awaitable<JsonObject>;
}

/** A tool whose `execute` sees its input with the type that its schema gives. */
export function defineTool<Schema extends z.ZodType>(source: ToolSource<Schema>): Tool<z.output<Schema>> {
  return source;
}
