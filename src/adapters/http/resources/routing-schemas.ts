import { z } from '@hono/zod-openapi';
import { type RoutingFilter, routingStatuses } from '../../../domain/routing/routing.ts';
import { routingPlanExample } from '../docs/examples-agents.ts';
import { statusListSchema, timeRangeShape, toFilter } from './listing/filters.ts';
import {
  anyObjectSchema,
  customerIdSchema,
  jsonObjectSchema,
  nullableObjectSchema,
  pageQuerySchema,
  requiredText,
} from './schemas.ts';

const subtaskSchema = z
  .object({
    agent_name: z
      .string({ error: requiredText })
      .min(1, 'must not be empty')
      .max(128, 'must be at most 128 characters')
      .openapi({ description: 'Name of the agent', example: 'summary' }),
    payload: jsonObjectSchema.default({}).openapi({
      description: 'Input of the agent',
      example: { text: 'A long text. With several sentences.' },
    }),
  })
  .openapi('SubTask');

/** The body of `POST /agents/route`, with at most `maxSubtasks` explicit subtasks. */
export function routeRequestSchema(maxSubtasks: number) {
  return z
    .object({
      goal: z
        .string({ error: requiredText })
        .min(1, 'must not be empty')
        .max(32_768, 'must be at most 32768 characters')
        .openapi({
          description: 'What is to be done',
          example: 'Summarize the text: It rained. Then the sun came out. Everyone was happy.',
        }),
      customer_id: customerIdSchema.optional().openapi({
        description:
          'Id of the customer whose data the goal has: erasing the customer deletes it. When absent, the one whom the payloads of the subtasks for `support_pipeline` name',
        example: 'customer-42',
      }),
      subtasks: z
        .array(subtaskSchema, { error: 'must be an array of subtasks' })
        .max(maxSubtasks, `must contain at most ${maxSubtasks} subtasks`)
        .optional()
        .openapi({ description: 'The subtasks to run; without them the goal is decomposed' }),
    })
    .openapi('RouteRequest');
}

const decompositions = ['explicit', 'keyword', 'llm'] as const;

/** The schema `RoutingSummary` of the OpenAPI document. */
export const routingSummarySchema = z
  .object({
    routing_id: z.uuid().describe('Id of the routing run, for `GET /agents/routes/{routing_id}`'),
    goal: z.string().describe('The goal as it was sent'),
    customer_id: z.string().nullable().describe('The customer whose data it has, else null'),
    status: z
      .enum(routingStatuses)
      .describe('`completed` when all subtasks succeeded, `partial` when some did, else `failed`'),
    decomposition: z
      .enum(decompositions)
      .describe('What created the subtasks: the caller, the keyword matcher or the language model'),
    subtask_counts: z
      .object({
        total: z.number().int().describe('Number of subtasks'),
        completed: z.number().int().describe('Number of subtasks that succeeded'),
        failed: z.number().int().describe('Number of subtasks that failed'),
      })
      .describe('Number of subtasks by status'),
    unassigned: z
      .array(z.string())
      .describe('The clauses of the goal that no agent takes, in the order of the goal'),
    error: z.string().nullable().describe('Why there were no subtasks, or not all; else null'),
    created_at: z.iso.datetime().describe('When the goal was received'),
    completed_at: z.iso.datetime().describe('When the last subtask ended'),
    duration_ms: z.number().describe('Milliseconds from `created_at` to `completed_at`'),
  })
  .openapi('RoutingSummary');

/** The schema `SubTaskResult` of the OpenAPI document. */
export const subtaskResultSchema = z
  .object({
    task_id: z.string().describe('Id of the subtask, and of the message to its agent'),
    agent_name: z.string().describe('Name of the agent'),
    payload: anyObjectSchema.describe('Input of the agent'),
    matched: z
      .array(z.string())
      .describe('The words of the goal by which the keyword matcher chose the agent; else empty'),
    status: z.enum(['completed', 'failed']).describe('Result of the subtask'),
    output: nullableObjectSchema.describe('Reply of the agent; null when it failed'),
    error: z.string().nullable().describe('Why it failed, else null'),
    duration_ms: z.number().describe('Milliseconds until the reply'),
  })
  .openapi('SubTaskResult');

/** The schema `RoutingResult` of the OpenAPI document. */
export const routingResultSchema = routingSummarySchema
  .omit({ subtask_counts: true })
  .extend({
    results: z.array(subtaskResultSchema).describe('In the order of the subtasks'),
  })
  .openapi('RoutingResult');

/** The schema `PlannedSubTask` of the OpenAPI document. */
const plannedSubtaskSchema = z
  .object({
    ...subtaskResultSchema.shape,
    task_id: z.null().describe('Null: nothing was dispatched'),
    status: z.literal('planned').describe('It was not dispatched'),
    output: z.null().describe('Null: nothing was dispatched'),
    error: z.null().describe('Null: nothing was dispatched'),
    duration_ms: z.literal(0).describe('0: nothing was dispatched'),
  })
  .openapi('PlannedSubTask');

/** The schema `RoutingPlan` of the OpenAPI document. */
export const routingPlanSchema = z
  .object({
    ...routingResultSchema.shape,
    routing_id: z.null().describe('Null: nothing was stored'),
    status: z
      .enum(['planned', 'failed'])
      .describe('`planned` when there are subtasks, `failed` when nothing would be dispatched'),
    results: z.array(plannedSubtaskSchema).describe('The subtasks that would be dispatched, in their order'),
    error: z.string().nullable().describe('Why there are no subtasks, or not all; else null'),
    created_at: z.iso.datetime().describe('When the goal was received'),
    completed_at: z.iso.datetime().describe('When it was decomposed'),
  })
  .openapi('RoutingPlan', { example: routingPlanExample });

/** The query of `POST /agents/route`. */
export const routeQuerySchema = z.object({
  dry_run: z
    .enum(['true', 'false'], {
      error: (issue) => (Array.isArray(issue.input) ? 'must be given once' : 'must be true or false'),
    })
    .optional()
    .openapi({
      param: { description: 'With `true`, the goal is decomposed, and nothing is dispatched or stored' },
      default: 'false',
      example: 'false',
    }),
});

/** The query of `GET /agents/routes`. */
export const listRoutesQuerySchema = pageQuerySchema.extend({
  status: statusListSchema(routingStatuses),
  ...timeRangeShape,
});

/** The routed goals that the query of a listing includes; undefined for all. */
export function toRoutingFilter(query: z.output<typeof listRoutesQuerySchema>): RoutingFilter | undefined {
  const { status: statuses, since, until } = query;
  return toFilter({ statuses, since, until });
}
