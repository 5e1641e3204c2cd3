#!/usr/bin/env node
import { defaultPorts } from './adapters/defaults.ts';
import { loadExtensions } from './adapters/extensions.ts';
import { createHttpApp } from './adapters/http/app.ts';
import { startServer } from './adapters/http/listener/server.ts';
import { parseLogLevel } from './adapters/logging/levels.ts';
import { logEvents } from './adapters/logging/log-events.ts';
import { createLogger } from './adapters/logging/logger.ts';
import { createMemoryRateLimiter } from './adapters/memory/rate-limiter.ts';
import { redisStorage } from './adapters/redis/storage.ts';
import { acceptedKeys, limitsOf, readSettings, type Settings, secretsOf } from './adapters/settings.ts';
import { version } from './adapters/shared/version.ts';
import { loadTelemetry } from './adapters/telemetry/load.ts';
import { createMetrics } from './adapters/telemetry/prometheus.ts';
import { exampleTools } from './adapters/tools/example-tools.ts';
import { createHealth } from './application/health.ts';
import { createOrchestrator, type Orchestrator } from './application/orchestrator.ts';
import { createStages, loadModel, loadRedis, sharedLimiter } from './bin/compose.ts';
import { readEnvironment } from './bin/environment.ts';
import { onShutdownSignal } from './bin/shutdown.ts';
import { startErrorText } from './bin/start-error.ts';

/** Milliseconds for the replies of what was interrupted to reach their callers. */
const REPLY_MS = 2_000;

const outcome = readSettings(readEnvironment());
if (outcome.faults !== undefined) refuse(outcome.faults);
else await serve(outcome.settings).catch((error: unknown) => refuse([startErrorText(error)]));

async function serve(settings: Settings): Promise<void> {
  const logger = createLogger({
    level: parseLogLevel(settings.LOG_LEVEL) ?? 'info',
    secrets: secretsOf(settings),
  });
  const metrics = createMetrics();
  const telemetry = await loadTelemetry({ enabled: settings.OTEL_ENABLED, version, logger });
  const redis = await loadRedis(settings, logger, telemetry, metrics.outboxDropped);
  const model = await loadModel(settings, logger, telemetry);
  const log = logEvents(logger);

  const ports = defaultPorts({
    logger,
    telemetry,
    events: (event) => {
      metrics.sink(event);
      log(event);
    },
    ...(settings.TRACE_BACKEND === 'kvstore' && redis !== undefined ? redisStorage(redis) : {}),
    ...createStages(settings, model, logger, metrics.llm, () => orchestrator.tools.list()),
  });
  const local = createMemoryRateLimiter({
    limit: settings.RATE_LIMIT_REQUESTS,
    windowSeconds: settings.RATE_LIMIT_WINDOW_SECONDS,
    clock: ports.clock,
  });
  const limiter =
    settings.RATE_LIMIT_BACKEND === 'kvstore' && redis !== undefined
      ? sharedLimiter(redis, settings, local, metrics.limiterFellBack)
      : local;

  const orchestrator: Orchestrator = createOrchestrator(ports, limitsOf(settings));
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  await loadExtensions(settings.EXTENSIONS, process.cwd(), orchestrator);
  await redis?.start();

  const health = createHealth(ports, { kvstore: redis?.probe, llm: model?.probe });
  const app = createHttpApp({
    orchestrator,
    health,
    metrics,
    limiter,
    logger,
    telemetry,
    newId: ports.newId,
    version,
    apiKeys: settings.AUTH_ENABLED ? acceptedKeys(settings) : undefined,
    trustProxyHeaders: settings.TRUST_PROXY_HEADERS,
    maxBodyBytes: settings.MAX_BODY_BYTES,
  });
  const server = await startServer({
    host: settings.HOST,
    port: settings.PORT,
    fetch: app.fetch,
    logger,
    newId: ports.newId,
    onErrorResponse: (status) => metrics.requestFinished('unmatched', status, 0),
    onListenerError: (error) => logger.error('the listener failed', { err: error }),
  });
  logger.info('listening', { address: server.address, port: server.port, version });

  const graceMs = settings.SHUTDOWN_GRACE_SECONDS * 1_000;
  onShutdownSignal({
    logger,
    flush: () => logger.flush(),
    async stop() {
      health.drain();
      await Promise.all([orchestrator.close(graceMs), server.drain(graceMs + REPLY_MS)]);
      await Promise.all([telemetry.shutdown(), redis?.close()]);
    },
  });
}

/** One line a fault on standard error, and exit code 1. */
function refuse(faults: readonly string[]): void {
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
