import { performance } from 'node:perf_hooks';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { NewId } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { ServiceTelemetry } from '../../../ports/telemetry.ts';
import type { AppEnv } from '../env.ts';
import type { ErrorHandler } from '../errors.ts';
import { securityHeaders } from '../response.ts';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/**
 * The path of a request as logs and spans may have it: callers choose the ids of conversations, such as a phone number.
 */
function publicPath(c: Context<AppEnv>): string {
  return c.req.path.replace(/(\/conversations\/).+$/s, '$1{id}').slice(0, 256);
}

/**
 * Creates an id, a span, a log line and metrics for every request, and binds the id to all log lines of the request
 * (decisions, sections 1 and 7).
 */
export function requestTelemetry({
  newId,
  logger,
  telemetry,
  requestFinished,
  handleError,
}: {
  readonly newId: NewId;
  readonly logger: Logger;
  readonly telemetry: Pick<ServiceTelemetry, 'serverSpan'>;
  /** Called once per finished request: its route template or `unmatched`, its status, its duration in seconds. */
  readonly requestFinished: (route: string, status: number, seconds: number) => void;
  /** Handles thrown values that are not errors: Hono's `onError` handles errors only. */
  readonly handleError: ErrorHandler;
}): MiddlewareHandler<AppEnv> {
  return function recordRequest(c, next) {
    const startedAt = performance.now();
    const headers: Record<string, string> = { ...securityHeaders };
    c.set('headers', headers);
    const sentId = c.req.header('x-request-id');
    const requestId = sentId !== undefined && visibleAscii.test(sentId) ? sentId : newId();
    headers['X-Request-Id'] = requestId;
    // Browsers and proxies may keep replies to these methods without being told to. Routes override it.
    if (c.req.method === 'GET' || c.req.method === 'HEAD') headers['Cache-Control'] = 'no-store';
    const request = {
      method: c.req.method,
      path: publicPath(c),
      header: (name: string) => c.req.header(name),
    };
    return logger.bind({ request_id: requestId }, () =>
      telemetry.serverSpan(request, async (span) => {
        try {
          await next();
        } catch (thrown) {
          c.res = handleError(thrown, c);
        }
        const route = c.get('route') ?? routeTemplate(c);
        const status = sentStatus(c);
        const milliseconds = performance.now() - startedAt;
        span.answered(route, status);
        requestFinished(route, status, milliseconds / 1_000);
        logRequest(logger, c, { route, status, milliseconds });
      }),
    );
  };
}

/**
 * The status that the client receives: usually that of the app's response. The listener sets `statusCode` when it has
 * responded itself to a request that the app was still processing, such as one whose body timed out.
 */
function sentStatus(c: Context<AppEnv>): number {
  const listenerStatus = c.env?.outgoing?.statusCode;
  return listenerStatus !== undefined && listenerStatus >= 400 ? listenerStatus : c.res.status;
}

function logRequest(
  logger: Logger,
  c: Context<AppEnv>,
  { route, status, milliseconds }: { route: string; status: number; milliseconds: number },
): void {
  logger[status >= 500 ? 'warn' : 'info']('request', {
    method: c.req.method,
    route,
    path: publicPath(c),
    status,
    duration_ms: Math.round(milliseconds * 1_000) / 1_000,
    ...c.get('logFields'),
  });
}

const templates = new Map<string, string>();

/** The template of the matched route. One of a closed set, whatever the client sends. */
function routeTemplate(c: Context<AppEnv>): string {
  const pattern = matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path;
  if (pattern === undefined) return 'unmatched';
  let template = templates.get(pattern);
  if (template === undefined) {
    template = pattern.replaceAll(/:(\w+)(?:\{[^/]*\})?/g, '{$1}');
    templates.set(pattern, template);
  }
  return template;
}
