import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { getPath } from 'hono/utils/url';
import type { AppEnv } from '../env.ts';
import { errorResponse } from '../response.ts';

/** The handlers that answer 405, to be told from guards, which stand at a path for all methods too. */
const wrongMethodHandlers = new WeakSet<object>();

/**
 * Answers 405, with the methods that are allowed, on every path registered so far, for whatever method no route of
 * it takes. Paths that were answered so before are left alone.
 */
export function rejectWrongMethods(app: OpenAPIHono<AppEnv>): void {
  const methodsOf = new Map<string, Set<string>>();
  const answered = new Set<string>();
  for (const { path, method, handler } of app.routes) {
    if (path.includes('*')) continue;
    if (method === 'ALL') {
      if (wrongMethodHandlers.has(handler)) answered.add(path);
      continue;
    }
    const methods = methodsOf.get(path) ?? new Set();
    methodsOf.set(path, methods.add(method));
  }
  for (const [path, methods] of methodsOf) {
    if (answered.has(path)) continue;
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].sort().join(', ');
    const wrongMethod = (c: Context<AppEnv>): Response =>
      errorResponse(c, 405, `this path takes ${allow}`, { Allow: allow });
    wrongMethodHandlers.add(wrongMethod);
    app.all(path, wrongMethod);
  }
}

/**
 * The path that a request is routed by: a trailing slash counts for nothing, and `/trace` is the listing that the
 * specification calls `/trace/` (decisions, section 1).
 */
export function stripTrailingSlash(request: Request): string {
  const path = getPath(request);
  if (path === '/trace') return '/trace/';
  const slashed = path.endsWith('/') && !path.endsWith('//') && path.length > 1;
  return slashed && path !== '/trace/' ? path.slice(0, -1) : path;
}
