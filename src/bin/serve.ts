import { isIP } from 'node:net';
import { defaultPorts } from '../adapters/defaults.ts';
import { type ImportedExtension, importExtensions } from '../adapters/extensions.ts';
import { createHttpApp } from '../adapters/http/app.ts';
import { startServer } from '../adapters/http/listener/server.ts';
import type { SystemDetails } from '../adapters/http/options.ts';
import type { ConnectedModel } from '../adapters/llm/language-model.ts';
import { logEvents } from '../adapters/logging/log-events.ts';
import { createLogger, parseLogLevel, type ServiceLogger } from '../adapters/logging/logger.ts';
import { createMemoryRunQueue } from '../adapters/memory/run-queue.ts';
import { createMemoryFireQueue } from '../adapters/memory/schedules/fire-queue.ts';
import { createPlaybookReload } from '../adapters/playbook-reload.ts';
import { type PlaybookSetup, type PlaybookSources, setUpWithVectors } from '../adapters/playbook-setup.ts';
import { getEmbedding } from '../adapters/settings/embedding.ts';
import { getLlmStages } from '../adapters/settings/llm-stages.ts';
import {
  getApiKeys,
  getLimits,
  getNamesOfSet,
  getPlaybookSources,
  getRecovery,
  getSecrets,
  hasConsole,
  type Settings,
} from '../adapters/settings/settings.ts';
import { findUnknownSettings } from '../adapters/settings/unknown.ts';
import { isLoopback } from '../adapters/shared/loopback.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { version } from '../adapters/shared/version.ts';
import { loadTelemetry } from '../adapters/telemetry/load.ts';
import { createMetrics, type Metrics } from '../adapters/telemetry/prometheus.ts';
import type { ReloadPlaybook } from '../application/driving-port.ts';
import { createHealth, type Health } from '../application/health.ts';
import { createOrchestrator, type Orchestrator } from '../application/orchestrator.ts';
import { quote } from '../lib/text/quote.ts';
import type { Logger } from '../ports/logger.ts';
import type { PlaybookPorts, Ports } from '../ports/ports.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { ServiceTelemetry } from '../ports/telemetry.ts';
import type { Tool } from '../ports/tool.ts';
import {
  createRateLimiter,
  createReading,
  createStages,
  decideBy,
  loadEmbeddings,
  loadModel,
  loadPostgres,
  loadRedis,
  loadSharedQueues,
  loadSqlite,
  type SharedQueues,
  type SharedRecords,
  type SqliteRecords,
} from './compose.ts';
import { describeStartError, exitWithErrors } from './errors.ts';
import { loadSettings } from './settings.ts';
import { onReloadSignal, onShutdownSignal } from './signals.ts';
import { isWildcard, urlsOf } from './urls.ts';

/** Milliseconds after the grace period in which responses to interrupted requests can still be sent. */
const RESPONSE_GRACE_MS = 2_000;

const usage = `usage: orchestration-service serve

Starts the HTTP service. Settings are read from environment variables and from a .env file in the working directory.
`;

/**
 * Starts the service, which runs until a signal stops it. Errors that prevent the start are printed, with exit code 1.
 */
export async function runServe(args: readonly string[]): Promise<undefined> {
  if (args.includes('--help')) {
    process.stdout.write(usage);
    return;
  }
  const [unknown] = args;
  if (unknown !== undefined) return exitWithErrors([`unknown argument: ${quote(unknown)}`, usage.trimEnd()]);
  const { settings, issues } = loadSettings();
  if (issues !== undefined) return exitWithErrors(issues);
  try {
    await start(settings);
  } catch (error) {
    exitWithErrors(describeStartError(error));
  }
}

/** The components of the running service. */
interface Service {
  readonly settings: Settings;
  readonly extensions: readonly ImportedExtension[];
  readonly setup: PlaybookSetup;
  readonly logger: ServiceLogger;
  readonly metrics: Metrics;
  readonly telemetry: ServiceTelemetry;
  readonly redis: SharedRecords | undefined;
  readonly sqlite: SqliteRecords | undefined;
  readonly postgres: SharedRecords | undefined;
  readonly queues: SharedQueues;
  readonly model: ConnectedModel | undefined;
  readonly ports: Ports;
  readonly orchestrator: Orchestrator;
  readonly health: Health;
  readonly limiter: RateLimiter;
  /** Aborted at the shutdown: ends the event streams, which are no work to wait for. */
  readonly shutdown: AbortController;
  readonly reload: ReloadPlaybook;
  /** Closes the tools of the playbook in use. */
  closeTools(): void;
}

async function start(settings: Settings): Promise<void> {
  const service = await createService(settings);
  const { logger, redis, sqlite, postgres, queues, orchestrator } = service;
  const { telemetry, health, setup, shutdown, reload } = service;
  for (const extension of service.extensions) await extension.register(orchestrator);
  for (const { variable, nearest } of findUnknownSettings(process.env)) {
    logger.warn('a variable looks like a setting and is none', { variable, nearest });
  }
  for (const warning of setup.warnings) logger.warn('the playbook has a flaw', { warning });
  await Promise.all([redis?.start(), postgres?.start()]);

  const server = await listen(service);
  const graceMs = settings.SHUTDOWN_GRACE_SECONDS * 1_000;
  onShutdownSignal({
    logger,
    flush: () => logger.flush(),
    async stop() {
      health.drain();
      shutdown.abort();
      await Promise.all([orchestrator.close(graceMs), server.drain(graceMs + RESPONSE_GRACE_MS)]);
      service.closeTools();
      const connected = [queues.runs, queues.fires, redis, sqlite, postgres];
      await Promise.all([telemetry.shutdown(), ...connected.map((one) => one?.close())]);
    },
  });
  onReloadSignal(reload, logger);
  // Only now are all tools registered, and a process that cannot listen must not end in the middle of runs.
  await Promise.all([queues.runs?.start(), queues.fires?.start()]);
  postgres?.storage?.runQueue.start();
  orchestrator.start();

  const { address, port } = server;
  if (!settings.AUTH_ENABLED && !isLoopback(address)) warnOfReach(logger, address, port);
  logger.info('listening', { address, port, version, ...urlsOf(address, port, hasConsole(settings)) });
}

/** Tells that not only this machine can use the service. `address` is not a loopback address. */
function warnOfReach(logger: Logger, address: string, port: number): void {
  const who = isWildcard(address)
    ? 'every machine that can connect to this one'
    : `every machine that can connect to ${address}`;
  logger.warn(`no key is needed: ${who} can read and change everything; see AUTH_ENABLED`, { address, port });
}

async function createService(settings: Settings): Promise<Service> {
  const extensions = await importExtensions(settings.EXTENSIONS, process.cwd());
  const additions = extensions
    .filter(({ playbook }) => playbook !== undefined)
    .map(({ name, playbook }) => ({ name: `extension ${quote(name)}`, playbook }));
  const sources = { ...getPlaybookSources(settings), additions };
  const logger = createLogger({
    level: parseLogLevel(settings.LOG_LEVEL) ?? 'info',
    secrets: getSecrets(settings),
  });
  const metrics = createMetrics({
    runsWaiting: () => runQueue.depth(),
    inboxCounts: settings.INBOX ? () => ports.inbox.counts() : undefined,
  });
  const telemetry = await loadTelemetry({ enabled: settings.OTEL_ENABLED, version, logger });
  const embeddings = await loadEmbeddings(
    getEmbedding(settings),
    logger,
    metrics.embeddingFallback,
    telemetry.inject,
  );
  const setUp = (from: PlaybookSources = {}) => setUpWithVectors(from, embeddings);
  const setup = await setUp(sources);
  logger.mask(setup.secrets);
  const queues = await loadSharedQueues(settings, logger);
  const redis = await loadRedis(settings, logger, telemetry, metrics.recordDropped);
  const sqlite = await loadSqlite(settings, logger, metrics.recordDropped);
  const postgres = await loadPostgres(settings, logger, telemetry, metrics.recordDropped);
  const isShared = getRecovery(settings) !== undefined;
  const sharedRunQueue = queues.runs?.queue ?? (isShared ? postgres?.storage?.runQueue.queue : undefined);
  const runQueue = sharedRunQueue ?? createMemoryRunQueue();
  const model = await loadModel(settings, logger, telemetry);
  const log = logEvents(logger);
  const deciding = {
    clock: systemClock,
    settings,
    connected: model && (await decideBy(model.model)),
    logger,
    observer: metrics.llm,
    embeddings,
  };
  const shutdown = new AbortController();

  const ports = defaultPorts({
    logger,
    telemetry,
    events: (event) => {
      metrics.sink(event);
      log(event);
    },
    runQueue,
    fireQueue: queues.fires?.queue ?? createMemoryFireQueue(systemClock),
    ...sqlite?.ports,
    ...postgres?.storage?.ports,
    ...redis?.storage?.ports,
    ...createReading(deciding),
  });
  const orchestrator = createOrchestrator(ports, getLimits(settings), {
    builtInAgents: settings.BUILT_IN_AGENTS,
    recovery: getRecovery(settings),
    inbox: settings.INBOX,
  });
  /** The playbook whose tools are to be closed at the end: those before are closed by their last message. */
  let inUse = setup;
  const decide = (one: PlaybookSetup, tools: () => readonly Tool[]): PlaybookPorts => {
    logger.mask(one.secrets);
    const decided = createStages(one, tools, deciding);
    inUse = one;
    return decided;
  };
  orchestrator.usePlaybook(setup, (tools) => decide(setup, tools));
  const { signal } = shutdown;
  const reload = createPlaybookReload({ orchestrator, sources, setUp, decide, logger, signal });
  const health = createHealth(ports, {
    kvstore: redis?.probe,
    sqlite: sqlite?.probe,
    postgres: postgres?.probe,
    llm: model?.probe,
  });
  const limiter = createRateLimiter(settings, { redis, postgres }, ports.clock, metrics.rateLimitFallback);
  return {
    settings,
    extensions,
    setup,
    logger,
    metrics,
    telemetry,
    redis,
    sqlite,
    postgres,
    queues,
    model,
    ports,
    orchestrator,
    health,
    limiter,
    shutdown,
    reload,
    closeTools: () => inUse.close(),
  };
}

function listen(service: Service) {
  const { settings, logger, metrics, telemetry, ports, orchestrator, health, limiter } = service;
  const { shutdown, reload } = service;
  const app = createHttpApp({
    orchestrator,
    health,
    metrics,
    limiter,
    logger,
    telemetry,
    newId: ports.newId,
    version,
    apiKeys: settings.AUTH_ENABLED ? getApiKeys(settings) : undefined,
    // A name in HOST is one by which the operator knows the service.
    allowedHosts: [...settings.ALLOWED_HOSTS, ...(isIP(settings.HOST) === 0 ? [settings.HOST] : [])],
    allowedOrigins: settings.ALLOWED_ORIGINS,
    trustProxyHeaders: settings.TRUST_PROXY_HEADERS,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxEventStreams: settings.MAX_EVENT_STREAMS,
    system: describeSystem(settings),
    shutdown: shutdown.signal,
    reload,
    console: hasConsole(settings),
  });
  return startServer({
    host: settings.HOST,
    port: settings.PORT,
    fetch: app.fetch,
    logger,
    newId: ports.newId,
    onErrorResponse: (status) => metrics.requestFinished('unmatched', status, 0),
    onListenerError: (error) => logger.error('the listener failed', { err: error }),
  });
}

/** The details of this process for `GET /system`: nothing secret, no path and no URL. */
function describeSystem(settings: Settings): SystemDetails {
  return {
    startedAt: performance.timeOrigin,
    notice: settings.CONSOLE_NOTICE,
    storage: { backend: settings.TRACE_BACKEND, recovery: getRecovery(settings) },
    model:
      settings.LLM_API_KEY === undefined
        ? undefined
        : { name: settings.LLM_MODEL, stages: [...getLlmStages(settings)] },
    rateLimit: { requests: settings.RATE_LIMIT_REQUESTS, windowSeconds: settings.RATE_LIMIT_WINDOW_SECONDS },
    settings: getNamesOfSet(settings, process.env),
  };
}
