import { createMemoryRateLimiter } from '../../src/adapters/memory/rate-limiter.ts';
import { memoryStorage } from '../../src/adapters/memory/storage.ts';
import { createRedisAdapters } from '../../src/adapters/redis/adapters.ts';
import { redisStorage } from '../../src/adapters/redis/storage.ts';
import { createIds, systemClock } from '../../src/adapters/shared/system.ts';
import type { WorkflowRunner } from '../../src/application/runs/runner.ts';
import { RUN_RETENTION_MS } from '../../src/domain/collections.ts';
import type { Trace } from '../../src/domain/message/trace.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { StoragePorts } from '../../src/ports/ports.ts';
import type { RateLimiter } from '../../src/ports/rate-limiter.ts';
import { dags, definitionOf } from './dag.ts';
import { interleave } from './interleave.ts';
import { makeEngine, makeOrchestrator } from './rigs.ts';
import { median, medianRatio } from './statistics.ts';
import { decimal, markdownTable, whole } from './table.ts';
import { customerMessage, message } from './workload.ts';

const TOGETHER = 64;

const limits = { limit: 1_000_000, windowSeconds: 60 };

/** One kind of store with what works on it. */
interface Stores {
  readonly name: string;
  readonly traces: StoragePorts['traces'];
  readonly limiter: RateLimiter;
  readonly engine: WorkflowRunner;
}

/** Measures what the stores do, 64 operations at a time, and makes a table of it, with a remark where one is due. */
export async function measureStores(redisUrl: string, quick: boolean): Promise<string[]> {
  let fallbacks = 0;
  const local = createMemoryRateLimiter({ ...limits, clock: systemClock });
  const adapters = createRedisAdapters({
    url: redisUrl,
    prefix: 'stores:',
    timeoutMs: 5_000,
    runRetentionMs: RUN_RETENTION_MS,
    clock: systemClock,
    logger: silentLogger,
  });
  const memory = storesOf('memory', memoryStorage(), local);
  const shared = adapters.rateLimiter({ ...limits, local, onFallback: () => void fallbacks++ });
  const redis = storesOf('Redis', redisStorage(adapters), shared);
  try {
    // Only now it is known which connections are needed.
    await adapters.start();
    return [await measure(memory, redis, quick), ...saidOf(fallbacks)];
  } finally {
    await adapters.close();
  }
}

/** The shared limiter answers without the store while that is slow; such figures are none. */
function saidOf(fallbacks: number): string[] {
  if (fallbacks === 0) return [];
  return [
    `**Not all requests were counted in Redis**: it was too slow for the limiter, and ${whole(fallbacks)} were counted in memory.`,
  ];
}

function storesOf(name: string, { traces, runs }: StoragePorts, limiter: RateLimiter): Stores {
  return { name, traces, limiter, engine: makeEngine(runs) };
}

async function measure(memory: Stores, redis: Stores, quick: boolean): Promise<string> {
  const trace = await sampleTrace();
  for (const { traces } of [memory, redis]) await traces.put(trace);
  const rows: string[][] = [];
  for (const [name, work] of operations(trace)) {
    const [inMemory = [], inRedis = []] = await interleave(
      [memory, redis].map((stores) => ({ name: stores.name, work: () => together(stores, work) })),
      { rounds: quick ? 3 : 11, roundMs: quick ? 50 : 500 },
    );
    const perSecond = (ms: readonly number[]) => whole((TOGETHER * 1_000) / median(ms));
    rows.push([name, perSecond(inMemory), perSecond(inRedis), decimal(medianRatio(inMemory, inRedis), 2)]);
  }
  for (const { engine } of [memory, redis]) await engine.close(0);
  return markdownTable(['Operation', 'memory, a second', 'Redis, a second', 'of memory'], rows);
}

type Operation = readonly [name: string, work: (stores: Stores) => unknown];

function together(stores: Stores, work: (stores: Stores) => unknown): Promise<unknown> {
  return Promise.all(Array.from({ length: TOGETHER }, () => work(stores)));
}

function operations(trace: Trace): Operation[] {
  const newId = createIds();
  const bytes = whole(JSON.stringify(trace).length);
  const chain = definitionOf(dags.chain10);
  let client = 0;
  return [
    [
      'get a trace',
      async ({ traces }) => {
        if ((await traces.get(trace.traceId)) === undefined) throw new Error('the trace is gone');
      },
    ],
    // After it was read: in memory, so many evict the one that was there first.
    [`put a trace (${bytes} bytes)`, ({ traces }) => traces.put({ ...trace, traceId: newId() })],
    ['list 50 traces', ({ traces }) => traces.list({ limit: 50, offset: 0 })],
    ['run a chain of 10', ({ engine }) => engine.run(chain, {})],
    [
      'count a request',
      ({ limiter }) => {
        client += 1;
        return limiter.consume(`10.0.0.${client % 250}`);
      },
    ],
  ];
}

/** The trace of a message as it is. */
async function sampleTrace(): Promise<Trace> {
  const orchestrator = makeOrchestrator();
  const trace = await orchestrator.messages.process(customerMessage(message));
  await orchestrator.close(0);
  return trace;
}
