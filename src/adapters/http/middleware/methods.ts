import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { getPath } from 'hono/utils/url';
import type { AppEnv } from '../env.ts';
import { errorResponse } from '../response.ts';

/** Distinguishes the handlers that respond 405 from middleware, which is also registered for all methods of a path. */
const wrongMethodHandlers = new WeakSet<object>();

/**
 * Responds 405 with the allowed methods on every path registered so far, for each method without a route. Skips paths
 * that an earlier call has handled.
 */
export function rejectWrongMethods(app: OpenAPIHono<AppEnv>): void {
  const methodsOf = new Map<string, Set<string>>();
  const handled = new Set<string>();
  for (const { path, method, handler } of app.routes) {
    if (path.includes('*')) continue;
    if (method === 'ALL') {
      if (wrongMethodHandlers.has(handler)) handled.add(path);
      continue;
    }
    const methods = methodsOf.get(path) ?? new Set();
    methodsOf.set(path, methods.add(method));
  }
  for (const [path, methods] of methodsOf) {
    if (handled.has(path)) continue;
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].sort().join(', ');
    const wrongMethod = (c: Context<AppEnv>): Response => rejectMethod(c, allow);
    wrongMethodHandlers.add(wrongMethod);
    app.all(path, wrongMethod);
  }
}

function rejectMethod(c: Context<AppEnv>, allow: string): Response {
  return errorResponse(c, { status: 405, detail: `this path supports ${allow}` }, { Allow: allow });
}

/**
 * Creates middleware for a path under which several resources are served: it responds 405 to methods that are not in
 * `allowedFor(c)`, a list such as `GET, HEAD`.
 */
export function checkMethods(allowedFor: (c: Context<AppEnv>) => string): MiddlewareHandler<AppEnv> {
  const check: MiddlewareHandler<AppEnv> = async (c, next) => {
    const allow = allowedFor(c);
    if (!allow.split(', ').includes(c.req.method)) return rejectMethod(c, allow);
    return next();
  };
  wrongMethodHandlers.add(check);
  return check;
}

/**
 * The path that a request is routed by: without a trailing slash, and `/trace` is the listing that the specification
 * calls `/trace/` (decisions, section 1).
 */
export function stripTrailingSlash(request: Request): string {
  const path = getPath(request);
  if (path === '/trace') return '/trace/';
  const hasTrailingSlash = path.endsWith('/') && !path.endsWith('//') && path.length > 1;
  return hasTrailingSlash && path !== '/trace/' ? path.slice(0, -1) : path;
}
