import { afterAll, beforeAll } from 'vitest';
import { runQueueContract } from '../../contracts/run-queue.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createQueues } from './queues.ts';

const queues = createQueues();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(async () => {
  await queues.closeAll();
  await server.close();
});

runQueueContract('BullMQ', (limits) => queues.make(server.url, limits));
