import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { Health } from '../../application/health.ts';
import type { Orchestrator } from '../../application/orchestrator.ts';
import { unavailable } from '../../domain/errors.ts';
import { messageResponse } from '../../domain/trace.ts';
import type { NewId } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { ServiceTelemetry } from '../../ports/telemetry.ts';
import {
  agentsRoute,
  routeGoalRoute,
  routeRoute,
  routesRoute,
  toRouteRequest,
  toWireAgent,
  toWireRoutingResult,
  toWireRoutingSummary,
} from './agents.ts';
import { createKeyCheck } from './auth.ts';
import { serveDocs } from './docs.ts';
import { endpoint } from './endpoint.ts';
import type { AppEnv } from './env.ts';
import { createErrorHandler } from './errors.ts';
import { evaluationRoute, toEvaluationRequest, toWireEvaluation } from './evaluation.ts';
import {
  executionRoute,
  runRoute,
  runsRoute,
  toWireExecution,
  toWireExecutionSummary,
} from './executions.ts';
import { guard } from './guard.ts';
import { healthRoute, metricsRoute, notReady, toWireHealth } from './health.ts';
import { batchRoute, messageRoute, toCustomerMessage } from './messages.ts';
import { answerWrongMethods, stripTrailingSlash } from './methods.ts';
import { observe } from './observe.ts';
import { serveOpenApi } from './openapi.ts';
import { errorReply, json, noContent, text } from './reply.ts';
import { toolsRoute, toWireTool } from './tools.ts';
import { toWireTrace, toWireTraceSummary, traceRoute, tracesRoute } from './traces.ts';
import { pageBody, pageRequest } from './wire.ts';
import {
  createWorkflowRoute,
  deleteWorkflowRoute,
  toWireWorkflow,
  toWorkflowDraft,
  workflowRoute,
  workflowsRoute,
} from './workflows.ts';

/** What the app reports about requests, and the text that `GET /metrics` answers. */
export interface HttpMetrics {
  /** Counts a finished request: its route template or `unmatched`, its status, its seconds. */
  requestFinished(route: string, status: number, seconds: number): void;
  /** All metrics in text exposition format. */
  exposition(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** What the HTTP app is made from. */
export interface HttpAppOptions {
  readonly orchestrator: Orchestrator;
  readonly health: Health;
  readonly metrics: HttpMetrics;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
  readonly telemetry: Pick<ServiceTelemetry, 'serverSpan'>;
  readonly newId: NewId;
  readonly version: string;
  /** Keys of which each request must bear one; undefined turns authentication off. */
  readonly apiKeys: readonly string[] | undefined;
  readonly trustProxyHeaders: boolean;
  readonly maxBodyBytes: number;
}

/**
 * The HTTP interface of an orchestrator (specification, section 4): a Hono app that needs no server, so that it can
 * be tested and mounted as it is.
 */
export function createHttpApp(options: HttpAppOptions) {
  const { orchestrator, logger } = options;
  const base = new OpenAPIHono<AppEnv>({ getPath: stripTrailingSlash });
  const at = <R extends RouteConfig>(route: R): R => endpoint(base, options.maxBodyBytes, route);
  const { limits, workflows, agents } = orchestrator;
  const answerError = createErrorHandler(logger);
  base.onError(answerError);
  base.notFound((c) =>
    errorReply(c, 404, `nothing is served at ${JSON.stringify(c.req.path.slice(0, 256))}`),
  );
  base.use(
    observe({
      newId: options.newId,
      logger,
      requestFinished: options.metrics.requestFinished,
      telemetry: options.telemetry,
      answerError,
    }),
  );

  // What stands before a guard is exempt from it: decided by the matched route, so no spelling of a URL gets round.
  const open = base.openapi(at(healthRoute), async (c) => {
    const report = await options.health.report();
    const fault = c.req.valid('query').probe === 'ready' ? notReady(report) : undefined;
    if (fault !== undefined) throw unavailable(fault);
    return json(c, toWireHealth(report, options.version), 200);
  });

  const isAccepted = options.apiKeys && createKeyCheck(options.apiKeys);
  const { limiter, trustProxyHeaders } = options;
  base.use('/metrics', guard({ limiter, trustProxyHeaders, isAccepted: undefined }));
  const measured = open.openapi(at(metricsRoute), async (c) => {
    const { contentType, body } = await options.metrics.exposition();
    return text(c, body, contentType);
  });
  answerWrongMethods(base);
  base.use(guard({ limiter, trustProxyHeaders, isAccepted }));

  const app = measured
    .openapi(at(messageRoute), async (c) => {
      const trace = await orchestrator.messages.process(toCustomerMessage(c.req.valid('json')));
      c.set('logged', { trace_id: trace.traceId });
      return json(c, messageResponse(trace), 200, { 'X-Trace-Id': trace.traceId });
    })
    .openapi(at(batchRoute(limits.maxBatchSize)), async (c) => {
      const messages = c.req.valid('json').messages.map(toCustomerMessage);
      const traces = await orchestrator.messages.processBatch(messages);
      return json(c, { results: traces.map(messageResponse) }, 200);
    })
    .openapi(at(tracesRoute), async (c) => {
      const page = await orchestrator.traces.list(pageRequest(c.req.valid('query')));
      return json(c, pageBody('traces', page, toWireTraceSummary), 200);
    })
    .openapi(at(traceRoute), async (c) => {
      const trace = await orchestrator.traces.get(c.req.valid('param').trace_id);
      return json(c, toWireTrace(trace), 200);
    })
    .openapi(at(toolsRoute), (c) => {
      const tools = orchestrator.tools.list().map(toWireTool);
      return json(c, { count: tools.length, tools }, 200);
    })
    .openapi(at(createWorkflowRoute), async (c) => {
      const workflow = await workflows.create(toWorkflowDraft(c.req.valid('json')));
      return json(c, toWireWorkflow(workflow), 201, { Location: `/workflows/${workflow.id}` });
    })
    .openapi(at(workflowsRoute), async (c) => {
      const page = await workflows.list(pageRequest(c.req.valid('query')));
      return json(c, pageBody('workflows', page, toWireWorkflow), 200);
    })
    .openapi(at(workflowRoute), async (c) => {
      return json(c, toWireWorkflow(await workflows.get(c.req.valid('param').id)), 200);
    })
    .openapi(at(deleteWorkflowRoute), async (c) => {
      await workflows.delete(c.req.valid('param').id);
      return noContent(c);
    })
    .openapi(at(runRoute), async (c) => {
      const { id } = c.req.valid('param');
      const { background, input } = c.req.valid('json');
      const execution = await workflows.run(id, { background, input });
      c.set('logged', { execution_id: execution.executionId });
      if (!background) return json(c, toWireExecution(execution), 200);
      const location = `/workflows/${execution.workflowId}/runs/${execution.executionId}`;
      return json(c, toWireExecution(execution), 202, { Location: location });
    })
    .openapi(at(runsRoute), async (c) => {
      const page = await workflows.listRuns(c.req.valid('param').id, pageRequest(c.req.valid('query')));
      return json(c, pageBody('executions', page, toWireExecutionSummary), 200);
    })
    .openapi(at(executionRoute), async (c) => {
      const { id, execution_id } = c.req.valid('param');
      return json(c, toWireExecution(await workflows.getRun(id, execution_id)), 200);
    })
    .openapi(at(agentsRoute), (c) => {
      const known = agents.list().map(toWireAgent);
      return json(c, { count: known.length, agents: known }, 200);
    })
    .openapi(at(routeGoalRoute(limits.maxSubtasks)), async (c) => {
      const routing = await agents.route(toRouteRequest(c.req.valid('json')));
      c.set('logged', { routing_id: routing.routingId });
      return json(c, toWireRoutingResult(routing), 200);
    })
    .openapi(at(routesRoute), async (c) => {
      const page = await agents.listRoutes(pageRequest(c.req.valid('query')));
      return json(c, pageBody('routes', page, toWireRoutingSummary), 200);
    })
    .openapi(at(evaluationRoute), async (c) => {
      const evaluation = await orchestrator.evaluation.run(toEvaluationRequest(c.req.valid('json')));
      return json(c, toWireEvaluation(evaluation), 200);
    })
    .openapi(at(routeRoute), async (c) => {
      return json(c, toWireRoutingResult(await agents.getRoute(c.req.valid('param').routing_id)), 200);
    });
  serveOpenApi(base, { version: options.version, authenticated: options.apiKeys !== undefined });
  serveDocs(base);
  answerWrongMethods(base);
  return app;
}
