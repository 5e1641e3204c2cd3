import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { type ErrorBody, errorBody, type ProblemBody, parseIssue, problemBody } from '../error-body.ts';

// The description of routes, for the OpenAPI document and for the types of handlers and clients.

/** The texts about a route, and its errors. */
interface About {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The statuses of errors beside those of every route, and those that the parameters and the body bring with them. */
  readonly errors?: readonly ErrorStatus[];
  /** The description of a 409, and an example of its detail. */
  readonly conflict?: readonly [description: string, detail: string];
}

type Optional<T> = T | undefined;

/** The parts of a request: each is absent where there is none. */
interface Parts<
  Params extends Optional<z.ZodObject>,
  Query extends Optional<z.ZodObject>,
  Body extends Optional<z.ZodType>,
> {
  readonly params?: Params;
  readonly query?: Query;
  /** The schema of the body, and its description. */
  readonly body?: readonly [schema: Body, description: string];
  /** True where the body may be absent. */
  readonly isBodyOptional?: boolean;
}

/** The parts of a request as `createRoute` takes them: a part without a schema is absent. */
type RequestOf<Params, Query, Body> = (Params extends z.ZodType ? { readonly params: Params } : object) &
  (Query extends z.ZodType ? { readonly query: Query } : object) &
  (Body extends z.ZodType
    ? { readonly body: { readonly content: { readonly 'application/json': { readonly schema: Body } } } }
    : object);

/** A page of a listing, with a link to the next one. */
export function listRoute<
  const Path extends string,
  Query extends z.ZodObject,
  Page extends z.ZodType,
  Params extends Optional<z.ZodObject> = undefined,
>(
  path: Path,
  about: About & {
    readonly params?: Params;
    readonly query: Query;
    /** The schema of the page, and its description. */
    readonly page: readonly [schema: Page, description: string];
  },
) {
  const { page, errors = [], ...others } = about;
  const answers = { 200: answer(...page, linkHeaders) };
  return describe('get', path, answers, { ...others, errors: [503, ...errors] });
}

/** A record, or another answer to a request that changes nothing. */
export function getRoute<
  const Path extends string,
  Body extends z.ZodType,
  Params extends Optional<z.ZodObject> = undefined,
  Query extends Optional<z.ZodObject> = undefined,
>(
  path: Path,
  about: About & {
    readonly params?: Params;
    readonly query?: Query;
    readonly answer: Parameters<typeof answer<Body>>;
  },
) {
  const { answer: parts, ...others } = about;
  return describe('get', path, { 200: answer(...parts) }, others);
}

/** The creation of a record, which has a `Location` and a version. 409 where the collection is full. */
export function creationRoute<const Path extends string, Body extends z.ZodType, Created extends z.ZodType>(
  path: Path,
  about: About & {
    readonly body: readonly [schema: Body, description: string];
    readonly answer: readonly [schema: Created, description: string];
    /** The description of the `Location`. */
    readonly location: string;
  },
) {
  const { answer: created, location, errors = [], ...others } = about;
  const answers = { 201: answer(...created, versionHeaders.extend(locationHeader(location).shape)) };
  return describe('post', path, answers, { ...others, errors: [409, ...errors] });
}

/** A new content of a record. 412 where `If-Match` names another version than the record has. */
export function replaceRoute<
  const Path extends string,
  Params extends z.ZodObject,
  Body extends z.ZodType,
  Answers extends RouteConfig['responses'],
>(path: Path, about: About & Parts<Params, undefined, Body> & { readonly answers: Answers }) {
  const { answers, errors = [], ...others } = about;
  return describe('put', path, answers, { ...others, errors: [412, ...errors] });
}

/** An action, on a record or on none. */
export function actionRoute<
  const Path extends string,
  Answers extends RouteConfig['responses'],
  Params extends Optional<z.ZodObject> = undefined,
  Query extends Optional<z.ZodObject> = undefined,
  Body extends Optional<z.ZodType> = undefined,
>(path: Path, about: About & Parts<Params, Query, Body> & { readonly answers: Answers }) {
  const { answers, ...others } = about;
  return describe('post', path, answers, others);
}

/** The deletion of a record. */
export function deleteRoute<const Path extends string, Params extends z.ZodObject>(
  path: Path,
  about: About & { readonly params: Params },
) {
  return describe('delete', path, { 204: { description: 'Deleted' } }, about);
}

/** A response with a JSON body, for the documentation of a route. */
export function answer<S extends z.ZodType>(schema: S, description: string, headers?: z.ZodObject) {
  return {
    description,
    content: { 'application/json': { schema } },
    ...(headers === undefined ? {} : { headers }),
  };
}

function describe<
  const Method extends 'get' | 'post' | 'put' | 'delete',
  const Path extends string,
  Answers extends RouteConfig['responses'],
  Params extends Optional<z.ZodObject> = undefined,
  Query extends Optional<z.ZodObject> = undefined,
  Body extends Optional<z.ZodType> = undefined,
>(method: Method, path: Path, answers: Answers, about: About & Parts<Params, Query, Body>) {
  const { tag, errors = [], conflict, params, query, body, isBodyOptional = false, ...texts } = about;
  const request = {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body: { ...bodyOf(...body), required: !isBodyOptional } }),
  };
  const statuses = new Set<ErrorStatus>(errors);
  if (params !== undefined) for (const status of [404, 503] as const) statuses.add(status);
  if (query !== undefined) statuses.add(422);
  if (body !== undefined) for (const status of [400, 413, 415, 422, 503] as const) statuses.add(status);
  const failures = errorResponses(...statuses);
  if (conflict !== undefined) failures[409] = conflictOf(...conflict);
  return createRoute({
    method,
    path,
    tags: [tag],
    ...texts,
    // The type says which parts there are.
    request: request as RequestOf<Params, Query, Body>,
    responses: { ...answers, ...failures },
  });
}

function bodyOf<S>(schema: S, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

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

const errorHeaders: Partial<Record<ErrorStatus, z.ZodObject>> = {
  401: z.object({ 'WWW-Authenticate': z.string().describe('The scheme of the key header') }),
  429: retryAfter,
  503: retryAfter,
};

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
    const headers = errorHeaders[status];
    const response = { description, content: errorContent(status, detail) };
    return [status, headers === undefined ? response : { ...response, headers }];
  });
  return Object.fromEntries(rows);
}

/** The content of an error response in both shapes, with an example of its `detail`. */
export function errorContent(status: ErrorStatus, detail: string): DocumentedError['content'] {
  const issues = detail.split('; ').map(parseIssue);
  return {
    'application/json': { schema: errorSchema, example: errorBody(status, detail) },
    'application/problem+json': {
      schema: problemSchema,
      example: problemBody({ status, detail, issues }),
    },
  };
}

/** A 409 of a record that is in the wrong state. */
function conflictOf(description: string, detail: string): DocumentedError {
  return { description, content: errorContent(409, detail) };
}

/** The headers of a response with a tag, for the documentation of a route. */
export const taggedHeaders = z.object({
  ETag: z.string().openapi({ description: 'Strong tag of the record, for `If-None-Match`' }),
  'Cache-Control': z.string().openapi({ description: '`private, no-cache`: keep it, and check the tag' }),
});

/** The documentation of an endpoint that supports `If-None-Match`. */
export const conditionalDocs = {
  headers: z.object({
    'If-None-Match': z
      .string()
      .optional()
      .openapi({
        param: { description: '`ETag` of a response that the client has kept, several of them, or `*`' },
        example: '"mO2RDcpD.0199aa4c-7c1f-7d2e-9b3a-6f1c2d3e4f50"',
      }),
  }),
  responses: {
    304: {
      description: '`If-None-Match` has the tag of the record, which has not changed; no body',
      headers: taggedHeaders,
    },
  },
};

/** The headers of a page, for the documentation of a listing. */
export const linkHeaders = z.object({
  Link: z.string().optional().openapi({
    description: 'The next page, with the same parameters; absent on the last page',
    example: '</trace/?limit=50&offset=50>; rel="next"',
  }),
});

/** The `Location` of a response, for the documentation of a route. */
export function locationHeader(description: string) {
  return z.object({ Location: z.string().openapi({ description }) });
}

/** The documentation of an endpoint with `If-Match`, by what the header does. `example` is an `ETag`. */
export function matchDocs(description: string, example = '"1"') {
  const header = z.string().optional().openapi({ param: { description }, example });
  return { headers: z.object({ 'If-Match': header }) };
}

/** The header of a response with a record that has a version. */
export const versionHeaders = z.object({
  ETag: z.string().openapi({ description: '`version` in quotes, for `If-Match`', example: '"7"' }),
});
