import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { rateLimiterContract } from '../../contracts/rate-limiter.ts';
import { controlRuns, runQueueContract } from '../../contracts/run-queue.ts';
import { storageContract } from '../../contracts/storage.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, type StoresOptions } from '../../support/redis/stores.ts';
import { DAY_MS } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

/** Longer than the age of any sample. */
const RETENTION_MS = 10_000 * DAY_MS;

async function startProcess(options: StoresOptions = {}) {
  const retention = { traceRetentionMs: RETENTION_MS, runRetentionMs: RETENTION_MS };
  const one = await stores.make(server.url, { timeoutMs: 5_000, ...retention, ...options });
  await until('the store is available', async () => (await one.probe()) === 'ok');
  return one;
}

storageContract(
  'Redis',
  async () => (await startProcess()).ports,
  async () => {
    const one = await startProcess();
    const other = await startProcess({ prefix: one.prefix });
    return [one.ports, other.ports];
  },
);

runQueueContract('Redis', async (limits) => {
  const { queue, start } = (await startProcess()).runQueue;
  start();
  return controlRuns(queue, limits);
});

rateLimiterContract('Redis', async (limit, windowSeconds) => {
  const one = stores.prepare(server.url);
  const local = createMemoryRateLimiter({ limit, windowSeconds, clock: systemClock });
  const limiter = one.rateLimiter({ limit, windowSeconds, local });
  await one.start();
  return { limiter, wait: (seconds) => sleep(seconds * 1_000) };
});
