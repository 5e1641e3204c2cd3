import { z } from '@hono/zod-openapi';
import { toolStatuses } from '../../../domain/message/message.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import type { PageRequest } from '../../../ports/storage/record-store.ts';
import { RECORDED_INTENT } from '../docs/intents.ts';

/** The message for a required text that is missing or of another type. */
export function requiredText(issue: { readonly input?: unknown }): string {
  return issue.input === undefined ? 'is required' : 'must be a string';
}

/** The id of a customer, alike in messages, runs, goals and erasures. */
export const customerIdSchema = z
  .string({ error: requiredText })
  .min(1, 'must not be empty')
  .max(128, 'must be at most 128 characters');

/**
 * The intent of a record: its values depend on the playbook, so that the document lists them when it is generated
 * (`docs/openapi.ts`).
 */
export const recordedIntentSchema = z.string().openapi({ format: RECORDED_INTENT });

/** How a tool call ended. */
export const toolStatusSchema = z
  .enum(toolStatuses)
  .describe('Result of the last attempt; `not_found` for an output of another customer, which was dropped');

/** A JSON object in a request whose members are free: they are neither validated nor changed. */
export const jsonObjectSchema = z
  .custom<JsonObject>(isPlainObject, { error: 'must be an object' })
  .openapi({ type: 'object', additionalProperties: true });

/** Maximum number of issues of one list that are reported: more would not fit into `detail`. */
const MAX_LIST_ISSUES = 50;

/** Maximum length of a list of texts: of a longer one, its length alone is reported. */
export const MAX_LIST_LENGTH = 10_000;

/**
 * A list of texts. A body can contain very many invalid items, and zod's own lists are slow to report them all: this
 * one reports the first 50.
 */
export function textListSchema(messages: { readonly notAList: string; readonly notAText: string }) {
  return z
    .custom<string[]>()
    .superRefine((value: unknown, context) => {
      const items: readonly unknown[] = Array.isArray(value) ? value : [];
      if (items !== value) context.addIssue({ code: 'custom', message: messages.notAList });
      if (items.length > MAX_LIST_LENGTH) {
        const message = `must have at most ${MAX_LIST_LENGTH} items, but there are ${items.length}`;
        return context.addIssue({ code: 'custom', message });
      }
      let issues = 0;
      for (const [index, item] of items.entries()) {
        if (typeof item === 'string') continue;
        context.addIssue({ code: 'custom', path: [index], message: messages.notAText });
        issues += 1;
        if (issues === MAX_LIST_ISSUES) return;
      }
    })
    .openapi({ type: 'array', items: { type: 'string' } });
}

/** The id of a record in a path. */
export function idParameter(description: string) {
  return z.string().openapi({ param: { description }, example: '0199aa4c-7c1f-7d2e-9b3a-6f1c2d3e4f50' });
}

const MAX_LIMIT = 200;

/** At most as many digits as a JavaScript number represents exactly. */
const integerDigits = /^\d{1,15}$/;

/** A number of a query, in plain decimal digits. */
export const plainDigits = (from: number, to?: number) =>
  z
    .string({ error: 'must be given once' })
    .regex(integerDigits, 'must be an integer in plain decimal digits')
    .transform(Number)
    .refine((value) => value >= from && (to === undefined || value <= to), {
      error: to === undefined ? `must be ${from} or more` : `must be from ${from} to ${to}`,
    });

/** `limit` and `offset` of every listing (specification, section 8). */
export const pageQuerySchema = z.object({
  limit: plainDigits(1, MAX_LIMIT)
    .optional()
    .openapi({
      param: { description: 'Maximum number of records' },
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      default: 50,
      example: 50,
    }),
  offset: plainDigits(0)
    .optional()
    .openapi({
      param: { description: 'Number of the newest records to skip' },
      type: 'integer',
      minimum: 0,
      default: 0,
      example: 0,
    }),
});

/** The page that a listing's query requests. */
export function toPageRequest(query: z.output<typeof pageQuerySchema>): PageRequest {
  return { limit: query.limit ?? 50, offset: query.offset ?? 0 };
}

/** The schema of a page of a listing. */
export function pageSchema<Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const collection = { [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>;
  return z.object({
    total: z
      .number()
      .int()
      .openapi({ description: 'Number of records retained now, and of a filtered listing those that fit' }),
    limit: z.number().int().describe('Maximum number of records requested'),
    offset: z.number().int().describe('Number of the newest records skipped'),
    ...collection,
  });
}

/** A JSON object in a response whose members are free. */
export const anyObjectSchema = z
  .custom<Record<string, unknown>>(isPlainObject)
  .openapi({ type: 'object', additionalProperties: true });

/** The same, or null. A schema of its own, because `.nullable()` would not appear in the OpenAPI document. */
export const nullableObjectSchema = z
  .custom<Record<string, unknown> | null>((value) => value === null || isPlainObject(value))
  .openapi({ type: ['object', 'null'], additionalProperties: true });

/** Any JSON value. */
export const anyJsonSchema = z
  .custom<JsonValue>((value) => value !== undefined)
  .openapi({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'] });

/**
 * A value of a named schema, or null. Not `.nullable()`, with which the OpenAPI document would have a copy of the
 * schema.
 */
export function orNull<S extends z.ZodType>(schema: S) {
  return z.union([schema, z.null()]);
}
