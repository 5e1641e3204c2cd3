import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import type { RedisStore } from '../../../src/adapters/redis/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { remove, type Store, write } from '../../../src/ports/storage/store.ts';
import { type Job, jobs, storeTables } from '../../contracts/store.ts';
import { createRedisStores } from '../../support/redis/row-stores.ts';
import { freePort, type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { until } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';

const stores = createRedisStores(storeTables);
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

async function isAvailable({ store, probe }: RedisStore): Promise<boolean> {
  try {
    store.assertAvailable();
    return (await probe()) === 'ok';
  } catch {
    return false;
  }
}

const untilAvailable = (store: RedisStore) => until('the store is available', () => isAvailable(store));
const untilUnavailable = (store: RedisStore) =>
  until('the store is unavailable', async () => !(await isAvailable(store)));

/** Short times, which a busy machine needs more than. */
const quick = { timeoutMs: 500, checkEveryMs: 200 };

/** The outcome of every member of the store; `hangs` for one that takes longer than two seconds. */
async function outcomes(store: Store): Promise<string[]> {
  const all: Promise<unknown>[] = [
    store.read(jobs, ['a']),
    store.commit([write(jobs, 'meanwhile', {})]),
    store.range(jobs, { limit: 1 }),
    store.count(jobs, {}),
    store.take(jobs, { index: 'due', until: 0, to: 0, limit: 1 }),
    store.move(jobs, {}, 'due', 0),
    store.events(jobs, 'a', 0, 1),
    store.removeExpired(jobs, 1),
  ];
  const inTime = new Promise<string>((resolve) => setTimeout(() => resolve('hangs'), 2_000));
  const outcome = (pending: Promise<unknown>) =>
    Promise.race([
      inTime,
      pending.then(
        () => 'served',
        (error: { code?: string }) => error.code ?? 'an unknown error',
      ),
    ]);
  return Promise.all(all.map(outcome));
}

const allUnavailable = Array.from({ length: 8 }, () => 'unavailable');
const allServed = Array.from({ length: 8 }, () => 'served');

async function readRow(store: Store, id: string): Promise<Job | undefined> {
  const [found] = await store.read(jobs, [id]);
  return found?.row;
}

describe('a killed Redis', () => {
  test('makes the store unavailable until it is back, with all that was acknowledged', async () => {
    const one = await stores.make(server.url, quick);
    const { store, probe, logger } = one;
    const onAvailable = vi.fn();
    await untilAvailable(one);
    store.onAvailable(onAvailable);
    await store.commit([write(jobs, 'a', { count: 1 })]);
    await server.kill();
    await untilUnavailable(one);
    expect(await outcomes(store)).toEqual(allUnavailable);
    expect(() => store.assertAvailable()).toThrow(
      expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 }),
    );
    expect(await probe()).toBe('error');
    expect(onAvailable).not.toHaveBeenCalled();
    await server.restart();
    await untilAvailable(one);
    expect(onAvailable).toHaveBeenCalledOnce();
    expect(await readRow(store, 'a')).toEqual({ count: 1 });
    expect(await readRow(store, 'meanwhile')).toBeUndefined();
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'the store is available',
      'the store is not available',
      'the store is available',
    ]);
  });

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

  test('is not needed at the start, and is connected to when it comes', async () => {
    await server.kill();
    const one = await stores.make(server.url);
    expect(await outcomes(one.store)).toEqual(allUnavailable);
    expect(one.logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', reason: 'ECONNREFUSED' }),
    );
    await server.restart();
    await untilAvailable(one);
    expect(await one.store.commit([write(jobs, 'a', {})])).toHaveLength(1);
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

  test('is unavailable within the timeout, then at once, and serves again when it goes on', async () => {
    const one = await stores.make(server.url, quick);
    await untilAvailable(one);
    server.freeze();
    expect(await outcomes(one.store)).not.toContain('hangs');
    await untilUnavailable(one);
    const askedAt = performance.now();
    expect(await outcomes(one.store)).toEqual(allUnavailable);
    expect(performance.now() - askedAt).toBeLessThan(quick.timeoutMs);
    server.thaw();
    await untilAvailable(one);
    expect(await outcomes(one.store)).toEqual(allServed);
  });

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

  test.each(['down', 'silent', 'mute'] as const)(
    'that is %s makes the store unavailable for that time',
    async (mode) => {
      const proxy = await startTcpProxy(server.port);
      try {
        const one = await stores.make(`redis://127.0.0.1:${proxy.port}`, quick);
        await untilAvailable(one);
        proxy.setMode(mode);
        await untilUnavailable(one);
        expect(await outcomes(one.store)).toEqual(allUnavailable);
        proxy.setMode('pass');
        await untilAvailable(one);
        await one.store.commit([write(jobs, 'a', {})]);
      } finally {
        await proxy.close();
      }
    },
  );

  test('tells listeners to look when notices may have been lost', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const one = await stores.make(`redis://127.0.0.1:${proxy.port}`, quick);
      const other = await stores.make(server.url, { prefix: one.prefix });
      const texts: (string | undefined)[] = [];
      one.store.watch('topic', (text) => texts.push(text));
      await vi.waitFor(() => expect(texts).toContain(undefined), { timeout: 15_000 });
      await untilAvailable(other);
      texts.length = 0;
      proxy.setMode('down');
      await untilUnavailable(one);
      await other.store.commit([], [{ topic: 'topic', text: 'lost' }]);
      proxy.setMode('pass');
      await vi.waitFor(() => expect(texts).toContain(undefined), { timeout: 15_000 });
      await other.store.commit([], [{ topic: 'topic', text: 'a' }]);
      await vi.waitFor(() => expect(texts).toContain('a'), { timeout: 15_000 });
      expect(texts).not.toContain('lost');
    } finally {
      await stores.closeAll();
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

test('the time is that of the server, however wrong the own clock is', async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  const one = await stores.make(server.url, { clock });
  await untilAvailable(one);
  expect(Math.abs(one.store.now() - systemClock.now())).toBeLessThan(1_000);
});

test('the port of a server that is not there is refused at once', async () => {
  const one = await stores.make(`redis://:s3cret@127.0.0.1:${await freePort()}`);
  const askedAt = performance.now();
  expect(await outcomes(one.store)).toEqual(allUnavailable);
  expect(performance.now() - askedAt).toBeLessThan(500);
  expect(JSON.stringify(one.logger.lines)).not.toContain('s3cret');
});
