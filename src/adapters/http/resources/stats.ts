import { z } from '@hono/zod-openapi';
import type { StatsReport } from '../../../application/stats/stats.ts';
import type { FailureGroup } from '../../../domain/stats/failures.ts';
import type { Tally } from '../../../domain/stats/series.ts';
import { isoTime } from '../../../lib/text/time.ts';
import { getRoute } from '../docs/routes.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { givenOnce } from './listing.ts';
import { count } from './schemas.ts';
import { toWire } from './wire.ts';

/** `GET /stats`. */
export function statsResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(getStatsRoute), async (c) => {
    const report = await orchestrator.stats.read(toRequest(c.req.valid('query')));
    return jsonResponse(c, toStatsResponse(report), 200, { 'Cache-Control': 'no-store' });
  });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MAX_WINDOW_MS = 24 * HOUR_MS;

const unitsMs = { s: 1_000, m: MINUTE_MS, h: HOUR_MS } as const;

/** A duration such as `1h`; it comes as milliseconds. */
const durationSchema = (description: string, standard: string) =>
  z
    .string(givenOnce)
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

const percentile = (description: string) => z.number().nullable().describe(description);

/** The counts of some time. */
const tallyShape = {
  messages: z
    .object({
      answered: count('Messages with a reply to the customer'),
      escalated: count('Messages that were handed to a person'),
      no_reply: count('Messages that need no reply'),
      draft: count('Messages whose reply a person checks first'),
      failed: count('Messages that ended as FAILED: they are in no other count'),
    })
    .describe('Messages that ended, each in one count'),
  latency_ms: z
    .object({
      p50: percentile('Half of the messages took at most so long; null without messages'),
      p95: percentile('95 of 100 messages took at most so long'),
      p99: percentile('99 of 100 messages took at most so long'),
    })
    .describe('Milliseconds of messages, with an error of at most 10 %'),
  runs: z.object({
    started: count('Attempts at executions that began'),
    completed: count('Executions that ended as COMPLETED'),
    failed: count('Executions that ended as FAILED'),
    cancelled: count('Executions that ended as CANCELLED'),
  }),
  steps: z.object({ failed: count('Steps of executions that ended as FAILED') }),
  tools: z.object({
    calls: count('Tool calls, retries not counted'),
    errors: count('Calls that failed'),
    not_found: count('Calls that found nothing'),
  }),
  routes: z.object({
    completed: count('Routed goals whose subtasks all completed'),
    partial: count('Routed goals of which a part completed'),
    failed: count('Routed goals of which nothing completed'),
  }),
  inbox: z.object({
    opened: count('Items that were opened'),
    resolved: count('Items that a person resolved'),
    expired: count('Items that nobody resolved in time'),
    withdrawn: count('Items whose subject was deleted'),
    overdue: count('Items that became overdue'),
  }),
};

const waitingSchema = z.object({
  open: count('Items that nobody has claimed'),
  claimed: count('Claimed items'),
});

const failureGroupSchema = z.object({
  workflow_id: z.string().describe('Their definition'),
  workflow_name: z.string().describe('Its name'),
  error: z.string().describe('The error of the newest of them, at most 200 characters'),
  count: count('Executions of this definition with this cause'),
  first_at: z.string().describe('When the first of them failed'),
  last_at: z.string().describe('When the last of them failed'),
  execution_ids: z.array(z.string()).describe('The newest five'),
});

const toFailureGroup = toWire(failureGroupSchema, ({ runIds }: FailureGroup) => ({ execution_ids: runIds }));

/** The response of `GET /stats`. */
const statsSchema = z
  .object({
    window_seconds: count('Length of the window'),
    step_seconds: count('Length of a step'),
    from: z.string().describe('Begin of the first step'),
    to: z.string().describe('End of the last step, which is under way'),
    series: z
      .array(z.object({ at: z.string().describe('Begin of the step'), ...tallyShape }))
      .describe('Oldest first'),
    totals: z
      .object({
        ...tallyShape,
        escalated_share: z
          .number()
          .nullable()
          .describe(
            'Share of messages that a person must answer, escalated and failed ones; null without messages',
          ),
      })
      .describe('All steps together'),
    now: z
      .object({
        at: z.string().describe('Time of this reply'),
        runs: z.object({
          running: count('Executions that run'),
          waiting: count('Background executions that wait for their start'),
        }),
        inbox: z.object({
          escalation: waitingSchema,
          draft: waitingSchema,
          approval: waitingSchema,
          recovery: waitingSchema,
          overdue: count('Waiting items that are overdue'),
          oldest_opened_at: z.string().nullable().describe('When the item that waits longest was opened'),
        }),
      })
      .describe('What runs and waits at the time of the reply'),
    needs: z
      .object({
        overdue: z.object({
          count: count('Waiting items of the inbox that are overdue'),
          oldest_opened_at: z.string().nullable().describe('When the oldest of them was opened'),
          oldest_age_seconds: z.number().int().nullable().describe('How long ago that was'),
        }),
        failed_runs: z
          .object({
            count: count('Failed executions that were found, the newest 1,000 at most'),
            truncated: z.boolean().describe('Whether there are more executions or groups than these'),
            groups: z
              .array(failureGroupSchema)
              .describe('The largest first, at most 20. Ids and long numbers in errors make no difference'),
          })
          .describe('FAILED executions that were created in the window; up to four seconds old'),
        parked_runs: z
          .object({
            count: count('Such executions among the failed ones'),
            execution_ids: z.array(z.string()).describe('The newest five'),
          })
          .describe('Executions that were given up because their process was lost too often'),
      })
      .describe('What needs somebody'),
  })
  .openapi('Stats');

const getStatsRoute = getRoute('/stats', {
  operationId: 'getStats',
  tag: 'Operations',
  summary: 'Get what happened lately, as a series, and what needs somebody',
  description:
    'Counts of the last 24 hours at most, of all replicas that share a store: those of other replicas come within five seconds. Without a shared store they begin at the start of the process. Steps begin at multiples of their length since 1970-01-01T00:00:00Z.',
  query: statsQuerySchema,
  answer: [statsSchema, 'The counts, the present state, and what needs somebody'],
  errors: [503],
});

function toStatsResponse(report: StatsReport): z.input<typeof statsSchema> {
  const { from, until, stepMs, points, totals, now, needs } = report;
  const { overdue, failures } = needs;
  return {
    window_seconds: (until - from) / 1_000,
    step_seconds: stepMs / 1_000,
    from: isoTime(from),
    to: isoTime(until),
    series: points.map(({ at, ...tally }) => ({ at: isoTime(at), ...toTallyResponse(tally) })),
    totals: { ...toTallyResponse(totals), escalated_share: report.escalatedShare },
    now: {
      at: isoTime(now.at),
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
        groups: failures.groups.map(toFailureGroup),
      },
      parked_runs: { count: failures.parked.count, execution_ids: [...failures.parked.runIds] },
    },
  };
}

function toTallyResponse({ latencyMs, ...groups }: Tally) {
  return { ...groups, latency_ms: latencyMs };
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
