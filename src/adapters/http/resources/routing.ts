import { createRoute, z } from '@hono/zod-openapi';
import type { RouteRequest } from '../../../application/routing/route-goal.ts';
import type {
  RoutingPlan,
  RoutingResult,
  RoutingSummary,
  SubTaskResult,
} from '../../../domain/routing/routing.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { routeRequestExample, routesExample, routingExample } from '../docs/examples-agents.ts';
import { linkHeaders } from '../docs/headers.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createOnce } from '../idempotency/once.ts';
import { findRecord } from '../idempotency/records.ts';
import { streamJson, streamPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import type { MountPath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { noContentResponse } from '../response.ts';
import {
  listRoutesQuerySchema,
  routeQuerySchema,
  routeRequestSchema,
  routingPlanSchema,
  routingResultSchema,
  routingSummarySchema,
  type subtaskResultSchema,
  toRoutingFilter,
} from './routing-schemas.ts';
import { idParameter, pageSchema, toPageRequest } from './schemas.ts';

function routeGoalRoute(maxSubtasks: number) {
  const body = jsonContent(routeRequestSchema(maxSubtasks), 'The goal', routeRequestExample);
  return createRoute({
    method: 'post',
    path: '/agents/route',
    operationId: 'routeGoal',
    tags: ['Agents'],
    summary: 'Route a goal to agents and collect their replies',
    description:
      'All subtasks run concurrently; one that fails does not cancel the others. Returns 200 for every valid request. With `dry_run=true` the subtasks are only returned: nothing is dispatched or stored.',
    request: { query: routeQuerySchema, body: { ...body, required: true } },
    responses: {
      200: jsonContent(
        z.union([routingResultSchema, routingPlanSchema]),
        'The aggregated result, or with `dry_run=true` the plan',
        routingExample,
      ),
      ...errorResponses(400, 413, 415, 422, 503),
    },
  });
}

const listRoutesRoute = createRoute({
  method: 'get',
  path: '/agents/routes',
  operationId: 'listRoutes',
  tags: ['Agents'],
  summary: 'List routing runs, newest first, without their results',
  description:
    'Each has the number of its subtasks by status instead of their results. With filters the list has the runs that fit all of them, and `total` is their number.',
  request: { query: listRoutesQuerySchema },
  responses: {
    200: {
      ...jsonContent(pageSchema('routes', routingSummarySchema), 'A page of routing runs', routesExample),
      headers: linkHeaders,
    },
    ...errorResponses(422, 503),
  },
});

const getRouteRoute = createRoute({
  method: 'get',
  path: '/agents/routes/{routing_id}',
  operationId: 'getRoute',
  tags: ['Agents'],
  summary: 'Get a routing run',
  description: 'The same result as in the response to `POST /agents/route`.',
  request: { params: z.object({ routing_id: idParameter('`routing_id` of the result') }) },
  responses: {
    200: jsonContent(routingResultSchema, 'The routing run', routingExample),
    ...errorResponses(404, 503),
  },
});

const deleteRouteRoute = createRoute({
  method: 'delete',
  path: '/agents/routes/{routing_id}',
  operationId: 'deleteRoute',
  tags: ['Agents'],
  summary: 'Delete a routing run',
  description:
    'With its results, its events and the traces that the pipeline has made for it. Nothing of it stays readable in the store.',
  request: getRouteRoute.request,
  responses: { 204: { description: 'Deleted' }, ...errorResponses(404, 503) },
});

/** `POST /agents/route` and the routing runs, under `/agents/routes`. */
export function routingResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, maxBodyBytes, newId } = options;
  const { agents, limits } = orchestrator;
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const once = createOnce(options);
  return app
    .openapi(idempotentEndpoint(routeGoalRoute(limits.maxSubtasks)), async (c) => {
      await yieldIfDue();
      const request = toRouteRequest(c.req.valid('json'));
      const isDryRun = c.req.valid('query').dry_run === 'true';
      let isPrivate = false;
      const respond = async (result: RoutingResult) => {
        isPrivate = result.customerId !== null;
        c.set('logFields', { routing_id: result.routingId });
        await yieldIfDue();
        return streamJson(c, toRoutingResultResponse(result), 'results', 200);
      };
      return once(c, {
        /** Known once there is a result: the answer about a customer is not kept beside it, which may be erased. */
        get isPrivate() {
          return isPrivate;
        },
        createReference: newId,
        async perform(routingId) {
          if (!isDryRun) return respond(await agents.route({ ...request, routingId }));
          return streamJson(c, toRoutingPlanResponse(await agents.plan(request)), 'results', 200);
        },
        async recall(routingId) {
          const result = await findRecord(agents.getRoute(routingId));
          return result && { response: await respond(result) };
        },
      });
    })
    .openapi(endpoint(listRoutesRoute), (c) => {
      const query = c.req.valid('query');
      return streamPage(c, {
        name: 'routes',
        path: `${mountPath(c, listRoutesRoute.path)}${listRoutesRoute.path}`,
        toItem: toRoutingSummaryResponse,
        list: () => agents.listRoutes(toPageRequest(query), toRoutingFilter(query)),
      });
    })
    .openapi(endpoint(getRouteRoute), async (c) => {
      const routing = await agents.getRoute(c.req.valid('param').routing_id);
      return streamJson(c, toRoutingResultResponse(routing), 'results', 200);
    })
    .openapi(endpoint(deleteRouteRoute), async (c) => {
      const { routing_id } = c.req.valid('param');
      await agents.deleteRoute(routing_id);
      c.set('logFields', { routing_id });
      return noContentResponse(c);
    });
}

function toRouteRequest(request: z.output<ReturnType<typeof routeRequestSchema>>): RouteRequest {
  const subtasks = request.subtasks?.map(({ agent_name, payload }) => ({ agentName: agent_name, payload }));
  return { goal: request.goal, subtasks, customerId: request.customer_id };
}

function toRoutingSummaryResponse(routing: RoutingSummary): z.input<typeof routingSummarySchema> {
  return { ...commonFields(routing), subtask_counts: { ...routing.subtaskCounts } };
}

function toRoutingResultResponse(routing: RoutingResult): z.input<typeof routingResultSchema> {
  return { ...commonFields(routing), results: routing.results.map(toSubTaskResultResponse) };
}

function toRoutingPlanResponse(plan: RoutingPlan): z.input<typeof routingPlanSchema> {
  const status = plan.subtasks.length === 0 ? 'failed' : 'planned';
  return {
    routing_id: null,
    goal: plan.goal,
    customer_id: plan.customerId,
    status,
    decomposition: plan.decomposition,
    unassigned: [...plan.unassigned],
    error: plan.error,
    created_at: plan.createdAt,
    completed_at: plan.completedAt,
    duration_ms: plan.durationMs,
    results: plan.subtasks.map(({ agentName, payload, matched }) => ({
      task_id: null,
      agent_name: agentName,
      payload,
      matched: [...matched],
      status: 'planned',
      output: null,
      error: null,
      duration_ms: 0,
    })),
  };
}

function commonFields(routing: RoutingSummary) {
  return {
    routing_id: routing.routingId,
    goal: routing.goal,
    customer_id: routing.customerId,
    status: routing.status,
    decomposition: routing.decomposition,
    unassigned: [...routing.unassigned],
    error: routing.error,
    created_at: routing.createdAt,
    completed_at: routing.completedAt,
    duration_ms: routing.durationMs,
  };
}

function toSubTaskResultResponse(result: SubTaskResult): z.input<typeof subtaskResultSchema> {
  return {
    task_id: result.taskId,
    agent_name: result.agentName,
    payload: result.payload,
    matched: [...result.matched],
    status: result.status,
    output: result.output,
    error: result.error,
    duration_ms: result.durationMs,
  };
}
