import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { memoryStorage } from '../../../src/adapters/memory-storage.ts';
import { createRedisStore as openRedisStore } from '../../../src/adapters/redis/store.ts';
import { createIds, systemClock } from '../../../src/adapters/shared/system.ts';
import type { WorkflowRunner } from '../../../src/application/runs/runner.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import { postgresStorage } from '../../../src/entries/postgres.ts';
import { createRedisStore } from '../../../src/entries/redis.ts';
import { sqliteStorage } from '../../../src/entries/sqlite.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import type { StoragePorts } from '../../../src/ports/ports.ts';
import type { RateLimiter } from '../../../src/ports/rate-limiter.ts';
import { createTempFolder } from '../process/programs.ts';
import { median, medianRatio } from '../report/statistics.ts';
import { decimal, integer, markdownTable } from '../report/table.ts';
import { createBenchOrchestrator, createBenchRunner } from '../workloads/core.ts';
import { dags, toDefinition } from '../workloads/dag.ts';
import { sampleMessage, toCustomerMessage } from '../workloads/requests.ts';
import { measureInbox } from './inbox.ts';
import { measureInRounds } from './rounds.ts';

const CONCURRENCY = 64;

const limits = { limit: 1_000_000, windowSeconds: 60 };

/** One kind of store, with a limiter and an engine that use it. */
interface StoreTarget {
  readonly name: string;
  readonly traces: StoragePorts['traces'];
  readonly limiter: RateLimiter;
  readonly engine: WorkflowRunner;
}

/**
 * Measures the operations of the stores, 64 at a time. Returns tables, and a warning if limiter calls fell back to
 * memory.
 */
export async function measureStoreOperations(
  urls: { readonly redis: string; readonly postgres: string | undefined },
  quick: boolean,
): Promise<string[]> {
  let fallbacks = 0;
  const local = createMemoryRateLimiter({ ...limits, clock: systemClock });
  const adapters = createRedisStore({ url: urls.redis, prefix: 'stores:', timeoutMs: 5_000 });
  const inMemory = memoryStorage();
  const memory = createStoreTarget('memory', inMemory, local);
  await using folder = await createTempFolder();
  const sqliteAdapters = sqliteStorage({ path: join(folder.path, 'store.db') });
  const sqlite = createStoreTarget('SQLite', sqliteAdapters.ports, local);
  const counting = openRedisStore({
    url: urls.redis,
    prefix: 'stores:',
    timeoutMs: 5_000,
    tables: [],
    clock: systemClock,
    logger: silentLogger,
  });
  const shared = counting.rateLimiter({ ...limits, local, onFallback: () => void fallbacks++ });
  const inRedis = adapters.ports;
  const redis = createStoreTarget('Redis', inRedis, shared);
  const rows =
    urls.postgres === undefined ? undefined : postgresStorage({ url: urls.postgres, schema: 'operations' });
  try {
    await rows?.start();
    while (rows !== undefined && (await rows.probe()) !== 'ok') await sleep(20);
    const postgres = rows && createStoreTarget('PostgreSQL', rows.ports, rows.rateLimiter(limits));
    // `start` opens the connections that the calls above asked for.
    await Promise.all([adapters.start(), counting.start()]);
    const others = postgres === undefined ? [] : [postgres];
    const operations = await measure([memory, sqlite, redis, ...others], quick);
    const inbox = await measureInbox(
      [
        { name: 'memory', storage: inMemory },
        {
          name: 'SQLite',
          storage: { ...sqliteAdapters.ports, stats: inMemory.stats, erasures: inMemory.erasures },
        },
        { name: 'Redis', storage: inRedis },
        ...(rows === undefined ? [] : [{ name: 'PostgreSQL', storage: rows.ports }]),
      ],
      quick,
    );
    return [operations, ...fallbackWarning(fallbacks), ...inbox];
  } finally {
    await Promise.all([adapters.close(), counting.close()]);
    await rows?.close();
    await sqliteAdapters.close();
  }
}

/** The shared limiter counts in memory while the store is slow; such samples do not measure Redis. */
function fallbackWarning(fallbacks: number): string[] {
  if (fallbacks === 0) return [];
  return [
    `**Not all requests were counted in Redis**: it was too slow for the limiter, and ${integer(fallbacks)} were counted in memory.`,
  ];
}

function createStoreTarget(
  name: string,
  { traces, runs }: Pick<StoragePorts, 'traces' | 'runs'>,
  limiter: RateLimiter,
): StoreTarget {
  return { name, traces, limiter, engine: createBenchRunner(runs) };
}

/** The first target is the one that the others are compared with. */
async function measure(targets: readonly StoreTarget[], quick: boolean): Promise<string> {
  const trace = await createSampleTrace();
  for (const { traces } of targets) await traces.put(trace);
  const rows: string[][] = [];
  for (const [name, work] of createOperations(trace)) {
    const samples = await measureInRounds(
      targets.map((stores) => ({ name: stores.name, run: () => runConcurrently(stores, work) })),
      { rounds: quick ? 3 : 11, roundMs: quick ? 50 : 500 },
    );
    const perSecond = (ms: readonly number[]) => integer((CONCURRENCY * 1_000) / median(ms));
    const [base = [], ...others] = samples;
    const shares = others.map((own) => decimal(medianRatio(base, own), 2));
    rows.push([name, ...samples.map(perSecond), ...shares]);
  }
  for (const { engine } of targets) await engine.close(0);
  const names = targets.map(({ name }) => `${name}, a second`);
  const shareNames = targets.slice(1).map(({ name }) => `${name}, of memory`);
  return markdownTable(['Operation', ...names, ...shareNames], rows);
}

type Operation = readonly [name: string, run: (stores: StoreTarget) => unknown];

function runConcurrently(stores: StoreTarget, run: (stores: StoreTarget) => unknown): Promise<unknown> {
  return Promise.all(Array.from({ length: CONCURRENCY }, () => run(stores)));
}

function createOperations(trace: Trace): Operation[] {
  const newId = createIds();
  const bytes = integer(JSON.stringify(trace).length);
  const chain = toDefinition(dags.chain10);
  let client = 0;
  return [
    [
      'get a trace',
      async ({ traces }) => {
        if ((await traces.get(trace.traceId)) === undefined) throw new Error('the trace was evicted');
      },
    ],
    // After `get`: the puts evict the first trace from memory.
    [`put a trace (${bytes} bytes)`, ({ traces }) => traces.put({ ...trace, traceId: newId() })],
    ['list 50 traces', ({ traces }) => traces.list({ limit: 50, offset: 0 })],
    ['run a chain of 10', ({ engine }) => engine.run({ definition: chain, input: {} })],
    [
      'count a request',
      ({ limiter }) => {
        client += 1;
        return limiter.consume(`10.0.0.${client % 250}`);
      },
    ],
  ];
}

/** The trace of a real message. */
async function createSampleTrace(): Promise<Trace> {
  const orchestrator = createBenchOrchestrator();
  const trace = await orchestrator.messages.process(toCustomerMessage(sampleMessage));
  await orchestrator.close(0);
  return trace;
}
