import { createRoute, z } from '@hono/zod-openapi';
import type { StatsReport } from '../../../../application/stats/stats.ts';
import type { Tally } from '../../../../domain/stats/series.ts';
import { statsExample } from '../../docs/examples-stats.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { jsonResponse } from '../../response.ts';
import { statsSchema } from './stats-schemas.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MAX_WINDOW_MS = 24 * HOUR_MS;

const unitsMs = { s: 1_000, m: MINUTE_MS, h: HOUR_MS } as const;

/** A duration such as `1h`; it comes as milliseconds. */
const durationSchema = (description: string, standard: string) =>
  z
    .string({ error: 'must be given once' })
    .transform((text, context): number => {
      const [, digits, unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
      if (digits === undefined || !isUnit(unit)) {
        context.addIssue({ code: 'custom', message: 'must be a number with the unit s, m or h, such as 1h' });
        return z.NEVER;
      }
      return Number(digits) * unitsMs[unit];
    })
    .optional()
    .openapi({ param: { description }, type: 'string', default: standard, example: standard });

const statsQuerySchema = z
  .object({
    window: durationSchema('How far back: a number with the unit `s`, `m` or `h`, from `1m` to `24h`', '1h'),
    step: durationSchema('The time of a point: whole minutes, which divide the window', '1m'),
  })
  .superRefine(({ window, step }, context) => {
    const { windowMs, stepMs } = toRequest({ window, step });
    const issue = (path: 'window' | 'step', message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (windowMs < MINUTE_MS || windowMs > MAX_WINDOW_MS) issue('window', 'must be from 1m to 24h');
    if (stepMs < MINUTE_MS) issue('step', 'must be 1m or more');
    else if (stepMs % MINUTE_MS !== 0) issue('step', 'must be whole minutes');
    else if (windowMs % stepMs !== 0) issue('step', 'must divide the window');
  });

const getStatsRoute = createRoute({
  method: 'get',
  path: '/stats',
  operationId: 'getStats',
  tags: ['Operations'],
  summary: 'Get what happened lately, as a series, and what needs somebody',
  description:
    'Counts of the last 24 hours at most, of all replicas that share a store: those of other replicas come within five seconds. Without a shared store they begin at the start of the process. Steps begin at multiples of their length since 1970-01-01T00:00:00Z.',
  request: { query: statsQuerySchema },
  responses: {
    200: jsonContent(statsSchema, 'The counts, the present state, and what needs somebody', statsExample),
    ...errorResponses(422, 503),
  },
});

/** `GET /stats`. */
export function statsResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(getStatsRoute), async (c) => {
    const request = toRequest(c.req.valid('query'));
    const report = await orchestrator.stats.read(request);
    return jsonResponse(c, toStatsResponse(report), 200, { 'Cache-Control': 'no-store' });
  });
}

function isUnit(text: string): text is keyof typeof unitsMs {
  return Object.hasOwn(unitsMs, text);
}

function toRequest({
  window = HOUR_MS,
  step = MINUTE_MS,
}: {
  window?: number | undefined;
  step?: number | undefined;
}) {
  return { windowMs: window, stepMs: step };
}

function toStatsResponse(report: StatsReport): z.input<typeof statsSchema> {
  const { from, until, stepMs, points, totals, now, needs } = report;
  const { overdue, failures } = needs;
  return {
    window_seconds: (until - from) / 1_000,
    step_seconds: stepMs / 1_000,
    from: isoOf(from),
    to: isoOf(until),
    series: points.map(({ at, ...tally }) => ({ at: isoOf(at), ...toTallyResponse(tally) })),
    totals: { ...toTallyResponse(totals), escalated_share: report.escalatedShare },
    now: {
      at: isoOf(now.at),
      runs: now.runs,
      inbox: {
        ...now.inbox.waiting,
        overdue: now.inbox.overdue,
        oldest_opened_at: isoOrNull(now.inbox.oldestOpenedAt),
      },
    },
    needs: {
      overdue: {
        count: overdue.count,
        oldest_opened_at: isoOrNull(overdue.oldestOpenedAt),
        oldest_age_seconds:
          overdue.oldestOpenedAt === null
            ? null
            : Math.max(0, Math.floor((now.at - overdue.oldestOpenedAt) / 1_000)),
      },
      failed_runs: {
        count: failures.count,
        truncated: failures.isTruncated,
        groups: failures.groups.map((group) => ({
          workflow_id: group.workflowId,
          workflow_name: group.workflowName,
          error: group.error,
          count: group.count,
          first_at: group.firstAt,
          last_at: group.lastAt,
          execution_ids: [...group.runIds],
        })),
      },
      parked_runs: { count: failures.parked.count, execution_ids: [...failures.parked.runIds] },
    },
  };
}

function toTallyResponse({ latencyMs, ...groups }: Tally) {
  return { ...groups, latency_ms: latencyMs };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms));
