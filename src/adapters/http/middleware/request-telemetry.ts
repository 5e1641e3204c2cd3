import { performance } from 'node:perf_hooks';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { NewId } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { ServiceTelemetry } from '../../../ports/telemetry.ts';
import type { AppEnv } from '../env.ts';
import { quietly } from '../errors.ts';
import { securityHeaders } from '../response.ts';

export interface RequestTelemetryOptions {
  readonly newId: NewId;
  readonly logger: Logger;
  readonly telemetry: Pick<ServiceTelemetry, 'serverSpan'>;
  /** Told once of every finished request: its route template or `unmatched`, its status, its seconds. */
  readonly requestFinished: (route: string, status: number, seconds: number) => void;
  /** Answers what was thrown and is no error: the router passes that on as it is. */
  readonly answerError: (thrown: unknown, c: Context<AppEnv>) => Response;
}

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/**
 * Wraps every request: gives it an id, binds that to its log lines, and reports it once when it is answered,
 * whoever answered it (decisions, sections 1 and 7).
 */
export function requestTelemetry(options: RequestTelemetryOptions): MiddlewareHandler<AppEnv> {
  const { logger, newId, telemetry, answerError } = options;
  return function observed(c, next) {
    const started = performance.now();
    const headers: Record<string, string> = { ...securityHeaders };
    c.set('headers', headers);
    const sent = c.req.header('x-request-id');
    const requestId = sent !== undefined && visibleAscii.test(sent) ? sent : newId();
    headers['X-Request-Id'] = requestId;
    const request = { method: c.req.method, path: c.req.path, header: (name: string) => c.req.header(name) };
    return logger.bind({ request_id: requestId }, () =>
      telemetry.serverSpan(request, async (span) => {
        try {
          await next();
        } catch (thrown) {
          c.res = answerError(thrown, c);
        }
        const route = c.get('route') ?? routeTemplate(c);
        span.answered(route, c.res.status);
        report(options, c, route, performance.now() - started);
      }),
    );
  };
}

function report(options: RequestTelemetryOptions, c: Context<AppEnv>, route: string, milliseconds: number): void {
  const { status } = c.res;
  quietly(() => options.requestFinished(route, status, milliseconds / 1_000));
  const line = {
    method: c.req.method,
    route,
    path: c.req.path.slice(0, 256),
    status,
    duration_ms: Math.round(milliseconds * 1_000) / 1_000,
    ...c.get('logged'),
  };
  quietly(() => options.logger[status >= 500 ? 'warn' : 'info']('request', line));
}

const templates = new Map<string, string>();

/** The template of the route that a request was matched to: from a closed set, whatever clients send. */
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
