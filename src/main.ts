import { defaultPorts } from './adapters/defaults.ts';
import { readEnvironment } from './adapters/environment.ts';
import { loadExtensions } from './adapters/extensions.ts';
import { createHttpApp } from './adapters/http/app.ts';
import { startServer } from './adapters/http/server.ts';
import { parseLogLevel } from './adapters/logging/levels.ts';
import { logEvents } from './adapters/logging/log-events.ts';
import { createLogger } from './adapters/logging/logger.ts';
import { createMemoryRateLimiter } from './adapters/memory/rate-limiter.ts';
import { tieToSignals } from './adapters/process.ts';
import { acceptedKeys, limitsOf, readSettings, type Settings, secretsOf } from './adapters/settings.ts';
import { createRuleBasedStages } from './adapters/stages/rule-based.ts';
import { startFault } from './adapters/start-fault.ts';
import { createMetrics } from './adapters/telemetry/prometheus.ts';
import { exampleTools } from './adapters/tools/example-tools.ts';
import { version } from './adapters/version.ts';

/** Milliseconds for the replies of what was interrupted to reach their callers. */
const REPLY_MS = 2_000;

import { createHealth } from './application/health.ts';
import { createOrchestrator } from './application/orchestrator.ts';

const outcome = readSettings(readEnvironment());
if (outcome.faults !== undefined) refuse(outcome.faults);
else await serve(outcome.settings).catch((error: unknown) => refuse([startFault(error)]));

async function serve(settings: Settings): Promise<void> {
  const logger = createLogger({
    level: parseLogLevel(settings.LOG_LEVEL) ?? 'info',
    secrets: secretsOf(settings),
  });
  const metrics = createMetrics();
  const log = logEvents(logger);

  const ports = defaultPorts({
    logger,
    events: (event) => {
      metrics.sink(event);
      log(event);
    },
    stages: createRuleBasedStages({ escalationThreshold: settings.ESCALATION_THRESHOLD }),
  });
  const limiter = createMemoryRateLimiter({
    limit: settings.RATE_LIMIT_REQUESTS,
    windowSeconds: settings.RATE_LIMIT_WINDOW_SECONDS,
    clock: ports.clock,
  });

  const orchestrator = createOrchestrator(ports, limitsOf(settings));
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  await loadExtensions(settings.EXTENSIONS, process.cwd(), orchestrator);
  const health = createHealth(ports, {});

  const app = createHttpApp({
    orchestrator,
    health,
    metrics,
    limiter,
    logger,
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
    onRefusal: (status) => metrics.requestFinished('unmatched', status, 0),
    onListenerError: (error) => logger.error('the listener failed', { err: error }),
  });
  logger.info('listening', { address: server.address, port: server.port, version });

  const graceMs = settings.SHUTDOWN_GRACE_SECONDS * 1_000;
  tieToSignals({
    logger,
    flush: () => logger.flush(),
    async stop() {
      health.drain();
      await Promise.all([orchestrator.close(graceMs), server.drain(graceMs + REPLY_MS)]);
    },
  });
}

/** One line a fault on standard error, and exit code 1. */
function refuse(faults: readonly string[]): void {
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
