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
import { type HttpAppOptions, resolveOptions } from './options.ts';
import { agentsResource } from './resources/agents.ts';
import { conversationsResource } from './resources/conversations.ts';
import { datasetsResource } from './resources/datasets.ts';
import { erasureResource } from './resources/erasure.ts';
import { evaluationResource } from './resources/evaluation.ts';
import { healthResource, metricsResource } from './resources/health.ts';
import { inboxResource, rejectInbox } from './resources/inbox.ts';
import { messagesResource } from './resources/messages.ts';
import { routingResource } from './resources/routing.ts';
import { runsResource, workflowRunsResource } from './resources/runs.ts';
import { schedulesResource } from './resources/schedules.ts';
import { simulateResource } from './resources/simulate.ts';
import { statsResource } from './resources/stats.ts';
import { systemResource } from './resources/system.ts';
import { toolsResource } from './resources/tools.ts';
import { tracesResource } from './resources/traces.ts';
import { workflowsResource } from './resources/workflows.ts';
import { errorResponse } from './response.ts';

/**
 * Creates the HTTP interface of an orchestrator (specification, section 4): a Hono app, which needs no server, so that
 * it can be tested without one and mounted in another app.
 */
export function createHttpApp(options: HttpAppOptions) {
  const resolved = resolveOptions(options);
  const { newId, logger, metrics, telemetry, limiter, apiKeys, trustProxyHeaders, mountPath } = resolved;
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
    .route('/', startPage(resolved))
    .route('/', messagesResource(resolved))
    .route('/', tracesResource(resolved))
    .route('/', toolsResource(resolved))
    .route('/', workflowsResource(resolved))
    .route('/', simulateResource(resolved))
    .route('/', workflowRunsResource(resolved, streams))
    .route('/', runsResource(resolved))
    .route('/', schedulesResource(resolved))
    .route('/', agentsResource(resolved))
    .route('/', routingResource(resolved))
    .route('/', inboxResource(resolved))
    .route('/', conversationsResource(resolved))
    .route('/', datasetsResource(resolved))
    .route('/', erasureResource(resolved))
    .route('/', evaluationResource(resolved))
    .route('/', statsResource(resolved))
    .route('/', systemResource(resolved))
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
