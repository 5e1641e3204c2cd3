import { z } from '@hono/zod-openapi';
import { toolStatuses } from '../../../domain/message/message.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { RECORDED_INTENT } from '../docs/openapi.ts';

/** The message for a required text that is missing or of another type. */
export function requiredText(issue: { readonly input?: unknown }): string {
  return issue.input === undefined ? 'is required' : 'must be a string';
}

/** A text of 1 to `max` characters. */
export function text(max: number) {
  return z
    .string({ error: requiredText })
    .min(1, 'must not be empty')
    .max(max, `must be at most ${max} characters`);
}

/** A text of 1 to `max` characters that are not all white space. */
export function filledText(max: number) {
  return z
    .string({ error: requiredText })
    .min(1, { error: 'must not be empty', abort: true })
    .max(max, { error: `must be at most ${max} characters`, abort: true })
    .refine((value) => value.trim() !== '', 'must not be only white space');
}

/** The id of a customer, alike in messages, runs, goals and erasures. */
export const customerIdSchema = text(128);

/** The name of a person, as the caller says. */
export const bySchema = filledText(128).openapi({ description: 'Who does it', example: 'maria' });

/** A boolean in a request. */
export const booleanSchema = z.boolean({ error: 'must be true or false' });

const versionError = { error: 'must be an integer of 1 or more' };

/** The version of a record, in a request that may name it. */
export const versionSchema = z.number(versionError).int(versionError).min(1, versionError).optional();

/** A number of things in a response. */
export const count = (description: string) => z.number().int().describe(description);

/**
 * The intent of a record: its values depend on the playbook, so that the document lists them when it is generated
 * (`docs/openapi.ts`).
 */
export const recordedIntentSchema = z.string().openapi({ format: RECORDED_INTENT });

/** The outcome of a tool call. */
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
