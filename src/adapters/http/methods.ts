import type { OpenAPIHono } from '@hono/zod-openapi';
import { getPath } from 'hono/utils/url';
import type { AppEnv } from './env.ts';
import { errorReply } from './reply.ts';

/**
 * Answers 405, with the methods that are allowed, on every path registered so far, for whatever method no route of
 * it takes. Paths that were answered so before are left alone.
 */
export function answerWrongMethods(app: OpenAPIHono<AppEnv>): void {
  const methodsOf = new Map<string, Set<string>>();
  const answered = new Set<string>();
  for (const { path, method } of app.routes) {
    if (path.includes('*')) continue;
    if (method === 'ALL') answered.add(path);
    const methods = methodsOf.get(path) ?? new Set();
    methodsOf.set(path, methods.add(method));
  }
  for (const [path, methods] of methodsOf) {
    if (answered.has(path)) continue;
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].sort().join(', ');
    app.all(path, (c) => errorReply(c, 405, `this path takes ${allow}`, { Allow: allow }));
  }
}

/**
 * The path that a request is routed by: a trailing slash counts for nothing, and `/trace` is the listing that the
 * specification calls `/trace/` (decisions, section 1).
 */
export function stripTrailingSlash(request: Request): string {
  const path = getPath(request);
  if (path === '/trace') return '/trace/';
  return path.length > 1 && path.endsWith('/') && path !== '/trace/' ? path.slice(0, -1) : path;
}
