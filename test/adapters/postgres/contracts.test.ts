import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { createPostgresStore } from '../../../src/adapters/postgres/store.ts';
import { createProcessId, digestOf } from '../../../src/adapters/shared/process-id.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createStorage, storageTables } from '../../../src/application/storage/storage.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
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
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { until } from '../../support/redis/stores.ts';

const ends: (() => Promise<void>)[] = [];
let server: PostgresServer;
let schemas = 0;
/** Schemas of tests that have ended, which are empty: to make one takes long. */
const free: string[] = [];

beforeAll(async () => {
  server = await startPostgresServer();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const newSchema = (): string => free.pop() ?? `contract_${++schemas}`;

async function empty(schema: string): Promise<void> {
  const names = ['events', 'rates', ...storageTables.map(({ name }) => `rows_${name}`)];
  // Quicker than `TRUNCATE`, which makes new files.
  await server.query(names.map((name) => `DELETE FROM ${schema}.${name}`).join('; '));
}
afterAll(() => server.stop());

/** Longer than the age of any sample. */
const RETENTION_MS = 10_000 * 86_400_000;
const written = () => Promise.resolve();

/** A process on a schema of its own, or on that of others. */
async function startProcess(schema = newSchema()) {
  const postgres = createPostgresStore({
    url: server.url,
    schema,
    poolSize: 10,
    timeoutMs: 10_000,
    tables: storageTables,
    clock: systemClock,
    logger: silentLogger,
  });
  await postgres.start();
  // On a busy machine it takes more than the second that the start waits for.
  await until('the store is available', async () => (await postgres.probe()) === 'ok');
  const storage = createStorage(
    { store: postgres.store, clock: systemClock, random: Math.random },
    {
      processId: createProcessId(),
      logger: silentLogger,
      digest: digestOf,
      traceRetentionMs: RETENTION_MS,
      runRetentionMs: RETENTION_MS,
    },
  );
  ends.push(async () => {
    await storage.close();
    await postgres.close();
    if (free.includes(schema)) return;
    await empty(schema);
    free.push(schema);
  });
  return { postgres, ...storage };
}

const ports = async () => (await startProcess()).ports;
const runLog = async () => ({ log: (await ports()).runs, written });

runLogContract('postgres', runLog);
runLogOracle('postgres', runLog);
runVersionsContract('postgres', ports);
runQueueContract('postgres', async (limits) => {
  const { queue, start } = (await startProcess()).runQueue;
  start();
  return controlRuns(queue, limits);
});
inboxStoreContract('postgres', ports);
conversationStoreContract('postgres', ports);
exampleStoreContract('postgres', ports);
definitionStoreContract('postgres', async () => (await ports()).workflows);
scheduleStoreContract('postgres', async () => (await ports()).schedules);
statsStoreContract('postgres', async () => (await ports()).stats);

erasureMarksContract('postgres', async () => {
  const schema = newSchema();
  const [one, other] = [await startProcess(schema), await startProcess(schema)];
  return [one.ports.erasures, other.ports.erasures];
});

idempotencyStoreContract('postgres', async () => {
  const { idempotency } = (await startProcess()).ports;
  // A claim that nobody holds lapses after its lease, of 40 seconds; `test/application/storage` has that on a fake
  // clock.
  return { store: idempotency, wait: sleep, lapseMs: 1 };
});

rateLimiterContract('postgres', async (limit, windowSeconds) => {
  const { postgres } = await startProcess();
  const local = createMemoryRateLimiter({ limit, windowSeconds, clock: systemClock });
  const limiter = postgres.rateLimiter({ limit, windowSeconds, local });
  return { limiter, wait: (seconds) => sleep(seconds * 1_000) };
});
