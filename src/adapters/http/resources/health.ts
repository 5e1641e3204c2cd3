import { createRoute, z } from '@hono/zod-openapi';
import type { HealthReport } from '../../../application/health.ts';
import { healthExample, metricsExample } from '../docs/examples-agents.ts';
import { jsonContent, onlyErrors } from './schemas.ts';

const checkSchema = z.enum(['ok', 'error', 'not_configured']).describe('The outcome of the last ten seconds');

const healthSchema = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'draining'])
      .describe('`degraded` where a check failed, `draining` while the service shuts down'),
    version: z.string().describe('Version of the service'),
    uptime_seconds: z.number().int().describe('Since the start of the process'),
    checks: z
      .object({ kvstore: checkSchema, llm: checkSchema })
      .describe('The shared store and the language-model provider'),
  })
  .openapi('Health');

export const healthRoute = createRoute({
  method: 'get',
  path: '/health',
  operationId: 'getHealth',
  tags: ['Operations'],
  summary: 'Liveness, and readiness of what the service depends on',
  description:
    'Needs no key and never counts against the rate limit. `probe=live` and no probe answer 200 while the process lives; `probe=ready` answers 503 when a configured store is unreachable or the service is draining.',
  security: [],
  request: {
    query: z.object({
      probe: z
        .enum(['live', 'ready'], { error: 'must be live or ready' })
        .optional()
        .openapi({ param: { description: 'What the caller wants to know' } }),
    }),
  },
  responses: {
    200: jsonContent(healthSchema, 'How the service is', healthExample),
    ...onlyErrors(422, 500, 503),
  },
});

export const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tags: ['Operations'],
  summary: 'Metrics in the Prometheus text exposition format',
  description: 'Needs no key, but counts against the rate limit.',
  security: [],
  responses: {
    200: {
      description: 'The metrics',
      content: { 'text/plain': { schema: z.string(), example: metricsExample } },
    },
    ...onlyErrors(429, 500),
  },
});

/** A health report in its wire form. */
export function toWireHealth(report: HealthReport, version: string): z.input<typeof healthSchema> {
  return { status: report.status, version, uptime_seconds: report.uptimeSeconds, checks: report.checks };
}

/** Why the service is not ready; undefined when it is. */
export function notReady(report: HealthReport): string | undefined {
  if (report.status === 'draining') return 'the service is shutting down';
  if (report.checks.kvstore === 'error') return 'the key-value store cannot be reached';
  return undefined;
}
