import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { invalid } from '../../../domain/errors.ts';
import type { AppEnv } from '../env.ts';
import { readJson } from './json-body.ts';

/** Validation of a body in addition to its schema. */
export interface BodyRules {
  /** Further issues of a body whose schema check has failed; all issues are reported together. */
  furtherIssues(body: unknown): readonly string[];
  /** The part of a body that the schema checks: the complete body, unless it is so large that `furtherIssues` rejects it. */
  checkedPart(body: unknown): unknown;
}

/** A sub-app for the routes of one resource. */
export interface Resource {
  readonly app: OpenAPIHono<AppEnv>;
  /** Prepares a route for `app.openapi`: adds it to the OpenAPI document, and validates its requests. */
  readonly endpoint: <R extends RouteConfig>(route: R, rules?: BodyRules) => R;
}

/**
 * Creates an empty resource whose request bodies have at most `maxBodyBytes` bytes. Its requests are validated here and
 * not by zod-openapi: its validators parse the complete body before any hook runs, so they can limit neither the size nor
 * the depth of a body. They respond 400 to malformed JSON, and cannot report further issues with those of the schema.
 */
export function createResource(maxBodyBytes: number): Resource {
  const app = new OpenAPIHono<AppEnv>();
  return {
    app,
    endpoint<R extends RouteConfig>(route: R, rules?: BodyRules): R {
      app.openAPIRegistry.registerPath(route);
      const middleware = [validateRequest(route, maxBodyBytes, rules)];
      // The type stays that of the documented route, so that handlers and clients are typed by it.
      return { ...route, hide: true, request: undefined, middleware } as R;
    },
  };
}

function validateRequest(
  route: RouteConfig,
  maxBodyBytes: number,
  rules?: BodyRules,
): MiddlewareHandler<AppEnv> {
  const query = schemaOf(route.request?.query);
  const params = schemaOf(route.request?.params);
  const content = route.request?.body?.content['application/json'];
  const body = schemaOf(content !== undefined && 'schema' in content ? content.schema : undefined);
  const isRequired = route.request?.body?.required === true;
  return async function validate(c, next) {
    c.set('route', route.path);
    if (params !== undefined) c.req.addValidatedData('param', c.req.param());
    if (query !== undefined) c.req.addValidatedData('query', parse(query, queryOf(c.req.queries()), ''));
    if (body !== undefined) {
      const sent = await readJson(c, maxBodyBytes);
      const value = sent === undefined && !isRequired ? {} : sent;
      c.req.addValidatedData('json', parse(body, value, 'body', rules));
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

/** Parses a value by a schema. Throws `validation` with all issues as `path: message`; `rootName` stands for an empty path. */
function parse(schema: z.ZodType, value: unknown, rootName: string, rules?: BodyRules): object {
  const checked = rules === undefined ? value : rules.checkedPart(value);
  const parsed = schema.safeParse(checked, { error: typeMessage });
  if (parsed.success && checked === value) return parsed.data as object;
  const issues = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const name = path.length === 0 ? rootName : path.join('.');
    return `${name}: ${message}`;
  });
  throw invalid(rules === undefined ? issues : [...issues, ...rules.furtherIssues(value)]);
}

const articles: Readonly<Record<string, string>> = { object: 'an', array: 'an', int: 'an' };

/** The message for a value of the wrong type, unless the schema has its own. */
function typeMessage(issue: { readonly code?: string; readonly expected?: unknown }): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  const expected = String(issue.expected);
  return `must be ${articles[expected] ?? 'a'} ${expected}`;
}
