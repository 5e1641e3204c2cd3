import { createRoute, z } from '@hono/zod-openapi';
import type { RouteRequest } from '../../application/route-goal.ts';
import {
  type RoutingResult,
  type RoutingSummary,
  routingStatuses,
  type SubTaskResult,
} from '../../domain/routing.ts';
import type { Agent } from '../../ports/agent.ts';
import {
  anyObjectSchema,
  errorResponses,
  jsonContent,
  jsonObjectSchema,
  pageQuerySchema,
  pageSchema,
  requiredText,
} from './wire.ts';

const agentSchema = z.object({ name: z.string(), description: z.string() }).openapi('Agent');

export const agentsRoute = createRoute({
  method: 'get',
  path: '/agents',
  operationId: 'listAgents',
  tags: ['Agents'],
  summary: 'List the registered agents',
  responses: {
    200: jsonContent(
      z.object({ count: z.number().int(), agents: z.array(agentSchema) }).openapi('AgentList'),
      'All registered agents',
    ),
    ...errorResponses(),
  },
});

const subtaskSchema = z
  .object({
    agent_name: z
      .string({ error: requiredText })
      .min(1, 'must not be empty')
      .max(128, 'must be at most 128 characters')
      .openapi({ example: 'summary' }),
    payload: jsonObjectSchema
      .default({})
      .openapi({ example: { text: 'A long text. With several sentences.' } }),
  })
  .openapi('SubTask');

const decompositions = ['explicit', 'keyword', 'llm'] as const;

const summarySchema = z
  .object({
    routing_id: z.uuid(),
    goal: z.string(),
    status: z.enum(routingStatuses),
    decomposition: z.enum(decompositions),
    subtask_counts: z.object({
      total: z.number().int(),
      completed: z.number().int(),
      failed: z.number().int(),
    }),
    error: z.string().nullable(),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime(),
    duration_ms: z.number(),
  })
  .openapi('RoutingSummary');

const subtaskResultSchema = z
  .object({
    task_id: z.string(),
    agent_name: z.string(),
    payload: anyObjectSchema,
    status: z.enum(['completed', 'failed']),
    output: anyObjectSchema.nullable(),
    error: z.string().nullable(),
    duration_ms: z.number(),
  })
  .openapi('SubTaskResult');

const resultSchema = summarySchema
  .omit({ subtask_counts: true })
  .extend({
    results: z.array(subtaskResultSchema),
  })
  .openapi('RoutingResult');

/** The body of `POST /agents/route`, with at most `maxSubtasks` explicit subtasks. */
function routeRequestSchema(maxSubtasks: number) {
  return z
    .object({
      goal: z
        .string({ error: requiredText })
        .min(1, 'must not be empty')
        .max(32_768, 'must be at most 32768 characters')
        .openapi({ example: 'Summarize the text: It rained. Then the sun came out. Everyone was happy.' }),
      subtasks: z
        .array(subtaskSchema, { error: 'must be an array of subtasks' })
        .max(maxSubtasks, `must hold at most ${maxSubtasks} subtasks`)
        .optional()
        .openapi({ description: 'Exactly these are dispatched; without them the goal is decomposed' }),
    })
    .openapi('RouteRequest');
}

/** `POST /agents/route` for at most `maxSubtasks` explicit subtasks. */
export function routeGoalRoute(maxSubtasks: number) {
  return createRoute({
    method: 'post',
    path: '/agents/route',
    operationId: 'routeGoal',
    tags: ['Agents'],
    summary: 'Split a goal among agents and gather their answers',
    description:
      'All subtasks are dispatched concurrently; one that fails never cancels the others. Always 200 when the request is valid.',
    request: { body: { ...jsonContent(routeRequestSchema(maxSubtasks), 'The goal'), required: true } },
    responses: {
      200: jsonContent(resultSchema, 'The aggregated result'),
      ...errorResponses(413, 415, 422, 503),
    },
  });
}

export const routesRoute = createRoute({
  method: 'get',
  path: '/agents/routes',
  operationId: 'listRoutes',
  tags: ['Agents'],
  summary: 'List routing runs, newest first, without their results',
  request: { query: pageQuerySchema },
  responses: {
    200: jsonContent(pageSchema('routes', summarySchema), 'A page of routing runs'),
    ...errorResponses(422, 503),
  },
});

export const routeRoute = createRoute({
  method: 'get',
  path: '/agents/routes/{routing_id}',
  operationId: 'getRoute',
  tags: ['Agents'],
  summary: 'Read a routing run',
  request: { params: z.object({ routing_id: z.string() }) },
  responses: { 200: jsonContent(resultSchema, 'The routing run'), ...errorResponses(404, 503) },
});

/** A goal as the core wants it. */
export function toRouteRequest(request: z.output<ReturnType<typeof routeRequestSchema>>): RouteRequest {
  const subtasks = request.subtasks?.map(({ agent_name, payload }) => ({ agentName: agent_name, payload }));
  return { goal: request.goal, subtasks };
}

/** An agent in its wire form. */
export function toWireAgent({ name, description }: Agent) {
  return { name, description };
}

/** A routing run's summary in its wire form. */
export function toWireRoutingSummary(routing: RoutingSummary): z.input<typeof summarySchema> {
  return { ...toWireRoutingHead(routing), subtask_counts: { ...routing.subtaskCounts } };
}

/** A routing run in its wire form. */
export function toWireRoutingResult(routing: RoutingResult): z.input<typeof resultSchema> {
  return { ...toWireRoutingHead(routing), results: routing.results.map(toWireSubTaskResult) };
}

function toWireRoutingHead(routing: RoutingSummary) {
  return {
    routing_id: routing.routingId,
    goal: routing.goal,
    status: routing.status,
    decomposition: routing.decomposition,
    error: routing.error,
    created_at: routing.createdAt,
    completed_at: routing.completedAt,
    duration_ms: routing.durationMs,
  };
}

function toWireSubTaskResult(result: SubTaskResult): z.input<typeof subtaskResultSchema> {
  return {
    task_id: result.taskId,
    agent_name: result.agentName,
    payload: result.payload,
    status: result.status,
    output: result.output,
    error: result.error,
    duration_ms: result.durationMs,
  };
}
