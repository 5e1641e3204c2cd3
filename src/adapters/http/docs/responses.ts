import { z } from '@hono/zod-openapi';
import { type ErrorBody, errorBody, type ProblemBody, parseIssue, problemBody } from '../error-body.ts';

/** The shape of every response of 400 or more (specification, section 7). */
const errorSchema = z
  .object({
    error: z
      .string()
      .openapi({ description: 'Standard reason phrase of the status code', example: 'Not Found' }),
    detail: z.string().openapi({ description: 'What was wrong', example: 'trace "0199…" not found' }),
  })
  .openapi('Error');

/** The same as problem details (RFC 9457), for clients whose `Accept` header names `application/problem+json`. */
const problemSchema = z
  .object({
    type: z.literal('about:blank').describe('The status code says what kind of problem it is'),
    title: z.string().describe('The same as `error`'),
    status: z.number().int().describe('Status code'),
    detail: z.string().describe('What was wrong'),
    error: z.string().describe('Standard reason phrase of the status code'),
    errors: z
      .array(
        z.object({
          pointer: z
            .string()
            .describe('JSON pointer into the body, or the name of a query parameter or header'),
          detail: z.string().describe('What is wrong with that part'),
        }),
      )
      .optional()
      .openapi({ description: 'With status 422: the invalid parts of the request, at most 100' }),
  })
  .openapi('Problem');

/** The description of each error response, and an example of its `detail`. */
const errorDocs = {
  400: ['The body ended before it was complete', 'body: ended before it was complete'],
  401: [
    'No valid `X-Api-Key`, while authentication is on',
    'a valid API key is required in the header X-Api-Key',
  ],
  403: [
    'The request is for a host, or from a page in a browser, that is not allowed',
    'origin "https://evil.example" is not allowed; see ALLOWED_ORIGINS',
  ],
  404: ['The record does not exist', 'trace "0199aa4c-7c1f-7d2e-9b3a-6f1c2d3e4f50" not found'],
  409: ['The collection is full', 'the store is full: the limit is 1000 records, delete some first'],
  412: [
    '`If-Match` names another version than the record has',
    'the item has changed: its version is 8, not 7',
  ],
  413: ['The body is larger than `MAX_BODY_BYTES`', 'body: must be at most 1048576 bytes'],
  415: ['The body is not JSON, or is encoded', 'body: must be sent with Content-Type application/json'],
  422: [
    'The request is not valid; `detail` names each invalid field',
    'customer_id: is required; message: must not be empty',
  ],
  429: ['Too many requests; `Retry-After` is the time to wait', 'more than 600 requests in 60 seconds'],
  500: [
    'An unexpected failure; its details are only in the log',
    'an unexpected error occurred; search the log for the request id',
  ],
  503: [
    'A store cannot be reached, or the service is overloaded; `Retry-After` is the time to wait',
    'the key-value store cannot be reached',
  ],
} as const;

type ErrorStatus = keyof typeof errorDocs;

const retryAfter = z.object({ 'Retry-After': z.string().describe('Seconds') });
const challenge = z.object({ 'WWW-Authenticate': z.string().describe('The scheme of the key header') });

/** An error response in the documentation of a route. */
export interface DocumentedError {
  readonly description: string;
  readonly content: {
    readonly 'application/json': { readonly schema: typeof errorSchema; readonly example: ErrorBody };
    readonly 'application/problem+json': {
      readonly schema: typeof problemSchema;
      readonly example: ProblemBody;
    };
  };
}

/** The error responses of a route, for its documentation: 401, 403, 429, 500 and `statuses`. */
export function errorResponses(...statuses: readonly ErrorStatus[]): Record<ErrorStatus, DocumentedError> {
  return onlyErrors(401, 403, 429, 500, ...statuses);
}

/** The error responses of a route, for its documentation: `statuses`, and no others. */
export function onlyErrors(...statuses: readonly ErrorStatus[]): Record<ErrorStatus, DocumentedError> {
  const rows = [...statuses].sort().map((status) => {
    const [description, detail] = errorDocs[status];
    const content = errorContent(status, detail);
    const headers = headersOf(status);
    return [status, { description, content, ...(headers === undefined ? {} : { headers }) }];
  });
  return Object.fromEntries(rows);
}

/** The content of an error response in both shapes, with an example of its `detail`. */
export function errorContent(status: ErrorStatus, detail: string): DocumentedError['content'] {
  return {
    'application/json': { schema: errorSchema, example: errorBody(status, detail) },
    'application/problem+json': { schema: problemSchema, example: problemExample(status, detail) },
  };
}

/** A 409 of a record that is in the wrong state, for the documentation of a route. */
export function stateConflict(description: string, detail: string): Record<409, DocumentedError> {
  return { 409: { description, content: errorContent(409, detail) } };
}

function headersOf(status: ErrorStatus): z.ZodObject | undefined {
  if (status === 401) return challenge;
  return status === 429 || status === 503 ? retryAfter : undefined;
}

function problemExample(status: ErrorStatus, detail: string): ProblemBody {
  return problemBody({ status, detail, issues: detail.split('; ').map(parseIssue) });
}

/** A JSON body with its schema and an example, for the documentation of a route. */
export function jsonContent<S extends z.ZodType>(schema: S, description: string, example: object) {
  return { description, content: { 'application/json': { schema, example } } };
}
