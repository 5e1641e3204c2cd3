import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Store } from '../../../src/ports/storage/store.ts';
import { randomCommitsContract } from '../../contracts/random-commits.ts';
import { storeContract, storeTables } from '../../contracts/store.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { createPostgresStores } from '../../support/postgres/stores.ts';
import { until } from '../../support/until.ts';

const stores = createPostgresStores(storeTables);
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgresServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.stop());

async function make(): Promise<Store> {
  const { store, probe } = await stores.make(server.url);
  await until('the store is available', async () => (await probe()) === 'ok');
  return store;
}

storeContract('PostgreSQL', make);
randomCommitsContract('PostgreSQL', make);
