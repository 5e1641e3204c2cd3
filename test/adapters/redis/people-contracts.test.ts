import { afterAll, afterEach, beforeAll } from 'vitest';
import { conversationStoreContract } from '../../contracts/conversation-store.ts';
import { exampleStoreContract } from '../../contracts/example-store.ts';
import { inboxStoreContract } from '../../contracts/inbox-store.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory } from '../../support/redis/stores.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

const make = async () => (await stores.make(server.url)).adapters.people;

inboxStoreContract('redis', make);
conversationStoreContract('redis', make);
exampleStoreContract('redis', make);
