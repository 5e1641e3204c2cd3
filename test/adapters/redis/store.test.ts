import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Store } from '../../../src/ports/storage/store.ts';
import { randomCommitsContract } from '../../contracts/random-commits.ts';
import { storeContract, storeTables } from '../../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createRedisStores } from '../../support/redis/stores.ts';
import { until } from '../../support/until.ts';

const stores = createRedisStores(storeTables);
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

async function make(): Promise<Store> {
  const { store, probe } = await stores.make(server.url);
  await until('the store is available', async () => (await probe()) === 'ok');
  return store;
}

storeContract('Redis', make);
randomCommitsContract('Redis', make);
