/**
 * The stores beside each other, in memory and in a Redis on this machine: puts of a trace of 3 KB, reads, pages,
 * runs of ten layers, and counted requests, 64 at a time. `--quick` makes the rounds short.
 */
import { createMemoryExecutionStore } from '../src/adapters/memory/execution-store.ts';
import { createMemoryRateLimiter } from '../src/adapters/memory/rate-limiter.ts';
import { createMemoryRecordStore } from '../src/adapters/memory/record-store.ts';
import { createRedisAdapters } from '../src/adapters/redis/adapters.ts';
import { systemClock } from '../src/adapters/system.ts';
import type { ExecutionStore } from '../src/ports/execution-store.ts';
import type { RateLimiter } from '../src/ports/rate-limiter.ts';
import type { RecordStore } from '../src/ports/record-store.ts';
import { began, ended, endedResult, pendingExecution } from '../test/contracts/execution-store.ts';
import {
  type SampleRecord,
  type SampleSummary,
  sample,
  summariseSample,
} from '../test/contracts/record-store.ts';
import { recordLogs } from '../test/support/fakes.ts';
import { startRedisServer } from '../test/support/redis-server.ts';
import { machine } from './machine.ts';
import { interleave, markdownTable } from './support.ts';

const quick = process.argv.includes('--quick');
const interleaving = { rounds: quick ? 3 : 11, roundMs: quick ? 100 : 500 };
const TOGETHER = 64;
const LAYERS = 10;

interface Stores {
  readonly records: RecordStore<SampleRecord, SampleSummary>;
  readonly executions: ExecutionStore;
  readonly limiter: RateLimiter;
}

const event = {
  type: 'pipeline.transition',
  from: 'PLANNING',
  to: 'TOOL_EXECUTION',
  at: 1.7e12,
  durationMs: 0.1,
};
const body = Array.from({ length: 24 }, (_, number) => ({ ...event, number }));
let count = 0;

/** Sixty-four of one operation at the same time. */
const together = (work: (number: number) => unknown) => () =>
  Promise.all(Array.from({ length: TOGETHER }, () => work(count++)));

async function runOf({ executions }: Stores, number: number): Promise<void> {
  const id = `execution-${number}`;
  await executions.create(pendingExecution(id, LAYERS));
  await executions.save(id, began());
  for (let index = 0; index < LAYERS - 1; index++) {
    await executions.save(id, {
      ...began(),
      stepResults: [{ index, result: endedResult(index, { index }) }],
    });
  }
  await executions.save(id, ended('COMPLETED', [{ index: LAYERS - 1, result: endedResult(LAYERS - 1, {}) }]));
}

const operations: readonly (readonly [name: string, work: (stores: Stores, number: number) => unknown])[] = [
  ['put a record', ({ records }, number) => records.put(sample(number, { body }))],
  ['get a record', ({ records }, number) => records.get(`sample-${number - 1_000}`)],
  ['list 50 records', ({ records }) => records.list({ limit: 50, offset: 0 })],
  ['a run of ten layers', runOf],
  ['count a request', ({ limiter }, number) => limiter.consume(`10.0.0.${number % 250}`)],
];

const limits = { limit: 600, windowSeconds: 60 };
const shape = { idOf: ({ id }: SampleRecord) => id, summarise: summariseSample };
const memory: Stores = {
  records: createMemoryRecordStore({ ...shape, maxRecords: 10_000 }),
  executions: createMemoryExecutionStore({ maxRecords: 10_000 }),
  limiter: createMemoryRateLimiter({ ...limits, clock: systemClock }),
};

const server = await startRedisServer();
const adapters = createRedisAdapters({
  ...{ url: server.url, prefix: 'bench:', timeoutMs: 5_000, executionRetentionMs: 3_600_000 },
  ...{ clock: systemClock, logger: recordLogs() },
});
const redis: Stores = {
  records: adapters.recordStore({ ...shape, name: 'sample', retentionMs: 3_600_000, lists: [] }),
  executions: adapters.executionStore,
  limiter: adapters.rateLimiter({ ...limits, local: memory.limiter }),
};
await adapters.start();

const rows: string[][] = [];
for (const [name, work] of operations) {
  const [inMemory = Number.NaN, inRedis = Number.NaN] = await interleave(
    [memory, redis].map((stores) => ({ name, work: together((number) => work(stores, number)) })),
    interleaving,
  );
  const perSecond = (ms: number) => Math.round((TOGETHER * 1_000) / ms).toLocaleString('en');
  const microseconds = (ms: number) => ((ms * 1_000) / TOGETHER).toFixed(1);
  rows.push([name, perSecond(inMemory), microseconds(inMemory), perSecond(inRedis), microseconds(inRedis)]);
}
await adapters.close();
await server.close();

console.log(`${machine()}\n`);
console.log(
  `Stores, ${TOGETHER} operations at a time, a record being ${JSON.stringify(sample(1, { body })).length} bytes:\n`,
);
console.log(markdownTable(['Operation', 'memory, /s', 'µs each', 'Redis, /s', 'µs each'], rows));
