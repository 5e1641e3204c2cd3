import type { Awaitable } from '../lib/async/awaitable.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { Logger } from './logger.ts';

/** The effect of a tool. A `write` is never retried once an attempt may have begun to act. */
export const toolEffects = ['read', 'idempotent', 'write'] as const;

/** One of {@link toolEffects}. */
export type ToolEffect = (typeof toolEffects)[number];

/** One problem of an input. */
export interface InputIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A schema that checks a tool's input and describes itself. Every zod schema is one. */
export interface InputSchema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly InputIssue[] } };
  /** The schema as JSON Schema, for `GET /tools`. */
  toJSONSchema(options?: { io?: 'input' | 'output' }): object;
}

/** What a tool is given beside its input. */
export interface ToolContext {
  /** Aborted on time-out and shutdown. The result of later work is ignored. */
  readonly signal: AbortSignal;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  readonly logger: Logger;
  /** The same for every attempt at one call, so that a remote system can recognize a repeat. */
  readonly idempotencyKey: string;
}

/** A registered function with an input schema (decisions, section 5). */
export interface Tool<T = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: InputSchema<T>;
  /** `read` when absent. */
  readonly effect?: ToolEffect;
  /** Does the work and returns a JSON object. Throws `ToolError` to choose the text that users see. */
  execute(input: T, context: ToolContext): Awaitable<JsonObject>;
}
