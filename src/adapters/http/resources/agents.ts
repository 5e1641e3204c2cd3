import { createRoute, z } from '@hono/zod-openapi';
import type { RouteRequest } from '../../../application/routing/route-goal.ts';
import {
  type RoutingResult,
  type RoutingSummary,
  routingStatuses,
  type SubTaskResult,
} from '../../../domain/routing/routing.ts';
import type { Agent } from '../../../ports/agent.ts';
import { agentsExample, routeRequestExample, routesExample, routingExample } from '../docs/examples-agents.ts';
import {
  anyObjectSchema,
  errorResponses,
  idParameter,
  jsonContent,
  jsonObjectSchema,
  nullableObjectSchema,
  pageQuerySchema,
  pageSchema,
  requiredText,
} from './schemas.ts';

const agentSchema = z
  .object({
    name: z.string().describe('What subtasks and steps call it by'),
    description: z.string().describe('What it does'),
  })
  .openapi('Agent');

export const agentsRoute = createRoute({
  method: 'get',
  path: '/agents',
  operationId: 'listAgents',
  tags: ['Agents'],
  summary: 'List the registered agents',
  description: 'Every one can be the target of a subtask and of a workflow step.',
  responses: {
    200: jsonContent(
      z
        .object({
          count: z.number().int().describe('How many there are'),
          agents: z.array(agentSchema).describe('In the order of their registration'),
        })
        .openapi('AgentList'),
      'All registered agents',
      agentsExample,
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
      .openapi({ description: 'Name of the agent that it is for', example: 'summary' }),
    payload: jsonObjectSchema.default({}).openapi({
      description: 'What the agent is given',
      example: { text: 'A long text. With several sentences.' },
    }),
  })
  .openapi('SubTask');

const decompositions = ['explicit', 'keyword', 'llm'] as const;

const summarySchema = z
  .object({
    routing_id: z.uuid().describe('Where `GET /agents/routes/{routing_id}` finds it'),
    goal: z.string().describe('The goal as it was sent'),
    status: z
      .enum(routingStatuses)
      .describe('`completed` where all subtasks succeeded, `partial` where some did, else `failed`'),
    decomposition: z
      .enum(decompositions)
      .describe('Who made the subtasks: the caller, the keyword matcher or the language model'),
    subtask_counts: z
      .object({
        total: z.number().int().describe('How many were dispatched'),
        completed: z.number().int().describe('How many succeeded'),
        failed: z.number().int().describe('How many did not'),
      })
      .describe('What became of the subtasks'),
    error: z.string().nullable().describe('Why there were no subtasks, or not all; else null'),
    created_at: z.iso.datetime().describe('When the goal came in'),
    completed_at: z.iso.datetime().describe('When the last subtask ended'),
    duration_ms: z.number().describe('Milliseconds between the two'),
  })
  .openapi('RoutingSummary');

const subtaskResultSchema = z
  .object({
    task_id: z.string().describe('Id of the subtask, and of the message to its agent'),
    agent_name: z.string().describe('The agent that it was for'),
    payload: anyObjectSchema.describe('What the agent was given'),
    status: z.enum(['completed', 'failed']).describe('What became of it'),
    output: nullableObjectSchema.describe('What the agent replied; null when it failed'),
    error: z.string().nullable().describe('Why it failed; null when it did not'),
    duration_ms: z.number().describe('Milliseconds until the reply'),
  })
  .openapi('SubTaskResult');

const resultSchema = summarySchema
  .omit({ subtask_counts: true })
  .extend({
    results: z.array(subtaskResultSchema).describe('In the order of the subtasks'),
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
        .openapi({
          description: 'What is to be done',
          example: 'Summarize the text: It rained. Then the sun came out. Everyone was happy.',
        }),
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
    request: {
      body: {
        ...jsonContent(routeRequestSchema(maxSubtasks), 'The goal', routeRequestExample),
        required: true,
      },
    },
    responses: {
      200: jsonContent(resultSchema, 'The aggregated result', routingExample),
      ...errorResponses(400, 413, 415, 422, 503),
    },
  });
}

export const routesRoute = createRoute({
  method: 'get',
  path: '/agents/routes',
  operationId: 'listRoutes',
  tags: ['Agents'],
  summary: 'List routing runs, newest first, without their results',
  description: 'In place of the results stand their counts.',
  request: { query: pageQuerySchema },
  responses: {
    200: jsonContent(pageSchema('routes', summarySchema), 'A page of routing runs', routesExample),
    ...errorResponses(422, 503),
  },
});

export const routeRoute = createRoute({
  method: 'get',
  path: '/agents/routes/{routing_id}',
  operationId: 'getRoute',
  tags: ['Agents'],
  summary: 'Read a routing run',
  description: 'The result as it was answered.',
  request: { params: z.object({ routing_id: idParameter('`routing_id` of the result') }) },
  responses: {
    200: jsonContent(resultSchema, 'The routing run', routingExample),
    ...errorResponses(404, 503),
  },
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
