import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { conversationStoreContract } from '../../contracts/conversation-store.ts';
import { definitionStoreContract } from '../../contracts/definition-store.ts';
import { erasureMarksContract } from '../../contracts/erasure-marks.ts';
import { exampleStoreContract } from '../../contracts/example-store.ts';
import { idempotencyStoreContract } from '../../contracts/idempotency-store.ts';
import { inboxStoreContract } from '../../contracts/inbox-store.ts';
import { rateLimiterContract } from '../../contracts/rate-limiter.ts';
import { runLogContract } from '../../contracts/run-log.ts';
import { runLogOracle } from '../../contracts/run-log-oracle.ts';
import { controlRuns, runQueueContract } from '../../contracts/run-queue.ts';
import { runVersionsContract } from '../../contracts/run-versions.ts';
import { scheduleStoreContract } from '../../contracts/schedule-store.ts';
import { statsStoreContract } from '../../contracts/stats-store.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, DAY_MS, type StoresOptions, until } from '../../support/redis/stores.ts';

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

const ports = async () => (await startProcess()).ports;
const runLog = async () => ({ log: (await ports()).runs, written: () => Promise.resolve() });

runLogContract('redis', runLog);
runLogOracle('redis', runLog);
runVersionsContract('redis', ports);
runQueueContract('redis', async (limits) => {
  const { queue, start } = (await startProcess()).runQueue;
  start();
  return controlRuns(queue, limits);
});
inboxStoreContract('redis', ports);
conversationStoreContract('redis', ports);
exampleStoreContract('redis', ports);
definitionStoreContract('redis', async () => (await ports()).workflows);
scheduleStoreContract('redis', async () => (await ports()).schedules);
statsStoreContract('redis', async () => (await ports()).stats);

erasureMarksContract('redis', async () => {
  const one = await startProcess();
  const other = await startProcess({ prefix: one.prefix });
  return [one.ports.erasures, other.ports.erasures];
});

idempotencyStoreContract('redis', async () => {
  const { idempotency } = (await startProcess()).ports;
  // The lease of a claim is 40 seconds: `test/application/storage` has its end on a fake clock.
  return { store: idempotency, wait: sleep, lapseMs: 1 };
});

rateLimiterContract('redis', async (limit, windowSeconds) => {
  const one = stores.prepare(server.url);
  const local = createMemoryRateLimiter({ limit, windowSeconds, clock: systemClock });
  const limiter = one.rateLimiter({ limit, windowSeconds, local });
  await one.start();
  return { limiter, wait: (seconds) => sleep(seconds * 1_000) };
});
