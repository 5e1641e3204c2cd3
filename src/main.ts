import { decomposeByKeywords } from './adapters/decomposer/keyword.ts';
import { createLlmDecomposer } from './adapters/decomposer/llm.ts';
import { defaultPorts } from './adapters/defaults.ts';
import { readEnvironment } from './adapters/environment.ts';
import { loadExtensions } from './adapters/extensions.ts';
import { createHttpApp } from './adapters/http/app.ts';
import { startServer } from './adapters/http/server.ts';
import type { ConnectedModel } from './adapters/llm/language-model.ts';
import { parseLogLevel } from './adapters/logging/levels.ts';
import { logEvents } from './adapters/logging/log-events.ts';
import { createLogger } from './adapters/logging/logger.ts';
import { createMemoryRateLimiter } from './adapters/memory/rate-limiter.ts';
import { tieToSignals } from './adapters/process.ts';
import { EXECUTION_RETENTION_MS } from './adapters/records.ts';
import type { RedisAdapters } from './adapters/redis/adapters.ts';
import { redisStorage } from './adapters/redis/storage.ts';
import {
  acceptedKeys,
  enabledLlmStages,
  limitsOf,
  readSettings,
  type Settings,
  secretsOf,
} from './adapters/settings.ts';
import { createLlmStages } from './adapters/stages/llm.ts';
import { createRuleBasedStages } from './adapters/stages/rule-based.ts';
import { startFault } from './adapters/start-fault.ts';
import { systemClock } from './adapters/system.ts';
import { loadTelemetry } from './adapters/telemetry/load.ts';
import { createMetrics, type Metrics } from './adapters/telemetry/prometheus.ts';
import { exampleTools } from './adapters/tools/example-tools.ts';
import { version } from './adapters/version.ts';
import { createHealth } from './application/health.ts';
import { createOrchestrator, type Orchestrator } from './application/orchestrator.ts';
import type { Logger } from './ports/logger.ts';
import type { Ports } from './ports/ports.ts';
import type { RateLimiter } from './ports/rate-limiter.ts';
import type { ServiceTelemetry } from './ports/telemetry.ts';
import type { Tool } from './ports/tool.ts';

/** Milliseconds for the replies of what was interrupted to reach their callers. */
const REPLY_MS = 2_000;

const outcome = readSettings(readEnvironment());
if (outcome.faults !== undefined) refuse(outcome.faults);
else await serve(outcome.settings).catch((error: unknown) => refuse([startFault(error)]));

async function serve(settings: Settings): Promise<void> {
  const logger = createLogger({
    level: parseLogLevel(settings.LOG_LEVEL) ?? 'info',
    secrets: secretsOf(settings),
  });
  const metrics = createMetrics();
  const telemetry = await loadTelemetry({ enabled: settings.OTEL_ENABLED, version, logger });
  const redis = await loadRedis(settings, logger);
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
    ...deciders(settings, model, logger, metrics, () => orchestrator.tools.list()),
  });
  const local = createMemoryRateLimiter({
    limit: settings.RATE_LIMIT_REQUESTS,
    windowSeconds: settings.RATE_LIMIT_WINDOW_SECONDS,
    clock: ports.clock,
  });
  const limiter =
    settings.RATE_LIMIT_BACKEND === 'kvstore' && redis ? sharedLimiter(redis, settings, local) : local;

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
      await Promise.all([telemetry.shutdown(), redis?.close()]);
    },
  });
}

/** The shared key-value store, loaded only when a backend needs it. */
async function loadRedis(settings: Settings, logger: Logger): Promise<RedisAdapters | undefined> {
  const wanted = settings.TRACE_BACKEND === 'kvstore' || settings.RATE_LIMIT_BACKEND === 'kvstore';
  if (!wanted || settings.KVSTORE_URL === undefined) return undefined;
  const { createRedisAdapters } = await import('./adapters/redis/adapters.ts');
  return createRedisAdapters({
    url: settings.KVSTORE_URL,
    prefix: settings.KVSTORE_PREFIX,
    timeoutMs: settings.KVSTORE_TIMEOUT_MS,
    executionRetentionMs: EXECUTION_RETENTION_MS,
    clock: systemClock,
    logger,
  });
}

/** The language model, loaded only when a key is set. */
async function loadModel(
  settings: Settings,
  logger: Logger,
  telemetry: ServiceTelemetry,
): Promise<ConnectedModel | undefined> {
  if (settings.LLM_API_KEY === undefined) return undefined;
  const { createLanguageModel } = await import('./adapters/llm/language-model.ts');
  return createLanguageModel({
    apiKey: settings.LLM_API_KEY,
    baseUrl: settings.LLM_BASE_URL,
    model: settings.LLM_MODEL,
    timeoutMs: settings.LLM_TIMEOUT_MS,
    maxRetries: settings.LLM_MAX_RETRIES,
    clock: systemClock,
    random: Math.random,
    logger,
    telemetry,
    injectHeaders: telemetry.inject,
  });
}

/** Who decides: rules, and before them the language model where one is connected. */
function deciders(
  settings: Settings,
  connected: ConnectedModel | undefined,
  logger: Logger,
  metrics: Metrics,
  tools: () => readonly Tool[],
): Pick<Ports, 'stages' | 'decompose'> {
  const rules = createRuleBasedStages({ escalationThreshold: settings.ESCALATION_THRESHOLD });
  if (connected === undefined) return { stages: rules, decompose: decomposeByKeywords };
  const { model } = connected;
  const observer = metrics.llm;
  const enabled = enabledLlmStages(settings);
  const stages = createLlmStages({ model, rules, enabled, tools, logger, observer });
  if (!enabled.has('decomposer')) return { stages, decompose: decomposeByKeywords };
  return {
    stages,
    decompose: createLlmDecomposer({ model, keyword: decomposeByKeywords, logger, observer }),
  };
}

/** One limit for all replicas, with the limiter of this process where the store is away. */
function sharedLimiter(redis: RedisAdapters, settings: Settings, local: RateLimiter): RateLimiter {
  return redis.rateLimiter({
    limit: settings.RATE_LIMIT_REQUESTS,
    windowSeconds: settings.RATE_LIMIT_WINDOW_SECONDS,
    local,
  });
}

/** One line a fault on standard error, and exit code 1. */
function refuse(faults: readonly string[]): void {
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
