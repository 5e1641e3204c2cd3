import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { invalid } from '../../../domain/errors.ts';
import type { AppEnv } from '../env.ts';
import { readJson } from './json-body.ts';

/** How a body is checked beside its shape. */
export interface BodyRules {
  /** What else is wrong with a body whose shape is wrong, to be told together with that. */
  furtherFaults(body: unknown): readonly string[];
  /** The part of a body whose shape is checked: all of it, unless it is so large that `furtherFaults` refuses it. */
  firstPart(body: unknown): unknown;
}

/**
 * Prepares a route for `app.openapi`: its documentation is registered as declared, but its body and query are read
 * and checked here, once, with the limits and the error shape of the decisions (section 1), in place of the
 * validators that zod-openapi would add.
 */
export function endpoint<R extends RouteConfig>(
  app: OpenAPIHono<AppEnv>,
  maxBodyBytes: number,
  route: R,
  rules?: BodyRules,
): R {
  app.openAPIRegistry.registerPath(route);
  const middleware = [checkRequest(route, maxBodyBytes, rules)];
  // To the type it is the same route, so that handlers and clients stay typed by what is documented.
  return { ...route, hide: true, request: undefined, middleware } as R;
}

function checkRequest(
  route: RouteConfig,
  maxBodyBytes: number,
  rules?: BodyRules,
): MiddlewareHandler<AppEnv> {
  const query = schemaOf(route.request?.query);
  const params = schemaOf(route.request?.params);
  const content = route.request?.body?.content['application/json'];
  const body = schemaOf(content !== undefined && 'schema' in content ? content.schema : undefined);
  const required = route.request?.body?.required === true;
  return async function checkedRequest(c, next) {
    c.set('route', route.path);
    if (params !== undefined) c.req.addValidatedData('param', c.req.param());
    if (query !== undefined) c.req.addValidatedData('query', check(query, queryOf(c.req.queries()), ''));
    if (body !== undefined) {
      const sent = await readJson(c, maxBodyBytes);
      const value = sent === undefined && !required ? {} : sent;
      c.req.addValidatedData('json', check(body, value, 'body', rules));
    }
    return next();
  };
}

function schemaOf(value: unknown): z.ZodType | undefined {
  return typeof value === 'object' && value !== null && 'safeParse' in value
    ? (value as z.ZodType)
    : undefined;
}

/** Parameters given once as text, repeated ones as a list, which no schema of a number accepts. */
function queryOf(queries: Readonly<Record<string, string[]>>): unknown {
  const entries = Object.entries(queries).map(([name, values]) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  return Object.fromEntries(entries);
}

/** What a schema makes of a value. Throws `validation` with every fault, each named by its path. */
function check(schema: z.ZodType, value: unknown, whole: string, rules?: BodyRules): object {
  const part = rules === undefined ? value : rules.firstPart(value);
  const parsed = schema.safeParse(part, { error: plainWords });
  if (parsed.success && part === value) return parsed.data as object;
  const faults = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const place = path.length === 0 ? whole : path.join('.');
    return `${place}: ${message}`;
  });
  throw invalid(rules === undefined ? faults : [...faults, ...rules.furtherFaults(value)]);
}

const articles: Readonly<Record<string, string>> = { object: 'an', array: 'an', int: 'an' };

/** Says in the words of all other faults that a value is of the wrong type, where its schema has no words of its own. */
function plainWords(issue: { readonly code?: string; readonly expected?: unknown }): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  const expected = String(issue.expected);
  return `must be ${articles[expected] ?? 'a'} ${expected}`;
}
