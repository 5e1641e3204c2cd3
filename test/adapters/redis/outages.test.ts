import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { remove, write } from '../../../src/ports/storage/store.ts';
import { jobs, storeTables } from '../../contracts/store.ts';
import {
  allUnavailable,
  outcomes,
  readRow,
  storeOutagesContract,
  untilAvailable,
  untilUnavailable,
} from '../../contracts/store-outages.ts';
import { freePort, type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createRedisStores } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const stores = createRedisStores(storeTables);
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

/** Short times, which a busy machine needs more than. */
const quick = { timeoutMs: 500, checkEveryMs: 200 };

storeOutagesContract('Redis', {
  server: () => server,
  quickTimeoutMs: quick.timeoutMs,
  async make({ isQuick = false, port = server.port, place, clock } = {}) {
    const options = { ...(isQuick && quick), ...(place && { prefix: place }), ...(clock && { clock }) };
    const one = await stores.make(`redis://127.0.0.1:${port}`, options);
    return { ...one, place: one.prefix };
  },
});

describe('a killed Redis', () => {
  test('receives none of the writes that were sent meanwhile', async () => {
    const one = await stores.make(server.url, quick);
    await server.kill();
    const writes = Array.from({ length: 50 }, (_, number) =>
      one.store.commit([write(jobs, `row-${number}`, {})]),
    );
    const settled = await Promise.allSettled(writes);
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    await server.restart();
    await untilAvailable(one);
    expect(await one.store.count(jobs, {})).toBe(0);
  });

  test('is unavailable under a malformed address, which is not logged', async () => {
    const one = await stores.make('redis://:s3cret@[not an address]');
    one.store.watch('topic', () => undefined);
    expect(await outcomes(one.store)).toEqual(allUnavailable);
    expect(one.logger.lines).toContainEqual(expect.objectContaining({ reason: 'ERR_INVALID_URL' }));
    expect(JSON.stringify(one.logger.lines)).not.toContain('s3cret');
  });

  test('that has lost its data never repeats a version or a position', async () => {
    const one = await stores.make(server.url, quick);
    await untilAvailable(one);
    await one.store.commit(Array.from({ length: 20 }, (_, number) => write(jobs, `row-${number}`, {})));
    const [before] = (await one.store.commit([write(jobs, 'a', {})])) ?? [];
    await server.command('FLUSHALL');
    await server.command('SCRIPT', 'FLUSH');
    expect(await readRow(one.store, 'a')).toBeUndefined();
    expect(await one.store.count(jobs, {})).toBe(0);
    await until('it knows', async () => Number(await server.command('GET', `${one.prefix}number`)) > 20);
    const [after] = (await one.store.commit([write(jobs, 'a', {})])) ?? [];
    expect(after).toBeGreaterThan(before ?? Infinity);
  });
});

describe('a suspended Redis', () => {
  afterEach(() => server.thaw());

  test('does not execute writes that timed out meanwhile', async () => {
    const one = await stores.make(server.url, quick);
    const { store } = one;
    await untilAvailable(one);
    await store.commit([write(jobs, 'a', { due: 1, count: 1 })]);
    server.freeze();
    const writes = [
      store.commit([write(jobs, 'b', {})]),
      store.commit([remove(jobs, 'a')]),
      store.take(jobs, { index: 'due', until: 5, to: 50, limit: 9 }),
      store.move(jobs, {}, 'due', 60),
    ];
    await Promise.all(
      writes.map((pending) => expect(pending).rejects.toMatchObject({ code: 'unavailable' })),
    );
    await untilUnavailable(one);
    server.thaw();
    await untilAvailable(one);
    const found = await store.range(jobs, { between: { due: { until: 5 } }, limit: 9 });
    expect(found.map(({ id }) => id)).toEqual(['a']);
    expect(await store.count(jobs, {})).toBe(1);
  });
});

describe('a Redis without free memory', () => {
  afterEach(() => server.command('CONFIG', 'SET', 'maxmemory', '0'));

  test('serves reads and deletions, and accepts writes again when it has memory', async () => {
    const one = await stores.make(server.url, quick);
    const { store } = one;
    await untilAvailable(one);
    await store.commit([
      write(jobs, 'a', { count: 1 }, { append: { after: 0, events: ['1'] } }),
      write(jobs, 'b', {}),
    ]);
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    const refused = [
      store.commit([write(jobs, 'c', {})]),
      store.commit([write(jobs, 'a', { count: 2 }, { append: { after: 1, events: ['2'] } })]),
      store.commit([remove(jobs, 'b'), write(jobs, 'a', { count: 2 })]),
    ];
    await Promise.all(
      refused.map((pending) => expect(pending).rejects.toMatchObject({ code: 'unavailable' })),
    );
    await untilUnavailable(one);
    expect(await readRow(store, 'a')).toEqual({ count: 1 });
    expect(await store.events(jobs, 'a', 0, 10)).toEqual(['1']);
    expect(await store.count(jobs, {})).toBe(2);
    expect(await store.commit([remove(jobs, 'b')])).toEqual([0]);
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await untilAvailable(one);
    await store.commit([write(jobs, 'c', {})]);
    const found = await store.range(jobs, { limit: 9 });
    expect(found.map(({ id }) => id)).toEqual(['a', 'c']);
  });
});

describe('a Redis with a password', () => {
  test('is unavailable with a wrong password, which is never logged', async () => {
    const guarded = await startRedisServer({ password: 'right-s3cret' });
    try {
      const at = `127.0.0.1:${guarded.port}`;
      const urls = [`redis://:wrong-s3cret@${at}`, `redis://user:wrong-s3cret@${at}`, `redis://${at}`];
      for (const url of urls) {
        const { store, logger } = await stores.make(url);
        expect(await outcomes(store)).toEqual(allUnavailable);
        expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
        expect(logger.lines[0]?.['reason']).toMatch(/^(WRONGPASS|NOAUTH)$/);
      }
      const one = await stores.make(`redis://:right-s3cret@${at}`);
      await untilAvailable(one);
      await one.store.commit([write(jobs, 'a', {})]);
    } finally {
      await stores.closeAll();
      await guarded.close();
    }
  });

  test('is reconnected to when it was suspended during the authentication', async () => {
    const guarded = await startRedisServer({ password: 's3cret' });
    try {
      guarded.freeze();
      const one = await stores.make(`redis://:s3cret@127.0.0.1:${guarded.port}`);
      expect(await outcomes(one.store)).toEqual(allUnavailable);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      guarded.thaw();
      await untilAvailable(one);
      await one.store.commit([write(jobs, 'a', {})]);
    } finally {
      guarded.thaw();
      await stores.closeAll();
      await guarded.close();
    }
  });
});

describe('a network', () => {
  test('that is slow is waited for while commands stay within their timeout', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const one = await stores.make(`redis://127.0.0.1:${proxy.port}`, { timeoutMs: 500 });
      await untilAvailable(one);
      proxy.setDelay(150);
      await one.store.commit([write(jobs, 'a', { count: 1 })]);
      expect(await readRow(one.store, 'a')).toEqual({ count: 1 });
      proxy.setDelay(3_000);
      expect(await outcomes(one.store)).toEqual(allUnavailable);
      await untilUnavailable(one);
      proxy.setDelay(0);
      await untilAvailable(one);
      expect(await one.store.count(jobs, {})).toBe(1);
    } finally {
      await proxy.close();
    }
  });
});

describe('a limiter whose Redis becomes unavailable', () => {
  test('keeps the limit locally, and counts in Redis again when it is available', async () => {
    const one = stores.prepare(server.url);
    const local = createMemoryRateLimiter({ limit: 3, windowSeconds: 60, clock: systemClock });
    const limiter = one.rateLimiter({ limit: 3, windowSeconds: 60, local });
    await one.start();
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 2 });
    await server.kill();
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 1 });
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 0 });
    expect(await limiter.consume('a')).toMatchObject({ admitted: false });
    await server.restart();
    await until('it counts in redis again', async () => {
      await limiter.consume('b');
      return (await server.keys(`${one.prefix}rate:b`)).length === 1;
    });
    const lines = one.logger.lines.filter(({ message }) => message.startsWith('requests are limited'));
    expect(lines).toHaveLength(1);
  });

  test('keeps the limit when Redis has no free memory', async () => {
    const one = stores.prepare(server.url);
    const local = createMemoryRateLimiter({ limit: 2, windowSeconds: 60, clock: systemClock });
    const limiter = one.rateLimiter({ limit: 2, windowSeconds: 60, local });
    await one.start();
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    try {
      const admitted: boolean[] = [];
      for (let turn = 0; turn < 3; turn++) admitted.push((await limiter.consume('a')).admitted);
      expect(admitted).toEqual([true, true, false]);
    } finally {
      await server.command('CONFIG', 'SET', 'maxmemory', '0');
    }
  });
});

test('the port of a server that is not there is refused at once', async () => {
  const one = await stores.make(`redis://:s3cret@127.0.0.1:${await freePort()}`);
  const askedAt = performance.now();
  expect(await outcomes(one.store)).toEqual(allUnavailable);
  expect(performance.now() - askedAt).toBeLessThan(500);
  expect(JSON.stringify(one.logger.lines)).not.toContain('s3cret');
});
