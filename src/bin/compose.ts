import { decomposeByKeywords } from '../adapters/decomposer/keyword.ts';
import type { Embeddings } from '../adapters/embeddings/embeddings.ts';
import type { ConnectedModel } from '../adapters/llm/language-model.ts';
import { createMemoryEventFeed } from '../adapters/memory/event-feed.ts';
import { createMemoryRateLimiter } from '../adapters/memory/rate-limiter.ts';
import { ticketsFor } from '../adapters/playbook-ports.ts';
import type { PlaybookSetup } from '../adapters/playbook-setup.ts';
import type { PostgresStore } from '../adapters/postgres/store.ts';
import { createPreparation } from '../adapters/preparation/prepare.ts';
import type { BullmqFireQueue, BullmqRunQueue } from '../adapters/redis/bullmq.ts';
import type { RedisStore } from '../adapters/redis/store.ts';
import { createAssessorFor } from '../adapters/rule-based.ts';
import type { EmbeddingAccess } from '../adapters/settings/embedding.ts';
import { getLlmStages } from '../adapters/settings/llm-stages.ts';
import { getRecovery, getRetention, type Settings } from '../adapters/settings/settings.ts';
import { createProcessId, digestOf } from '../adapters/shared/process-id.ts';
import { systemClock } from '../adapters/shared/system.ts';
import type { SqliteStore } from '../adapters/sqlite/store.ts';
import { createStagesOf } from '../adapters/stages/rule-based.ts';
import { createArticleFinder } from '../adapters/tools/help-center/search.ts';
import type { Storage } from '../application/storage/storage.ts';
import { priceOf } from '../domain/model-price.ts';
import type { Clock } from '../ports/clock.ts';
import type { EmbeddingObserver } from '../ports/embedder.ts';
import type { LanguageModel, LlmObserver } from '../ports/language-model.ts';
import type { Logger } from '../ports/logger.ts';
import type { PlaybookPorts, Ports, StoragePorts } from '../ports/ports.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { ServiceTelemetry } from '../ports/telemetry.ts';
import type { Tool } from '../ports/tool.ts';

/** The records of a process in a store that replicas share. */
export interface SharedRecords extends Pick<PostgresStore, 'probe' | 'rateLimiter' | 'start'> {
  /** Undefined where records are kept elsewhere. */
  readonly storage: Storage | undefined;
  /** Writes what waits, and closes all connections. */
  close(): Promise<void>;
}

/** Creates the adapters of Redis, whose modules are loaded only if a backend is `kvstore`. */
export async function loadRedis(
  settings: Settings,
  logger: Logger,
  telemetry: ServiceTelemetry,
  onDropped: () => void,
): Promise<SharedRecords | undefined> {
  const hasRecords = settings.TRACE_BACKEND === 'kvstore';
  const isNeeded = hasRecords || settings.RATE_LIMIT_BACKEND === 'kvstore';
  if (!isNeeded || settings.KVSTORE_URL === undefined) return undefined;
  const [{ createRedisStore }, { createStorage, storageTables }] = await Promise.all([
    import('../adapters/redis/store.ts'),
    import('../application/storage/storage.ts'),
  ]);
  const redis = createRedisStore({
    url: settings.KVSTORE_URL,
    prefix: settings.KVSTORE_PREFIX,
    timeoutMs: settings.KVSTORE_TIMEOUT_MS,
    tables: storageTables,
    clock: systemClock,
    logger,
    telemetry,
    // The rate limit counts beside any records.
    allowsOldRecords: !hasRecords,
  });
  const create = (): Storage => createStorageOn(redis, createStorage, { settings, logger, onDropped });
  return withStorage(redis, hasRecords ? create() : undefined);
}

/** Creates everything that is stored, in the store of a server. */
function createStorageOn(
  { store }: Pick<PostgresStore, 'store'>,
  createStorage: typeof import('../application/storage/storage.ts').createStorage,
  of: { readonly settings: Settings; readonly logger: Logger; readonly onDropped: () => void },
): Storage {
  const { settings, logger, onDropped } = of;
  const parts = { store, clock: systemClock, random: Math.random };
  const ofProcess = { processId: createProcessId(), logger, digest: digestOf, onDropped };
  return createStorage(parts, { ...ofProcess, ...getRetention(settings) });
}

function withStorage(shared: PostgresStore | RedisStore, storage: Storage | undefined): SharedRecords {
  return {
    ...shared,
    storage,
    async close() {
      await storage?.close();
      await shared.close();
    },
  };
}

/** The queues that replicas share. A process has a queue of runs, or timers of schedules, of its own without them. */
export interface SharedQueues {
  /** Where runs are durable in Redis. */
  readonly runs: BullmqRunQueue | undefined;
  /** Wakes one of the replicas when a schedule is due, where schedules are stored in Redis. */
  readonly fires: BullmqFireQueue | undefined;
}

/** Creates the queues in Redis, whose modules are loaded only where records are stored there. */
export async function loadSharedQueues(settings: Settings, logger: Logger): Promise<SharedQueues> {
  if (settings.TRACE_BACKEND !== 'kvstore' || settings.KVSTORE_URL === undefined) {
    return { runs: undefined, fires: undefined };
  }
  const { createBullmqFireQueue, createBullmqRunQueue } = await import('../adapters/redis/bullmq.ts');
  const options = {
    url: settings.KVSTORE_URL,
    prefix: settings.KVSTORE_PREFIX,
    timeoutMs: settings.KVSTORE_TIMEOUT_MS,
    clock: systemClock,
    logger,
  };
  return {
    runs: getRecovery(settings) === undefined ? undefined : createBullmqRunQueue(options),
    fires: createBullmqFireQueue(options),
  };
}

/** The records of this process in a file. */
export interface SqliteRecords extends Pick<SqliteStore, 'probe'> {
  readonly ports: StoragePorts;
  /** Writes what waits, and closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the file of records, whose modules are loaded only for the backend `sqlite`. Rejects with `SqliteFileError`
 * for a file that cannot be used.
 */
export async function loadSqlite(
  settings: Settings,
  logger: Logger,
  onDropped: () => void,
): Promise<SqliteRecords | undefined> {
  if (settings.TRACE_BACKEND !== 'sqlite') return undefined;
  const [{ openSqliteStore }, { createStorage, storageTables }] = await Promise.all([
    import('../adapters/sqlite/store.ts'),
    import('../application/storage/storage.ts'),
  ]);
  const { store, probe, close } = openSqliteStore({
    path: settings.SQLITE_PATH,
    tables: storageTables,
    clock: systemClock,
    logger,
  });
  const storage = createStorage(
    { store, clock: systemClock, random: Math.random },
    {
      processId: createProcessId(),
      logger,
      digest: digestOf,
      onDropped,
      isAlone: true,
      ...getRetention(settings),
    },
  );
  return {
    // Nobody else reads the feed of events.
    ports: { ...storage.ports, feed: createMemoryEventFeed() },
    probe,
    async close() {
      await storage.close();
      close();
    },
  };
}

/** Creates the adapters of PostgreSQL, whose modules are loaded only if a backend is `postgres`. */
export async function loadPostgres(
  settings: Settings,
  logger: Logger,
  telemetry: ServiceTelemetry,
  onDropped: () => void,
): Promise<SharedRecords | undefined> {
  const hasRecords = settings.TRACE_BACKEND === 'postgres';
  const isNeeded = hasRecords || settings.RATE_LIMIT_BACKEND === 'postgres';
  if (!isNeeded || settings.DATABASE_URL === undefined) return undefined;
  const [{ createPostgresStore }, { createStorage, storageTables }] = await Promise.all([
    import('../adapters/postgres/store.ts'),
    import('../application/storage/storage.ts'),
  ]);
  const postgres = createPostgresStore({
    url: settings.DATABASE_URL,
    schema: settings.DATABASE_SCHEMA,
    poolSize: settings.DATABASE_POOL_SIZE,
    timeoutMs: DATABASE_TIMEOUT_MS,
    tables: storageTables,
    clock: systemClock,
    logger,
    telemetry,
  });
  const create = (): Storage => createStorageOn(postgres, createStorage, { settings, logger, onDropped });
  return withStorage(postgres, hasRecords ? create() : undefined);
}

/** The timeout of a statement, in milliseconds: a checkpoint of the server may hold up a commit for a while. */
const DATABASE_TIMEOUT_MS = 2_000;

/** Creates the language model, whose modules are loaded only if a key is set. */
export async function loadModel(
  settings: Settings,
  logger: Logger,
  telemetry: ServiceTelemetry,
): Promise<ConnectedModel | undefined> {
  if (settings.LLM_API_KEY === undefined) return undefined;
  const { createLanguageModel } = await import('../adapters/llm/language-model.ts');
  return createLanguageModel({
    apiKey: settings.LLM_API_KEY,
    baseUrl: settings.LLM_BASE_URL,
    model: settings.LLM_MODEL,
    temperature: settings.LLM_TEMPERATURE,
    timeoutMs: settings.LLM_TIMEOUT_MS,
    maxRetries: settings.LLM_MAX_RETRIES,
    clock: systemClock,
    random: Math.random,
    logger,
    telemetry,
    injectHeaders: telemetry.inject,
  });
}

/** Creates what gives vectors, whose modules are loaded only if an embedding model is named. */
export async function loadEmbeddings(
  access: EmbeddingAccess | undefined,
  logger: Logger,
  observer: EmbeddingObserver,
  injectHeaders?: ServiceTelemetry['inject'],
): Promise<Embeddings | undefined> {
  if (access === undefined) return undefined;
  const [{ createEmbedder }, { createEmbeddings }] = await Promise.all([
    import('../adapters/embeddings/embedder.ts'),
    import('../adapters/embeddings/embeddings.ts'),
  ]);
  const embedder = createEmbedder({ ...access, clock: systemClock, injectHeaders });
  return createEmbeddings({ embedder, timeoutMs: access.timeoutMs, clock: systemClock, logger, observer });
}

/** A language model with what decides by it. */
export interface DecidingModel {
  readonly model: LanguageModel;
  readonly createLlmStages: typeof import('../adapters/stages/llm/stages.ts').createLlmStages;
  readonly createLlmDecomposer: typeof import('../adapters/decomposer/llm.ts').createLlmDecomposer;
}

/** Loads what decides by a language model: nothing of it is loaded where there is none. */
export async function decideBy(model: LanguageModel): Promise<DecidingModel> {
  const [{ createLlmStages }, { createLlmDecomposer }] = await Promise.all([
    import('../adapters/stages/llm/stages.ts'),
    import('../adapters/decomposer/llm.ts'),
  ]);
  return { model, createLlmStages, createLlmDecomposer };
}

/** The parts that decide: by the language model where one is connected, else by the rules. */
interface Deciding {
  /** The time that prompts tell. */
  readonly clock: Clock;
  readonly settings: Settings;
  readonly connected: DecidingModel | undefined;
  readonly logger: Logger;
  readonly observer: LlmObserver;
  /** Gives vectors to messages; undefined where words alone decide. */
  readonly embeddings: Embeddings | undefined;
}

/**
 * Creates what decides about the messages of a playbook: its stages and tickets. `tools` are the tools as these
 * messages see them.
 */
export function createStages(
  { playbook, classifier, vectors }: PlaybookSetup,
  tools: () => readonly Tool[],
  { clock, settings, connected, logger, observer, embeddings }: Deciding,
): PlaybookPorts {
  const assessor = createAssessorFor({
    playbook,
    classifier,
    vectors,
    embed: embeddings?.ofMessage,
    hasInbox: settings.INBOX,
  });
  const rules = createStagesOf(assessor, settings.ESCALATION_THRESHOLD);
  const shared = { playbook, makeTickets: ticketsFor(playbook) };
  if (connected === undefined) return { ...shared, stages: rules };
  const enabled = getLlmStages(settings);
  const { model, createLlmStages } = connected;
  return {
    ...shared,
    stages: createLlmStages({
      model,
      assessor,
      rules,
      enabled,
      tools,
      logger,
      observer,
      clock,
      findArticles: createArticleFinder(playbook.articles),
      price: priceOf(playbook.models, settings.LLM_MODEL),
    }),
  };
}

/** Creates what reads messages and goals whatever the playbook: the preparation and the decomposer. */
export function createReading({
  settings,
  connected,
  logger,
  observer,
}: Deciding): Pick<Ports, 'prepare' | 'decompose'> {
  // Each message brings the languages of the playbook that it is processed by.
  const prepare = createPreparation({ redactPii: settings.REDACT_PII, languages: [] });
  const keyword = decomposeByKeywords;
  if (connected === undefined || !getLlmStages(settings).has('decomposer')) {
    return { prepare, decompose: keyword };
  }
  const { model, createLlmDecomposer } = connected;
  return { prepare, decompose: createLlmDecomposer({ model, keyword, logger, observer }) };
}

/**
 * Creates the limiter of this process, or one that all replicas share and that falls back to it without their store.
 */
export function createRateLimiter(
  settings: Settings,
  { redis, postgres }: Readonly<Record<'redis' | 'postgres', Pick<SharedRecords, 'rateLimiter'> | undefined>>,
  clock: Clock,
  onFallback: () => void,
): RateLimiter {
  const limits = { limit: settings.RATE_LIMIT_REQUESTS, windowSeconds: settings.RATE_LIMIT_WINDOW_SECONDS };
  const local = createMemoryRateLimiter({ ...limits, clock });
  const shared = { memory: undefined, kvstore: redis, postgres }[settings.RATE_LIMIT_BACKEND];
  return shared === undefined ? local : shared.rateLimiter({ ...limits, local, onFallback });
}
