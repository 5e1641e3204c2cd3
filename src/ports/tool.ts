import type { CallContext } from '../domain/message/call-context.ts';
import type { RetryPolicy } from '../domain/retry.ts';
import type { Awaitable } from '../lib/async/awaitable.ts';
import { copyJsonObject } from '../lib/json/copy.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { Logger } from './logger.ts';

/** The effect of a tool. A `write` is not retried when an attempt may have had an effect. */
export const toolEffects = ['read', 'idempotent', 'write'] as const;

/** One of {@link toolEffects}. */
export type ToolEffect = (typeof toolEffects)[number];

/** The source of a tool: the service's examples, a playbook, an extension, or code that embeds the service. */
export const toolOrigins = ['example', 'playbook', 'extension', 'code'] as const;

/** One of {@link toolOrigins}. */
export type ToolOrigin = (typeof toolOrigins)[number];

/** The longest time that a tool may ask for an attempt, in milliseconds. */
export const MAX_TOOL_TIMEOUT_MS = 600_000;

/** One issue of an input. */
export interface InputIssue {
  /** Keys and indexes from the root of the input to the value. */
  readonly path: readonly PropertyKey[];
  /** The fault of the value. */
  readonly message: string;
}

/** A schema that validates a tool's input and can be exported as JSON Schema. Every zod schema is one. */
export interface InputSchema<T> {
  /** Validates an input. Never throws. */
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly InputIssue[] } };
  /** The schema as JSON Schema, for `GET /tools`. With `any`, parts that JSON Schema cannot express fit anything. */
  toJSONSchema(options?: { io?: 'input' | 'output'; unrepresentable?: 'any' }): object;
}

/**
 * The context that a tool receives with its input. Its members about a message are null in workflow steps and routing,
 * but for the customer of the run.
 */
export interface ToolContext extends CallContext {
  /** Aborted on timeout and shutdown. The result of later work is ignored. */
  readonly signal: AbortSignal;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** Binds the ids of the request to each line. */
  readonly logger: Logger;
  /** The same for every attempt at one call, so that a remote system can recognize a repeat. */
  readonly idempotencyKey: string;
}

/** A registered function with an input schema (decisions, section 5). */
export interface Tool<T = unknown> {
  /** Unique in its registry: 1 to 64 letters, digits, `_`, `-` or `.`. */
  readonly name: string;
  /** The work of the tool, for people and for the language model. */
  readonly description: string;
  /** The schema of the input. */
  readonly input: InputSchema<T>;
  /**
   * Members of the input that name whose data the tool reads, such as an order number. A language model fills one in
   * only with the customer's own words, as it does members of the input schema with `format: id`.
   */
  readonly fromMessage?: readonly string[] | undefined;
  /**
   * The schema of what `execute` returns, from which a simulation makes an output; none when absent. The caller does
   * not check what a call returns against it.
   */
  readonly output?: InputSchema<unknown> | undefined;
  /**
   * A JSON pointer into the output, such as `/customer_id`: whose data it is. For a message of another customer the
   * output is dropped, and the call found nothing. Other callers get it.
   */
  readonly owner?: string | undefined;
  /** `read` when absent. */
  readonly effect?: ToolEffect;
  /** Milliseconds that one attempt may take, 1 to 600,000; the registry's timeout when absent. */
  readonly timeoutMs?: number | undefined;
  /** Attempts and waits of this tool; the registry's when absent. What a `write` may repeat stays the same. */
  readonly retry?: RetryPolicy | undefined;
  /** Runs the tool and returns a JSON object. Throws `ToolError` to choose the text that users see. */
  execute(input: T, context: ToolContext): Awaitable<JsonObject>;
}

/** The largest schema that is read, in bytes of JSON. */
const MAX_SCHEMA_BYTES = 1_048_576;

/** The schema of the input of a tool as JSON Schema; undefined where it has no such form. */
export function inputSchemaOf({ input }: Pick<Tool, 'input'>): JsonObject | undefined {
  try {
    return copyJsonObject(input.toJSONSchema({ io: 'input', unrepresentable: 'any' }), MAX_SCHEMA_BYTES);
  } catch {
    return undefined;
  }
}
