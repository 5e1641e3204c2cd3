import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { readJson } from './body.ts';
import type { AppEnv } from './env.ts';

/**
 * Prepares a route for `app.openapi`: its documentation is registered as declared, but its body and query are read
 * and checked here, once, with the limits and the error shape of the decisions (section 1), in place of the
 * validators that zod-openapi would add.
 */
export function endpoint<R extends RouteConfig>(app: OpenAPIHono<AppEnv>, maxBodyBytes: number, route: R): R {
  app.openAPIRegistry.registerPath(route);
  // To the type it is the same route, so that handlers and clients stay typed by what is documented.
  return { ...route, hide: true, request: undefined, middleware: [checkRequest(route, maxBodyBytes)] } as R;
}

function checkRequest(route: RouteConfig, maxBodyBytes: number): MiddlewareHandler<AppEnv> {
  const query = schemaOf(route.request?.query);
  const params = schemaOf(route.request?.params);
  const content = route.request?.body?.content['application/json'];
  const body = schemaOf(content !== undefined && 'schema' in content ? content.schema : undefined);
  const required = route.request?.body?.required === true;
  return async function checkedRequest(c, next) {
    if (params !== undefined) c.req.addValidatedData('param', c.req.param());
    if (query !== undefined) c.req.addValidatedData('query', check(query, queryOf(c.req.queries()), ''));
    if (body !== undefined) {
      const sent = await readJson(c, maxBodyBytes);
      c.req.addValidatedData('json', check(body, sent === undefined && !required ? {} : sent, 'body'));
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
export function check(schema: z.ZodType, value: unknown, whole: string): object {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as object;
  const faults = parsed.error.issues.map(({ path, message }) => {
    const place = path.length === 0 ? whole : path.join('.');
    return `${place}: ${message}`;
  });
  throw invalid(faults);
}
