import { z } from '@hono/zod-openapi';
import { isPlainObject, type JsonObject } from '../../../lib/json/json.ts';
import type { PageRequest } from '../../../ports/record-store.ts';
import { type ErrorBody, errorBody } from '../response.ts';

/** The error shape of every reply of 400 or more (specification, section 7). */
export const errorSchema = z
  .object({
    error: z
      .string()
      .openapi({ description: 'Standard reason phrase of the status code', example: 'Not Found' }),
    detail: z.string().openapi({ description: 'What was wrong', example: 'trace "0199…" not found' }),
  })
  .openapi('Error');

/** Says whether a mandatory text is missing or of another type. */
export function requiredText(issue: { readonly input?: unknown }): string {
  return issue.input === undefined ? 'is required' : 'must be a string';
}

/** An object whose members are the user's own: nothing of it is checked, changed or dropped. */
export const jsonObjectSchema = z
  .custom<JsonObject>(isPlainObject, { error: 'must be an object' })
  .openapi({ type: 'object', additionalProperties: true });

/** Faults of one list that are told: they fill a `detail` (2,000 characters). */
const MAX_LIST_FAULTS = 100;

/**
 * A list of texts. A body has room for half a million of them, each of which may be none: zod's own lists cannot tell
 * as many faults, and take seconds before they fail at it.
 */
export function textListSchema(words: { readonly noList: string; readonly noText: string }) {
  return z
    .custom<string[]>()
    .superRefine((value: unknown, context) => {
      const items: readonly unknown[] = Array.isArray(value) ? value : [];
      if (items !== value) context.addIssue({ code: 'custom', message: words.noList });
      let faults = 0;
      for (const [index, item] of items.entries()) {
        if (typeof item === 'string') continue;
        context.addIssue({ code: 'custom', path: [index], message: words.noText });
        faults += 1;
        if (faults === MAX_LIST_FAULTS) return;
      }
    })
    .openapi({ type: 'array', items: { type: 'string' } });
}

/** The id of a record as a part of a path. */
export function idParameter(description: string) {
  return z.string().openapi({ param: { description }, example: '0199aa4c-7c1f-7d2e-9b3a-6f1c2d3e4f50' });
}

const maxLimit = 200;

/** As many digits as every reader of a number keeps exactly. */
const wholeNumber = /^\d{1,15}$/;

const plainDigits = (from: number, to?: number) =>
  z
    .string({ error: 'must be given once' })
    .regex(wholeNumber, 'must be a whole number in plain decimal digits')
    .transform(Number)
    .refine((value) => value >= from && (to === undefined || value <= to), {
      error: to === undefined ? `must be ${from} or more` : `must be from ${from} to ${to}`,
    });

/** `limit` and `offset` of every listing (specification, section 8). */
export const pageQuerySchema = z.object({
  limit: plainDigits(1, maxLimit)
    .optional()
    .openapi({
      param: { description: 'How many records at most' },
      type: 'integer',
      minimum: 1,
      maximum: maxLimit,
      default: 50,
      example: 50,
    }),
  offset: plainDigits(0)
    .optional()
    .openapi({
      param: { description: 'How many of the newest to skip' },
      type: 'integer',
      minimum: 0,
      default: 0,
      example: 0,
    }),
});

/** A user's own object in a reply: typed loosely, since clients know better what they put there. */
export const anyObjectSchema = z
  .custom<Record<string, unknown>>(isPlainObject)
  .openapi({ type: 'object', additionalProperties: true });

/** A user's own object in a reply, where there may be none. Made whole, for `.nullable()` would not be documented. */
export const nullableObjectSchema = z
  .custom<Record<string, unknown> | null>((value) => value === null || isPlainObject(value))
  .openapi({ type: ['object', 'null'], additionalProperties: true });

/** The page that a listing's query asks for. */
export function pageRequest(query: {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}): PageRequest {
  return { limit: query.limit ?? 50, offset: query.offset ?? 0 };
}

/** The schema of a listing's envelope. */
export function pageSchema<Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const collection = { [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>;
  return z.object({
    total: z.number().int().openapi({ description: 'How many are retained now' }),
    limit: z.number().int().describe('How many were asked for at most'),
    offset: z.number().int().describe('How many of the newest were skipped'),
    ...collection,
  });
}

/** What each error reply means, and the `detail` of one. */
const errorDocs = {
  400: ['The body ended before it was whole', 'body: ended before it was whole'],
  401: [
    'No valid `X-Api-Key`, while authentication is on',
    'a valid API key is required in the header X-Api-Key',
  ],
  404: ['There is no such record', 'trace "0199aa4c-7c1f-7d2e-9b3a-6f1c2d3e4f50" not found'],
  409: ['The collection is full', 'the store is full: it holds at most 1000 records, delete something first'],
  413: ['The body is larger than `MAX_BODY_BYTES`', 'body: must be at most 1048576 bytes'],
  415: ['The body is not JSON, or is encoded', 'body: must be sent with Content-Type application/json'],
  422: [
    'The request is not valid; `detail` names each field that is wrong',
    'customer_id: is required; message: must not be empty',
  ],
  429: ['Too many requests; `Retry-After` says when to come back', 'more than 600 requests in 60 seconds'],
  500: [
    'An unexpected failure; nothing of it is shown, all of it is logged',
    'an unexpected failure; the request id leads to it in the log',
  ],
  503: [
    'A store cannot be reached, or there is more work than can be held; `Retry-After` says when to come back',
    'the key-value store cannot be reached',
  ],
} as const;

type ErrorStatus = keyof typeof errorDocs;

const retryAfter = z.object({ 'Retry-After': z.string().describe('Seconds') });

/** An error reply, for the documentation of a route. */
export interface ErrorResponse {
  readonly description: string;
  readonly content: {
    readonly 'application/json': { readonly schema: typeof errorSchema; readonly example: ErrorBody };
  };
}

/** The error replies of a route, for its documentation: those that nearly any route can give, and these. */
export function errorResponses(...statuses: readonly ErrorStatus[]): Record<ErrorStatus, ErrorResponse> {
  return onlyErrors(401, 429, 500, ...statuses);
}

/** The error replies of a route that can give no others than these, for its documentation. */
export function onlyErrors(...statuses: readonly ErrorStatus[]): Record<ErrorStatus, ErrorResponse> {
  const rows = [...statuses].sort().map((status) => {
    const [description, detail] = errorDocs[status];
    const content = {
      'application/json': { schema: errorSchema, example: errorBody(status, detail) },
    };
    const headers = status === 429 || status === 503 ? { headers: retryAfter } : {};
    return [status, { description, content, ...headers }];
  });
  return Object.fromEntries(rows);
}

/** A JSON body or reply of a schema, for a route's documentation, with an example of it. */
export function jsonContent<S extends z.ZodType>(schema: S, description: string, example: object) {
  return { description, content: { 'application/json': { schema, example } } };
}
