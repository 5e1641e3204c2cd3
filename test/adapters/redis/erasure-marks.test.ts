import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { erasureMarksContract } from '../../contracts/erasure-marks.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory } from '../../support/redis/stores.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

erasureMarksContract('redis', async () => {
  const { adapters, prefix } = await stores.make(server.url);
  const other = await stores.make(server.url, { prefix });
  return [adapters.erasures, other.adapters.erasures];
});

test('the mark of an erased customer has no text of the customer, and expires', async () => {
  const { adapters, prefix } = await stores.make(server.url);
  await adapters.erasures.mark('zqcustomer');
  const keys = (await server.keys(prefix)).filter((key) => key.includes('erased'));
  expect(keys).toHaveLength(1);
  expect(keys.join()).not.toContain('zqcustomer');
  expect(Number(await server.command('PTTL', keys[0] ?? ''))).toBeGreaterThan(3_000_000);
});
