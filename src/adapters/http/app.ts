import { OpenAPIHono } from '@hono/zod-openapi';
import { protectConsole, serveConsole } from './console/serve.ts';
import { serveOpenApi } from './docs/openapi.ts';
import { serveDocs } from './docs/pages.ts';
import { startPage } from './docs/start-page.ts';
import type { AppEnv } from './env.ts';
import { createErrorHandler } from './errors.ts';
import { feedResource } from './events/feed.ts';
import { createEventStreams } from './events/streams.ts';
import { recordEventsResource } from './events/subject-events.ts';
import { accessControl, createKeyCheck } from './middleware/access-control.ts';
import { createBrowserReach } from './middleware/browser-reach.ts';
import { rejectWrongMethods, stripTrailingSlash } from './middleware/methods.ts';
import { requestTelemetry } from './middleware/request-telemetry.ts';
import { createMountPath } from './mount-path.ts';
import { type HttpAppOptions, resolveOptions } from './options.ts';
import { agentsResource } from './resources/agents.ts';
import { evaluationResource } from './resources/evaluation/evaluation.ts';
import { healthResource, metricsResource } from './resources/health.ts';
import { messagesResource } from './resources/messages.ts';
import { conversationsResource } from './resources/people/conversations.ts';
import { datasetsResource } from './resources/people/datasets.ts';
import { erasureResource } from './resources/people/erasure.ts';
import { inboxChangesResource } from './resources/people/inbox-changes.ts';
import { inboxListingResource } from './resources/people/inbox-listing.ts';
import { inboxNextResource } from './resources/people/inbox-next.ts';
import { rejectInbox } from './resources/people/item-responses.ts';
import { routingResource } from './resources/routing.ts';
import { rerunResource } from './resources/runs/rerun.ts';
import { resolveStepResource } from './resources/runs/resolve-step.ts';
import { runControlResource } from './resources/runs/run-control.ts';
import { runEventsResource } from './resources/runs/run-events.ts';
import { runListingResource } from './resources/runs/run-listing.ts';
import { workflowRunsResource } from './resources/runs/workflow-runs.ts';
import { scheduleActionsResource } from './resources/schedules/schedule-actions.ts';
import { schedulesResource } from './resources/schedules/schedules.ts';
import { statsResource } from './resources/stats/stats.ts';
import { reloadResource } from './resources/system/reload.ts';
import { systemResource } from './resources/system/system.ts';
import { toolsResource } from './resources/tools.ts';
import { tracesResource } from './resources/traces.ts';
import { simulateResource } from './resources/workflows/simulate.ts';
import { validateWorkflowResource } from './resources/workflows/validate.ts';
import { workflowVersionsResource } from './resources/workflows/workflow-versions.ts';
import { workflowsResource } from './resources/workflows/workflows.ts';
import { errorResponse } from './response.ts';

/**
 * Creates the HTTP interface of an orchestrator (specification, section 4): a Hono app, which needs no server, so that
 * it can be tested without one and mounted in another app.
 */
export function createHttpApp(options: HttpAppOptions) {
  const resolved = resolveOptions(options);
  const { newId, logger, metrics, telemetry, limiter, apiKeys, trustProxyHeaders } = resolved;
  const mountPath = createMountPath(resolved.basePath);
  const handleError = createErrorHandler(logger);
  const isAccepted = apiKeys && createKeyCheck(apiKeys);
  const reach = createBrowserReach({
    allowedHosts: apiKeys === undefined ? resolved.allowedHosts : undefined,
    allowedOrigins: resolved.allowedOrigins,
    trustProxyHeaders,
  });
  const requestFinished = metrics.requestFinished.bind(metrics);
  const { maxEventStreams: maxStreams, shutdown } = resolved;
  const streams = createEventStreams({ maxStreams, shutdown, metrics });

  const base = new OpenAPIHono<AppEnv>({ getPath: stripTrailingSlash });
  base.onError(handleError);
  base.use(requestTelemetry({ newId, logger, telemetry, requestFinished, handleError }));

  if (reach.cors !== undefined) base.use(reach.cors);
  // Middleware applies to the routes registered after it: `/health` has no access control, `/metrics` needs no key.
  // Pages of other sites may ask for both, but must not use up the requests of others.
  const withHealth = base.route('/', healthResource(resolved));
  const { isForeign } = reach;
  base.use('/metrics', accessControl({ limiter, trustProxyHeaders, isAccepted: undefined, isForeign }));
  const withMetrics = withHealth.route('/', metricsResource(resolved));
  rejectWrongMethods(base);

  if (resolved.console !== false) protectConsole(base);
  base.use(reach.refuseForeign);
  base.use(accessControl({ limiter, trustProxyHeaders, isAccepted, isForeign }));
  if (resolved.orchestrator.inbox === undefined) rejectInbox(base);
  const app = withMetrics
    .route('/', startPage(resolved, mountPath))
    .route('/', messagesResource(resolved))
    .route('/', tracesResource(resolved, mountPath))
    .route('/', toolsResource(resolved))
    .route('/', validateWorkflowResource(resolved))
    .route('/', workflowsResource(resolved, mountPath))
    .route('/', simulateResource(resolved))
    .route('/', workflowVersionsResource(resolved, mountPath))
    .route('/', workflowRunsResource(resolved, mountPath))
    .route('/', runListingResource(resolved, mountPath))
    .route('/', runControlResource(resolved))
    .route('/', resolveStepResource(resolved))
    .route('/', rerunResource(resolved, mountPath))
    .route('/', schedulesResource(resolved, mountPath))
    .route('/', scheduleActionsResource(resolved, mountPath))
    .route('/', agentsResource(resolved))
    .route('/', routingResource(resolved, mountPath))
    .route('/', inboxNextResource(resolved))
    .route('/', inboxListingResource(resolved, mountPath))
    .route('/', inboxChangesResource(resolved))
    .route('/', conversationsResource(resolved))
    .route('/', datasetsResource(resolved, mountPath))
    .route('/', erasureResource(resolved))
    .route('/', evaluationResource(resolved))
    .route('/', statsResource(resolved))
    .route('/', systemResource(resolved))
    .route('/', reloadResource(resolved))
    .route('/', runEventsResource(resolved, streams))
    .route('/', recordEventsResource(resolved, streams))
    .route('/', feedResource(resolved, streams, mountPath));
  serveOpenApi(base, {
    version: resolved.version,
    authenticated: apiKeys !== undefined,
    intents: () => resolved.orchestrator.playbook.intents,
    mountPath,
  });
  serveDocs(base);
  if (resolved.console !== false) {
    serveConsole(base, resolved.console === true ? undefined : resolved.console.folder);
  }
  rejectWrongMethods(base);

  // A route and not `notFound`, which would not apply below the path of a mount.
  base.all('*', (c) =>
    errorResponse(c, {
      status: 404,
      detail: `nothing is served at ${JSON.stringify(c.req.path.slice(0, 256))}`,
    }),
  );
  return app;
}

/** The type of the HTTP app with its routes, for Hono's typed client `hc`. */
export type HttpApp = ReturnType<typeof createHttpApp>;
