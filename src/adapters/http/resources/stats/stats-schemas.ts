import { z } from '@hono/zod-openapi';

const count = (description: string) => z.number().int().describe(description);
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

/** The response of `GET /stats`. */
export const statsSchema = z
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
              .array(
                z.object({
                  workflow_id: z.string().describe('Their definition'),
                  workflow_name: z.string().describe('Its name'),
                  error: z.string().describe('The error of the newest of them, at most 200 characters'),
                  count: count('Executions of this definition with this cause'),
                  first_at: z.string().describe('When the first of them failed'),
                  last_at: z.string().describe('When the last of them failed'),
                  execution_ids: z.array(z.string()).describe('The newest five'),
                }),
              )
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
