import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import type { DefinitionIssue } from '../../../domain/workflow/issues.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { AppEnv } from '../env.ts';
import { jsonPointer } from '../error-body.ts';
import { HttpError } from '../errors.ts';

import { createRequestKey, parseIdempotencyKey, withIdempotencyDocs } from '../idempotency/key.ts';
import { readJson } from './json-body.ts';

/** Notes about a body in addition to the issues of its schema. */
export interface BodyRules {
  /**
   * The notes about a valid body, beside the response's own content; the handler reads them as `c.get('notes')`.
   */
  notes(body: unknown): readonly string[];
}

/**
 * The options of an endpoint, beside its route. `headers` and `responses` are only documented: the request headers
 * that it reads, and its responses to them. They are not part of the route, so that the typed client does not know
 * them.
 */
export interface EndpointOptions {
  readonly rules?: BodyRules;
  /** True when the handler gets the body as it was sent, whatever JSON it is; the schema is only documented. */
  readonly takesAnyJson?: boolean;
  readonly headers?: z.ZodObject;
  readonly responses?: RouteConfig['responses'];
}

/** A sub-app for the routes of one resource. */
export interface Resource {
  readonly app: OpenAPIHono<AppEnv>;
  /** Prepares a route for `app.openapi`: adds it to the OpenAPI document, and validates its requests. */
  readonly endpoint: <R extends RouteConfig>(route: R, options?: EndpointOptions) => R;
  /** As `endpoint`, for a route that takes an `Idempotency-Key`: its handler does its work by `createOnce`. */
  readonly idempotentEndpoint: <R extends RouteConfig>(route: R, options?: EndpointOptions) => R;
}

/**
 * Creates an empty resource whose request bodies have at most `maxBodyBytes` bytes. Its requests are validated here and
 * not by zod-openapi: its validators parse the complete body before any hook runs, so they can limit neither the size
 * nor the depth of a body. They respond 400 to malformed JSON, and cannot report further issues with those of the
 * schema.
 */
export function createResource(maxBodyBytes: number): Resource {
  const app = new OpenAPIHono<AppEnv>();
  return {
    app,
    endpoint<R extends RouteConfig>(route: R, options: EndpointOptions = {}): R {
      app.openAPIRegistry.registerPath(documented(route, options));
      return validated(route, validateRequest(route, { ...options, maxBodyBytes, takesKey: false }));
    },
    idempotentEndpoint<R extends RouteConfig>(route: R, options: EndpointOptions = {}): R {
      app.openAPIRegistry.registerPath(withIdempotencyDocs(documented(route, options)));
      return validated(route, validateRequest(route, { ...options, maxBodyBytes, takesKey: true }));
    },
  };
}

/** A route with the documentation of its options. */
function documented(route: RouteConfig, { headers, responses }: EndpointOptions): RouteConfig {
  return {
    ...route,
    responses: { ...route.responses, ...responses },
    ...(headers === undefined ? {} : { request: { ...route.request, headers } }),
  };
}

/** The type stays that of the documented route, so that handlers and clients are typed by it. */
function validated<R extends RouteConfig>(route: R, middleware: MiddlewareHandler<AppEnv>): R {
  return { ...route, hide: true, request: undefined, middleware: [middleware] } as R;
}

interface ValidationOptions extends Pick<EndpointOptions, 'rules' | 'takesAnyJson'> {
  readonly maxBodyBytes: number;
  /** True when the route takes an `Idempotency-Key`. */
  readonly takesKey: boolean;
}

function validateRequest(
  route: RouteConfig,
  { maxBodyBytes, rules, takesAnyJson = false, takesKey }: ValidationOptions,
): MiddlewareHandler<AppEnv> {
  const query = schemaOf(route.request?.query);
  const params = schemaOf(route.request?.params);
  const content = route.request?.body?.content['application/json'];
  const body = schemaOf(content !== undefined && 'schema' in content ? content.schema : undefined);
  const isRequired = route.request?.body?.required === true;
  return async function validate(c, next) {
    c.set('route', route.path);
    const header = takesKey ? c.req.header('idempotency-key') : undefined;
    const key = header === undefined ? undefined : parseIdempotencyKey(header);
    if (params !== undefined) c.req.addValidatedData('param', c.req.param());
    if (query !== undefined) c.req.addValidatedData('query', parse('query', query, queryOf(c.req.queries())));
    if (body !== undefined) {
      const onBytes =
        key === undefined
          ? undefined
          : (bytes: Buffer) => c.set('idempotency', createRequestKey(c, route, key, bytes));
      const sent = await readJson(c, maxBodyBytes, onBytes);
      const value = sent === undefined && !isRequired ? {} : sent;
      if (takesAnyJson && value !== undefined) c.req.addValidatedData('json', value as object);
      else c.req.addValidatedData('json', parse('body', body, value));
      if (rules !== undefined) c.set('notes', rules.notes(value));
      // Checking a large body takes long, and so may what follows.
      await yieldIfDue();
    }
    return next();
  };
}

function schemaOf(value: unknown): z.ZodType | undefined {
  return typeof value === 'object' && value !== null && 'safeParse' in value
    ? (value as z.ZodType)
    : undefined;
}

/** Parameters sent once as text, and repeated ones as a list, which every schema of a parameter rejects. */
function queryOf(queries: Readonly<Record<string, string[]>>): unknown {
  const entries = Object.entries(queries).map(([name, values]) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  return Object.fromEntries(entries);
}

/** Parses a body or a query by its schema. Throws 422 with all issues as `path: message`. */
function parse(part: 'body' | 'query', schema: z.ZodType, value: unknown): object {
  const checked = checkBody(schema, value);
  if ('data' in checked) return checked.data as object;
  const texts = checked.issues.map(
    ({ path, detail }) => `${path.length === 0 ? part : path.join('.')}: ${detail}`,
  );
  const issues = checked.issues.map(({ path, detail }) => ({
    pointer: part === 'query' ? path.join('.') : jsonPointer(path),
    detail,
  }));
  throw new HttpError(422, texts.join('; '), { issues });
}

/** The most issues of a schema that are told. */
const MAX_ISSUES = 1_000;

/** Checks a value by its schema: what it is then, or all that is wrong with it. */
export function checkBody<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { readonly data: T } | { readonly issues: readonly DefinitionIssue[] } {
  const { data, error } = schema.safeParse(value, { error: typeMessage });
  if (error === undefined) return { data };
  return {
    issues: error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
      path: path.map((key) => (typeof key === 'number' ? key : String(key))),
      detail: message,
    })),
  };
}

const articles: Readonly<Record<string, string>> = { object: 'an', array: 'an', int: 'an' };

/** The message for a value of the wrong type, unless the schema has its own. */
function typeMessage(issue: { readonly code?: string; readonly expected?: unknown }): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  const expected = String(issue.expected);
  return `must be ${articles[expected] ?? 'a'} ${expected}`;
}
