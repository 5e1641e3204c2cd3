import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PostgresStore } from '../../../src/adapters/postgres/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { type Store, write } from '../../../src/ports/storage/store.ts';
import { type Job, jobs, storeTables } from '../../contracts/store.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { createPostgresStores } from '../../support/postgres/stores.ts';
import { freePort } from '../../support/redis/server.ts';
import { until } from '../../support/redis/stores.ts';
import { startTcpProxy, type TcpProxy } from '../../support/redis/tcp-proxy.ts';

const password = 's3cret-pa55';
const stores = createPostgresStores(storeTables);
let server: PostgresServer;
let proxy: TcpProxy | undefined;

beforeAll(async () => {
  server = await startPostgresServer({ password });
});
afterEach(async () => {
  await stores.closeAll();
  await proxy?.close();
  proxy = undefined;
});
afterAll(() => server.stop());

async function isAvailable({ store, probe }: PostgresStore): Promise<boolean> {
  try {
    store.assertAvailable();
    return (await probe()) === 'ok';
  } catch {
    return false;
  }
}

const untilAvailable = (store: PostgresStore) => until('the store is available', () => isAvailable(store));
const untilUnavailable = (store: PostgresStore) =>
  until('the store is unavailable', async () => !(await isAvailable(store)));

/** Short times, which a busy machine needs more than. */
const quick = { timeoutMs: 1_000, checkEveryMs: 200 };

/** The outcome of every member of the store; `hangs` for one that takes longer than five seconds. */
async function outcomes(store: Store): Promise<string[]> {
  const all: Promise<unknown>[] = [
    store.read(jobs, ['a']),
    store.read(jobs, []),
    store.commit([write(jobs, 'meanwhile', {})]),
    store.commit([]),
    store.range(jobs, { limit: 1 }),
    store.range(jobs, { where: { owner: [] }, limit: 1 }),
    store.count(jobs, {}),
    store.take(jobs, { index: 'due', until: 0, to: 0, limit: 1 }),
    store.move(jobs, {}, 'due', 0),
    store.events(jobs, 'a', 0, 1),
    store.removeExpired(jobs, 1),
  ];
  const inTime = new Promise<string>((resolve) => setTimeout(() => resolve('hangs'), 5_000));
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

const allUnavailable = Array.from({ length: 11 }, () => 'unavailable');

async function readRow(store: Store, id: string): Promise<Job | undefined> {
  const [found] = await store.read(jobs, [id]);
  return found?.row;
}

/** The URL of the server over a proxy. */
async function throughProxy(): Promise<string> {
  proxy = await startTcpProxy(server.port);
  return server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
}

/** A text with everything that an error tells, its causes included. */
async function textOfError(pending: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof pending === 'function' ? pending() : pending);
  } catch (error) {
    const parts: string[] = [];
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      parts.push(at.message, JSON.stringify({ ...at }), at.stack ?? '');
    }
    return parts.join('\n');
  }
  throw new Error('nothing was thrown');
}

describe('a server that has crashed', () => {
  test('makes the store unavailable until it is back, with all that was acknowledged', async () => {
    const one = await stores.make(server.url);
    const { store, probe, logger } = one;
    const onAvailable = vi.fn();
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
    const messages = logger.lines.map(({ message }) => message);
    expect(messages.slice(1)).toEqual([
      'the store is available',
      'the store is not available',
      'the store is available',
    ]);
  });

  test('never repeats a version or a position', async () => {
    const one = await stores.make(server.url);
    const before = await one.store.commit([write(jobs, 'a', {})]);
    await server.kill();
    await untilUnavailable(one);
    await server.restart();
    await untilAvailable(one);
    const after = await one.store.commit([write(jobs, 'a', {})]);
    expect(after?.[0]).toBeGreaterThan(before?.[0] ?? Infinity);
  });

  test('is not needed at the start, and gets its schema when it comes', async () => {
    await server.kill();
    const startedAt = performance.now();
    const one = await stores.make(server.url);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await outcomes(one.store)).toEqual(allUnavailable);
    expect(one.logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', reason: 'ECONNREFUSED' }),
    );
    await server.restart();
    await untilAvailable(one);
    expect(await one.store.commit([write(jobs, 'a', {})])).toHaveLength(1);
  });
});

describe('a suspended server', () => {
  test('is unavailable within the timeout, then at once, and serves again when it goes on', async () => {
    const one = await stores.make(server.url, quick);
    await one.store.commit([write(jobs, 'a', { count: 1 })]);
    await server.freeze();
    expect(await outcomes(one.store)).not.toContain('hangs');
    await untilUnavailable(one);
    const askedAt = performance.now();
    expect(await outcomes(one.store)).toEqual(allUnavailable);
    expect(performance.now() - askedAt).toBeLessThan(quick.timeoutMs);
    server.thaw();
    await untilAvailable(one);
    expect(await readRow(one.store, 'a')).toEqual({ count: 1 });
  });

  test('does not hold up the start', async () => {
    await server.freeze();
    const startedAt = performance.now();
    const one = await stores.make(server.url, quick);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await isAvailable(one)).toBe(false);
    server.thaw();
    await untilAvailable(one);
  });

  test('does not hold up the end', async () => {
    const one = await stores.make(server.url, quick);
    await server.freeze();
    const reading = one.store.read(jobs, ['a']).catch((error: { code: string }) => error.code);
    const endedAt = performance.now();
    await one.close();
    expect(performance.now() - endedAt).toBeLessThan(5_000);
    expect(await reading).toBe('unavailable');
    server.thaw();
  });
});

describe('a network', () => {
  test.each(['down', 'silent', 'mute'] as const)(
    'that is %s makes the store unavailable for that time',
    async (mode) => {
      const one = await stores.make(await throughProxy(), quick);
      await one.store.commit([write(jobs, 'a', {})]);
      proxy?.setMode(mode);
      await untilUnavailable(one);
      expect(await outcomes(one.store)).toEqual(allUnavailable);
      proxy?.setMode('pass');
      await untilAvailable(one);
      const writes = Array.from({ length: 20 }, (_, number) =>
        one.store.commit([write(jobs, `row-${number}`, {})]),
      );
      await Promise.all(writes);
      expect(await one.store.count(jobs, {})).toBe(21);
    },
  );

  test('that breaks all connections once is hardly noticed', async () => {
    const one = await stores.make(server.url);
    await one.store.commit([write(jobs, 'a', {})]);
    const breakAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orchestration'`;
    await server.query(breakAll);
    await until(
      'it is served',
      async () => (await readRow(one.store, 'a').catch(() => undefined)) !== undefined,
    );
    expect(one.logger.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('tells listeners to look when notices may have been lost', async () => {
    const one = await stores.make(server.url);
    const texts: (string | undefined)[] = [];
    one.store.watch('topic', (text) => texts.push(text));
    await vi.waitFor(() => expect(texts).toEqual([undefined]), { timeout: 15_000 });
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orchestration'`,
    );
    await vi.waitFor(() => expect(texts).toEqual([undefined, undefined]), { timeout: 15_000 });
    const other = await stores.make(server.url, { schema: one.schema });
    await other.store.commit([], [{ topic: 'topic', text: 'a' }]);
    await vi.waitFor(() => expect(texts).toEqual([undefined, undefined, 'a']), { timeout: 15_000 });
  });
});

test('a server that accepts no writes is unavailable until it does', async () => {
  const database = await server.createDatabase();
  const one = await stores.make(database);
  const name = new URL(database).pathname.slice(1);
  const setReadOnly = async (value: 'on' | 'off') => {
    await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  };
  await setReadOnly('on');
  await untilUnavailable(one);
  expect(await outcomes(one.store)).toEqual(allUnavailable);
  expect(one.logger.lines.at(-1)).toMatchObject({ state: 'read_only', reason: 'READ_ONLY' });
  await setReadOnly('off');
  await untilAvailable(one);
  await one.store.commit([write(jobs, 'a', {})]);
});

test('a statement that waits too long for others does not hold up the next ones', async () => {
  const one = await stores.make(server.url, { ...quick, poolSize: 1 });
  await one.store.commit([write(jobs, 'a', {}), write(jobs, 'b', {})]);
  const locked = server.query(
    `BEGIN; SELECT * FROM "${one.schema}".rows_jobs WHERE id = 'a' FOR UPDATE; SELECT pg_sleep(3)`,
  );
  await until('the row is locked', async () => {
    const [found] = await server.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    return found?.['count'] === '1';
  });
  const askedAt = performance.now();
  await expect(one.store.commit([write(jobs, 'a', { count: 1 })])).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(performance.now() - askedAt).toBeLessThan(2_500);
  expect(await one.store.commit([write(jobs, 'b', { count: 1 })])).toHaveLength(1);
  expect(await isAvailable(one)).toBe(true);
  await locked;
});

test('the time is that of the server, which is told again each second', async () => {
  const { store } = await stores.make(server.url);
  expect(Math.abs(store.now() - (await serverTime()))).toBeLessThan(1_000);
});

async function serverTime(): Promise<number> {
  const [reply] = await server.query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms');
  return Number(reply?.['ms']);
}

test('the time stays that of the server while a connection is made again, however wrong the own clock is', async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  const one = await stores.make(server.url, { clock });
  await server.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orchestration'`,
  );
  let farthest = 0;
  for (const until = performance.now() + 1_500; performance.now() < until; ) {
    farthest = Math.max(farthest, Math.abs(one.store.now() - systemClock.now()));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(farthest).toBeLessThan(1_000);
});

test('the time is right again at the next check after a clock was set', async () => {
  let set = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + set };
  const { store } = await stores.make(server.url, { clock, checkEveryMs: 500 });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  set = 60_000;
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(Math.abs(store.now() - (await serverTime()))).toBeLessThan(1_000);
});

test('a commit that the server ends because of others is sent again', async () => {
  const database = await server.createDatabase();
  const one = await stores.make(database);
  const name = new URL(database).pathname.slice(1);
  await one.store.commit([write(jobs, 'a', { count: 0 })]);
  await server.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`);
  await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  await until(
    'it is served',
    async () => (await readRow(one.store, 'a').catch(() => undefined)) !== undefined,
  );
  const table = `"${one.schema}".rows_jobs`;
  const changing = server.query(
    `BEGIN; UPDATE ${table} SET json = json WHERE id = 'a'; SELECT pg_sleep(1); COMMIT`,
    [],
    database,
  );
  await until('the row is locked', async () => {
    const [found] = await server.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    return found?.['count'] === '1';
  });
  expect(await one.store.commit([write(jobs, 'a', { count: 1 })])).toHaveLength(1);
  expect(await readRow(one.store, 'a')).toEqual({ count: 1 });
  await changing;
});

test('no password is in a log line or an error', async () => {
  const hidden = `http://postgres:${password}@127.0.0.1/postgres`;
  const urls = [
    server.url.replace(password, `${password}-wrong`),
    `postgres://postgres:${password}@127.0.0.1:${await freePort()}/postgres`,
    `postgres://postgres:${password}@host.invalid/postgres`,
    `${server.url}-missing`,
    `${server.url}?sslmode=verify-full`,
  ];
  const texts: string[] = [
    await textOfError(() => stores.prepare(hidden)),
    await textOfError(() => stores.prepare(`postgres://postgres:${password}@[x/y`)),
    await textOfError(() => stores.prepare(`${server.url}?sslrootcert=/none/${password}`)),
  ];
  for (const url of urls) {
    const one = await stores.make(url);
    texts.push(await textOfError(one.store.read(jobs, ['a'])), await textOfError(one.store.assertAvailable));
    texts.push(JSON.stringify(one.logger.lines));
    expect(one.logger.lines).toContainEqual(
      expect.objectContaining({ message: 'the store is not available' }),
    );
  }
  const served = await stores.make(server.url, quick);
  await server.freeze();
  texts.push(await textOfError(served.store.commit([write(jobs, 'a', { owner: password })])));
  server.thaw();
  texts.push(JSON.stringify(served.logger.lines));
  for (const text of texts) expect(text).not.toMatch(/s3cret/);
});
