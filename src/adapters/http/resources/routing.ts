import { z } from '@hono/zod-openapi';
import {
  type PlannedSubTask,
  type RoutingPlan,
  type RoutingResult,
  routingStatuses,
} from '../../../domain/routing/routing.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { actionRoute, answer, deleteRoute, getRoute, listRoute } from '../docs/routes.ts';
import { createIdempotent, findRecord } from '../idempotency/idempotent.ts';
import { streamJson, streamPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import { routePath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { noContentResponse } from '../response.ts';
import {
  choiceError,
  pageQuerySchema,
  pageSchema,
  statusListSchema,
  timeRangeShape,
  toFilter,
  toPageRequest,
} from './listing.ts';
import {
  anyObjectSchema,
  count,
  customerIdSchema,
  idParameter,
  jsonObjectSchema,
  nullableObjectSchema,
  text,
} from './schemas.ts';
import { fromWire, toWire } from './wire.ts';

/** `POST /agents/route` and the routing runs, under `/agents/routes`. */
export function routingResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, maxBodyBytes, newId, mountPath } = options;
  const { agents, limits } = orchestrator;
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const idempotent = createIdempotent(options);
  return app
    .openapi(idempotentEndpoint(routeGoalRoute(limits.maxSubtasks)), async (c) => {
      await yieldIfDue();
      const { subtasks, ...goal } = fromWire(c.req.valid('json'));
      const request = { ...goal, subtasks: subtasks?.map((subtask) => fromWire(subtask)) };
      const isDryRun = c.req.valid('query').dry_run === 'true';
      let isPrivate = false;
      const respond = async (result: RoutingResult) => {
        isPrivate = result.customerId !== null;
        c.set('logFields', { routing_id: result.routingId });
        await yieldIfDue();
        return streamJson(c, toRoutingResult(result), 'results', 200);
      };
      return idempotent(c, {
        /** Known once there is a result: the answer about a customer is not kept beside it, which may be erased. */
        get isPrivate() {
          return isPrivate;
        },
        createRecordIds: newId,
        async handle(routingId) {
          if (!isDryRun) return respond(await agents.route({ ...request, routingId }));
          return streamJson(c, toRoutingPlan(await agents.plan(request)), 'results', 200);
        },
        async replay(routingId) {
          const result = await findRecord(agents.getRoute(routingId));
          return result && { response: await respond(result) };
        },
      });
    })
    .openapi(endpoint(listRoutesRoute), (c) => {
      const query = c.req.valid('query');
      const { status: statuses, since, until } = query;
      return streamPage(c, {
        name: 'routes',
        path: routePath(c, mountPath, listRoutesRoute),
        toItem: toRoutingSummary,
        list: () => agents.listRoutes(toPageRequest(query), toFilter({ statuses, since, until })),
      });
    })
    .openapi(endpoint(getRouteRoute), async (c) => {
      const routing = await agents.getRoute(c.req.valid('param').routing_id);
      return streamJson(c, toRoutingResult(routing), 'results', 200);
    })
    .openapi(endpoint(deleteRouteRoute), async (c) => {
      const { routing_id } = c.req.valid('param');
      await agents.deleteRoute(routing_id);
      c.set('logFields', { routing_id });
      return noContentResponse(c);
    });
}

const subtaskSchema = z
  .object({
    agent_name: text(128).openapi({ description: 'Name of the agent', example: 'summary' }),
    payload: jsonObjectSchema.default({}).openapi({
      description: 'Input of the agent',
      example: { text: 'A long text. With several sentences.' },
    }),
  })
  .openapi('SubTask');

/** The body of `POST /agents/route`, with at most `maxSubtasks` explicit subtasks. */
function routeRequestSchema(maxSubtasks: number) {
  return z
    .object({
      goal: text(32_768).openapi({
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
const routingSummarySchema = z
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
        total: count('Number of subtasks'),
        completed: count('Number of subtasks that succeeded'),
        failed: count('Number of subtasks that failed'),
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
const subtaskResultSchema = z
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
const routingResultSchema = routingSummarySchema
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
const routingPlanSchema = z
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
  .openapi('RoutingPlan');

function routeGoalRoute(maxSubtasks: number) {
  return actionRoute('/agents/route', {
    operationId: 'routeGoal',
    tag: 'Agents',
    summary: 'Route a goal to agents and collect their replies',
    description:
      'All subtasks run concurrently; one that fails does not cancel the others. Returns 200 for every valid request. With `dry_run=true` the subtasks are only returned: nothing is dispatched or stored.',
    query: z.object({
      dry_run: z
        .enum(['true', 'false'], { error: choiceError('must be true or false') })
        .optional()
        .openapi({
          param: { description: 'With `true`, the goal is decomposed, and nothing is dispatched or stored' },
          default: 'false',
          example: 'false',
        }),
    }),
    body: [routeRequestSchema(maxSubtasks), 'The goal'],
    answers: {
      200: answer(
        z.union([routingResultSchema, routingPlanSchema]),
        'The aggregated result, or with `dry_run=true` the plan',
      ),
    },
  });
}

const listRoutesRoute = listRoute('/agents/routes', {
  operationId: 'listRoutes',
  tag: 'Agents',
  summary: 'List routing runs, newest first, without their results',
  description:
    'Each has the number of its subtasks by status instead of their results. With filters the list has the runs that fit all of them, and `total` is their number.',
  query: pageQuerySchema.extend({ status: statusListSchema(routingStatuses), ...timeRangeShape }),
  page: [pageSchema('routes', routingSummarySchema), 'A page of routing runs'],
});

const params = z.object({ routing_id: idParameter('`routing_id` of the result') });

const getRouteRoute = getRoute('/agents/routes/{routing_id}', {
  operationId: 'getRoute',
  tag: 'Agents',
  summary: 'Get a routing run',
  description: 'The same result as in the response to `POST /agents/route`.',
  params,
  answer: [routingResultSchema, 'The routing run'],
});

const deleteRouteRoute = deleteRoute('/agents/routes/{routing_id}', {
  operationId: 'deleteRoute',
  tag: 'Agents',
  summary: 'Delete a routing run',
  description:
    'With its results, its events and the traces that the pipeline has made for it. Nothing of it stays readable in the store.',
  params,
});

const toRoutingSummary = toWire(routingSummarySchema);

const toSubTaskResult = toWire(subtaskResultSchema);

const toRoutingResult = toWire(routingResultSchema, ({ results }: RoutingResult) => ({
  results: results.map(toSubTaskResult),
}));

const toPlannedSubTask = toWire(plannedSubtaskSchema, (_subtask: PlannedSubTask) => ({
  task_id: null,
  status: 'planned',
  output: null,
  error: null,
  duration_ms: 0,
}));

const toRoutingPlan = toWire(routingPlanSchema, ({ subtasks }: RoutingPlan) => ({
  routing_id: null,
  status: subtasks.length === 0 ? 'failed' : 'planned',
  results: subtasks.map(toPlannedSubTask),
}));
