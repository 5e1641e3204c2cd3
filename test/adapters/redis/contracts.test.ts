import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { redisStorage } from '../../../src/adapters/redis/storage.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { definitionStoreContract } from '../../contracts/definition-store.ts';
import { idempotencyStoreContract } from '../../contracts/idempotency-store.ts';
import { rateLimiterContract } from '../../contracts/rate-limiter.ts';
import {
  recordStoreContract,
  type SampleRecord,
  sampleFilterFields,
  summarizeSample,
} from '../../contracts/record-store.ts';
import { runLogContract } from '../../contracts/run-log.ts';
import { runLogOracle } from '../../contracts/run-log-oracle.ts';
import { runVersionsContract } from '../../contracts/run-versions.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

const collection = {
  name: 'sample',
  idOf: ({ id }: SampleRecord) => id,
  summarize: summarizeSample,
  filterFields: sampleFilterFields,
  retentionMs: 3_600_000,
  lists: [],
};

recordStoreContract('redis', async () => (await stores.make(server.url)).adapters.recordStore(collection));

recordStoreContract('redis with a write buffer', async () =>
  (await stores.make(server.url)).adapters.bufferedRecordStore(collection),
);

definitionStoreContract('redis', async () => (await stores.make(server.url)).adapters.definitions);

runLogContract(
  'redis',
  async () => {
    const { adapters } = await stores.make(server.url);
    const written = () => until('all is written', () => adapters.buffered === 0);
    return { log: adapters.runLog, written };
  },
  { hasClaims: false },
);

async function makeDurable() {
  const { adapters } = await stores.make(server.url, { durableRuns: true });
  return { log: adapters.runLog, written: async () => undefined };
}

runLogContract('redis with durable runs', makeDurable);

runLogOracle('redis with durable runs', makeDurable);

runVersionsContract('redis', async () => redisStorage((await stores.make(server.url)).adapters));

idempotencyStoreContract('redis', async () => {
  const { adapters } = await stores.make(server.url, quickTimes);
  const { goneAfterMs, stableForMs } = quickTimes.recovery;
  return { store: adapters.idempotencyStore, wait: sleep, lapseMs: 2 * goneAfterMs + stableForMs };
});

rateLimiterContract('redis', async (limit, windowSeconds) => {
  const { adapters } = stores.prepare(server.url);
  const local = createMemoryRateLimiter({ limit, windowSeconds, clock: systemClock });
  const limiter = adapters.rateLimiter({ limit, windowSeconds, local });
  await adapters.start();
  return { limiter, wait: (seconds) => sleep(seconds * 1_000) };
});
