import { createRoute, z } from '@hono/zod-openapi';
import type { HealthReport } from '../../../application/health.ts';
import { unavailable } from '../../../domain/errors.ts';
import { answer, onlyErrors } from '../docs/routes.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse, textResponse } from '../response.ts';
import { count } from './schemas.ts';

/** `GET /health`. */
export function healthResource({ health, version, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(getHealthRoute), async (c) => {
    const report = await health.report();
    const problem = c.req.valid('query').probe === 'ready' ? readinessProblem(report) : undefined;
    if (problem !== undefined) throw unavailable(problem);
    const { status, uptimeSeconds, checks } = report;
    return jsonResponse(c, { status, version, uptime_seconds: uptimeSeconds, checks }, 200);
  });
}

/** `GET /metrics`. */
export function metricsResource({ metrics, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(getMetricsRoute), async (c) => {
    const { contentType, body } = await metrics.exposition();
    return textResponse(c, body, contentType);
  });
}

const checkSchema = z.enum(['ok', 'error', 'not_configured']);

const healthSchema = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'draining'])
      .describe('`degraded` when a check failed, `draining` while the service shuts down'),
    version: z.string().describe('Version of the service'),
    uptime_seconds: count('Seconds since the start of the process'),
    checks: z
      .object({
        kvstore: checkSchema.describe('Redis or Valkey'),
        sqlite: checkSchema.describe('The SQLite file'),
        postgres: checkSchema.describe('The PostgreSQL database'),
        llm: checkSchema.describe('The language-model provider'),
      })
      .describe('The last results, at most ten seconds old; `not_configured` for what is not used'),
  })
  .openapi('Health');

const getHealthRoute = createRoute({
  method: 'get',
  path: '/health',
  operationId: 'getHealth',
  tags: ['Operations'],
  summary: 'Get the liveness and the readiness of the service',
  description:
    'Needs no key and does not count against the rate limit. `probe=live` and no probe return 200 while the process runs; `probe=ready` returns 503 when a configured store is unreachable or the service is draining.',
  security: [],
  request: {
    query: z.object({
      probe: z
        .enum(['live', 'ready'], { error: 'must be live or ready' })
        .optional()
        .openapi({ param: { description: 'Liveness or readiness' } }),
    }),
  },
  responses: {
    200: answer(healthSchema, 'The state of the service'),
    ...onlyErrors(422, 500, 503),
  },
});

const getMetricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tags: ['Operations'],
  summary: 'Get the metrics in the Prometheus text exposition format',
  description: 'Needs no key, but counts against the rate limit.',
  security: [],
  responses: {
    200: {
      description: 'The metrics',
      content: { 'text/plain': { schema: z.string() } },
    },
    ...onlyErrors(429, 500),
  },
});

/** The reason why the service is not ready; undefined when it is. */
function readinessProblem(report: HealthReport): string | undefined {
  if (report.status === 'draining') return 'the service is shutting down';
  if (report.checks.kvstore === 'error') return 'the key-value store cannot be reached';
  if (report.checks.sqlite === 'error') return 'the SQLite file cannot be used';
  if (report.checks.postgres === 'error') return 'the database cannot be reached';
  return undefined;
}
