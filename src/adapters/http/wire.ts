import { z } from '@hono/zod-openapi';
import { isPlainObject, type JsonObject } from '../../domain/json.ts';
import type { Page, PageRequest } from '../../ports/record-store.ts';

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
    limit: z.number().int(),
    offset: z.number().int(),
    ...collection,
  });
}

/** A listing's envelope around its items in their wire form. */
export function pageBody<Name extends string, T, W>(name: Name, page: Page<T>, toWire: (item: T) => W) {
  const { total, limit, offset, items } = page;
  const collection = { [name]: items.map(toWire) } as Record<Name, W[]>;
  return { total, limit, offset, ...collection };
}

const descriptions = {
  401: 'No valid `X-Api-Key`, while authentication is on',
  404: 'There is no such record',
  405: 'The path is known, but not with this method',
  409: 'The collection is full',
  413: 'The body is larger than `MAX_BODY_BYTES`',
  415: 'The body is not JSON, or is encoded',
  422: 'The request is not valid; `detail` names each field that is wrong',
  429: 'Too many requests; `Retry-After` says when to come back',
  500: 'An unexpected failure; nothing of it is shown, all of it is logged',
  503: 'A store cannot be reached, or there is more work than can be held; `Retry-After` says when to come back',
} as const;

type ErrorStatus = keyof typeof descriptions;

/** An error reply, for the documentation of a route. */
export interface ErrorResponse {
  readonly description: string;
  readonly content: { readonly 'application/json': { readonly schema: typeof errorSchema } };
}

/** The error replies of a route, for its documentation: those that any route can give, and these. */
export function errorResponses(...statuses: readonly ErrorStatus[]): Record<ErrorStatus, ErrorResponse> {
  const rows = [401, 429, 500, ...statuses].sort().map((status) => [
    status,
    {
      description: descriptions[status as ErrorStatus],
      content: { 'application/json': { schema: errorSchema } },
    },
  ]);
  return Object.fromEntries(rows);
}

/** A JSON body or reply of a schema, for a route's documentation. */
export function jsonContent<S extends z.ZodType>(schema: S, description: string) {
  return { description, content: { 'application/json': { schema } } };
}
