import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { unavailable } from '../../domain/errors.ts';
import { messageResponse } from '../../domain/message/trace.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import { serveOpenApi } from './docs/openapi.ts';
import { serveDocs } from './docs/pages.ts';
import type { AppEnv } from './env.ts';
import { createErrorHandler } from './errors.ts';
import { streamJson, streamPage } from './json-stream.ts';
import { accessControl } from './middleware/access-control.ts';
import { createKeyCheck } from './middleware/api-keys.ts';
import { rejectWrongMethods, stripTrailingSlash } from './middleware/methods.ts';
import { requestTelemetry } from './middleware/request-telemetry.ts';
import { type BodyRules, endpoint } from './middleware/validation.ts';
import { createMountPath } from './mount-path.ts';
import { resolveOptions, type HttpAppOptions } from './options.ts';
import {
  agentsRoute,
  routeGoalRoute,
  routeRoute,
  routesRoute,
  toRouteRequest,
  toWireAgent,
  toWireRoutingResult,
  toWireRoutingSummary,
} from './resources/agents.ts';
import { evaluationRoute, toEvaluationRequest, toWireEvaluation } from './resources/evaluation.ts';
import { healthRoute, metricsRoute, notReady, toWireHealth } from './resources/health.ts';
import { batchRoute, messageRoute, toCustomerMessage } from './resources/messages.ts';
import {
  executionRoute,
  runRoute,
  runsRoute,
  toWireExecution,
  toWireExecutionSummary,
} from './resources/runs.ts';
import { pageRequest } from './resources/schemas.ts';
import { toolsRoute, toWireTool } from './resources/tools.ts';
import { toWireTrace, toWireTraceSummary, traceRoute, tracesRoute } from './resources/traces.ts';
import { definitionRules } from './resources/workflow-graph.ts';
import {
  createWorkflowRoute,
  deleteWorkflowRoute,
  toWireWorkflow,
  toWorkflowDraft,
  workflowRoute,
  workflowsRoute,
} from './resources/workflows.ts';
import { errorResponse, jsonResponse, noContentResponse, textResponse } from './response.ts';

export type { HttpAppOptions, HttpMetrics } from './options.ts';

/**
 * The HTTP interface of an orchestrator (specification, section 4): a Hono app that needs no server, so that it can
 * be tested and mounted as it is.
 */
export function createHttpApp(options: HttpAppOptions) {
  const complete = resolveOptions(options);
  const { orchestrator, logger, metrics } = complete;
  const base = new OpenAPIHono<AppEnv>({ getPath: stripTrailingSlash });
  const at = <R extends RouteConfig>(route: R, rules?: BodyRules): R =>
    endpoint(base, complete.maxBodyBytes, route, rules);
  const { limits, workflows, agents } = orchestrator;
  const mountPath = createMountPath(complete.basePath);
  const answerError = createErrorHandler(logger);
  base.onError(answerError);
  base.use(
    requestTelemetry({
      newId: complete.newId,
      logger,
      requestFinished: (route, status, seconds) => metrics.requestFinished(route, status, seconds),
      telemetry: complete.telemetry,
      answerError,
    }),
  );

  // What stands before a guard is exempt from it: decided by the matched route, so no spelling of a URL gets round.
  const open = base.openapi(at(healthRoute), async (c) => {
    const report = await complete.health.report();
    const fault = c.req.valid('query').probe === 'ready' ? notReady(report) : undefined;
    if (fault !== undefined) throw unavailable(fault);
    return jsonResponse(c, toWireHealth(report, complete.version), 200);
  });

  const isAccepted = complete.apiKeys && createKeyCheck(complete.apiKeys);
  const { limiter, trustProxyHeaders } = complete;
  base.use('/metrics', accessControl({ limiter, trustProxyHeaders, isAccepted: undefined }));
  const measured = open.openapi(at(metricsRoute), async (c) => {
    const { contentType, body } = await metrics.exposition();
    return textResponse(c, body, contentType);
  });
  rejectWrongMethods(base);
  base.use(accessControl({ limiter, trustProxyHeaders, isAccepted }));

  const app = measured
    .openapi(at(messageRoute), async (c) => {
      const trace = await orchestrator.messages.process(toCustomerMessage(c.req.valid('json')));
      c.set('logged', { trace_id: trace.traceId });
      return jsonResponse(c, messageResponse(trace), 200, { 'X-Trace-Id': trace.traceId });
    })
    .openapi(at(batchRoute(limits.maxBatchSize)), async (c) => {
      const messages = c.req.valid('json').messages.map(toCustomerMessage);
      const traces = await orchestrator.messages.processBatch(messages);
      return jsonResponse(c, { results: traces.map(messageResponse) }, 200);
    })
    .openapi(at(tracesRoute), (c) => {
      const page = pageRequest(c.req.valid('query'));
      return streamPage(c, 'traces', toWireTraceSummary, () => orchestrator.traces.list(page));
    })
    .openapi(at(traceRoute), async (c) => {
      const trace = await orchestrator.traces.get(c.req.valid('param').trace_id);
      return jsonResponse(c, toWireTrace(trace), 200);
    })
    .openapi(at(toolsRoute), (c) => {
      const tools = orchestrator.tools.list().map(toWireTool);
      return jsonResponse(c, { count: tools.length, tools }, 200);
    })
    .openapi(at(createWorkflowRoute, definitionRules(limits.maxWorkflowSteps)), async (c) => {
      const workflow = await workflows.create(toWorkflowDraft(c.req.valid('json')));
      const location = `${mountPath(c, createWorkflowRoute.path)}/workflows/${workflow.id}`;
      return jsonResponse(c, toWireWorkflow(workflow), 201, { Location: location });
    })
    .openapi(at(workflowsRoute), (c) => {
      const page = pageRequest(c.req.valid('query'));
      return streamPage(c, 'workflows', toWireWorkflow, () => workflows.list(page));
    })
    .openapi(at(workflowRoute), async (c) => {
      return jsonResponse(c, toWireWorkflow(await workflows.get(c.req.valid('param').id)), 200);
    })
    .openapi(at(deleteWorkflowRoute), async (c) => {
      await workflows.delete(c.req.valid('param').id);
      return noContentResponse(c);
    })
    .openapi(at(runRoute), async (c) => {
      const { id } = c.req.valid('param');
      const { background, input } = c.req.valid('json');
      const execution = await workflows.run(id, { background, input });
      c.set('logged', { execution_id: execution.runId });
      if (!background) return streamJson(c, toWireExecution(execution), 'step_results', 200);
      const workflow = `${mountPath(c, runRoute.path)}/workflows/${execution.workflowId}`;
      const location = `${workflow}/runs/${execution.runId}`;
      return jsonResponse(c, toWireExecution(execution), 202, { Location: location });
    })
    .openapi(at(runsRoute), (c) => {
      const { id } = c.req.valid('param');
      const page = pageRequest(c.req.valid('query'));
      return streamPage(c, 'executions', toWireExecutionSummary, () => workflows.listRuns(id, page));
    })
    .openapi(at(executionRoute), async (c) => {
      const { id, execution_id } = c.req.valid('param');
      const execution = toWireExecution(await workflows.getRun(id, execution_id));
      return streamJson(c, execution, 'step_results', 200);
    })
    .openapi(at(agentsRoute), (c) => {
      const known = agents.list().map(toWireAgent);
      return jsonResponse(c, { count: known.length, agents: known }, 200);
    })
    .openapi(at(routeGoalRoute(limits.maxSubtasks)), async (c) => {
      await yieldIfDue();
      const routing = await agents.route(toRouteRequest(c.req.valid('json')));
      c.set('logged', { routing_id: routing.routingId });
      await yieldIfDue();
      return streamJson(c, toWireRoutingResult(routing), 'results', 200);
    })
    .openapi(at(routesRoute), (c) => {
      const page = pageRequest(c.req.valid('query'));
      return streamPage(c, 'routes', toWireRoutingSummary, () => agents.listRoutes(page));
    })
    .openapi(at(evaluationRoute), async (c) => {
      const evaluation = await orchestrator.evaluation.run(toEvaluationRequest(c.req.valid('json')));
      return jsonResponse(c, toWireEvaluation(evaluation), 200);
    })
    .openapi(at(routeRoute), async (c) => {
      const routing = toWireRoutingResult(await agents.getRoute(c.req.valid('param').routing_id));
      return streamJson(c, routing, 'results', 200);
    });
  const { version, apiKeys } = complete;
  serveOpenApi(base, { version, authenticated: apiKeys !== undefined, mountPath });
  serveDocs(base);
  rejectWrongMethods(base);
  // A route like the others, so that it answers below the path of a mount too.
  base.all('*', (c) =>
    errorResponse(c, 404, `nothing is served at ${JSON.stringify(c.req.path.slice(0, 256))}`),
  );
  return app;
}

/** The HTTP app by its routes, so that Hono's client `hc` types every request and reply by them. */
export type HttpApp = ReturnType<typeof createHttpApp>;
