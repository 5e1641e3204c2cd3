import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { storageTables } from '../../../src/application/storage/storage.ts';
import { rateLimiterContract } from '../../contracts/rate-limiter.ts';
import { controlRuns, runQueueContract } from '../../contracts/run-queue.ts';
import { storageContract } from '../../contracts/storage.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { createPostgresStores } from '../../support/postgres/stores.ts';
import { createProcess } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const stores = createPostgresStores(storageTables);
const processes: { close(): Promise<void> }[] = [];
let server: PostgresServer;
/** Schemas in use, and those of tests that have ended, which are empty: to make one takes long. */
const used = new Set<string>();
const free: string[] = [];

beforeAll(async () => {
  server = await startPostgresServer();
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.close()));
  await stores.closeAll();
  for (const schema of used) await empty(schema);
  free.push(...used);
  used.clear();
});
afterAll(() => server.stop());

async function empty(schema: string): Promise<void> {
  const names = ['events', 'rates', ...storageTables.map(({ name }) => `rows_${name}`)];
  // Quicker than `TRUNCATE`, which makes new files.
  await server.query(names.map((name) => `DELETE FROM ${schema}.${name}`).join('; '));
}

/** A process on an empty schema, or on that of another one. */
async function startProcess(schema = free.pop()) {
  const postgres = await stores.make(server.url, { poolSize: 10, ...(schema && { schema }) });
  used.add(postgres.schema);
  // On a busy machine it takes more than the second that the start waits for.
  await until('the store is available', async () => (await postgres.probe()) === 'ok');
  const storage = createProcess(postgres.store);
  processes.push(storage);
  return { postgres, ...storage };
}

storageContract(
  'PostgreSQL',
  async () => (await startProcess()).ports,
  async () => {
    const one = await startProcess();
    const other = await startProcess(one.postgres.schema);
    return [one.ports, other.ports];
  },
);

runQueueContract('PostgreSQL', async (limits) => {
  const { queue, start } = (await startProcess()).runQueue;
  start();
  return controlRuns(queue, limits);
});

rateLimiterContract('PostgreSQL', async (limit, windowSeconds) => {
  const { postgres } = await startProcess();
  const local = createMemoryRateLimiter({ limit, windowSeconds, clock: systemClock });
  const limiter = postgres.rateLimiter({ limit, windowSeconds, local });
  return { limiter, wait: (seconds) => sleep(seconds * 1_000) };
});
