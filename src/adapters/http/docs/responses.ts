import { z } from '@hono/zod-openapi';
import { type ErrorBody, errorBody } from '../response.ts';

/** The shape of every response of 400 or more (specification, section 7). */
const errorSchema = z
  .object({
    error: z
      .string()
      .openapi({ description: 'Standard reason phrase of the status code', example: 'Not Found' }),
    detail: z.string().openapi({ description: 'What was wrong', example: 'trace "0199…" not found' }),
  })
  .openapi('Error');

/** The description of each error response, and an example of its `detail`. */
const errorDocs = {
  400: ['The body ended before it was complete', 'body: ended before it was complete'],
  401: [
    'No valid `X-Api-Key`, while authentication is on',
    'a valid API key is required in the header X-Api-Key',
  ],
  404: ['The record does not exist', 'trace "0199aa4c-7c1f-7d2e-9b3a-6f1c2d3e4f50" not found'],
  409: ['The collection is full', 'the store is full: the limit is 1000 records, delete some first'],
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

/** An error response in the documentation of a route. */
interface DocumentedError {
  readonly description: string;
  readonly content: {
    readonly 'application/json': { readonly schema: typeof errorSchema; readonly example: ErrorBody };
  };
}

/** The error responses of a route, for its documentation: 401, 429, 500 and `statuses`. */
export function errorResponses(...statuses: readonly ErrorStatus[]): Record<ErrorStatus, DocumentedError> {
  return onlyErrors(401, 429, 500, ...statuses);
}

/** The error responses of a route, for its documentation: `statuses`, and no others. */
export function onlyErrors(...statuses: readonly ErrorStatus[]): Record<ErrorStatus, DocumentedError> {
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

/** A JSON body with its schema and an example, for the documentation of a route. */
export function jsonContent<S extends z.ZodType>(schema: S, description: string, example: object) {
  return { description, content: { 'application/json': { schema, example } } };
}
