import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { write } from '../../../src/ports/storage/store.ts';
import { jobs, storeTables } from '../../contracts/store.ts';
import {
  expectUnavailable,
  isAvailable,
  readRow,
  storeOutagesContract,
  untilAvailable,
  untilUnavailable,
} from '../../contracts/store-outages.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { createPostgresStores } from '../../support/postgres/stores.ts';
import { freePort } from '../../support/redis/server.ts';
import { until } from '../../support/until.ts';

const password = 's3cret-pa55';
const stores = createPostgresStores(storeTables);
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgresServer({ password });
});
afterEach(async () => {
  server.thaw();
  await stores.closeAll();
});
afterAll(() => server.stop());

/** Short times, which a busy machine needs more than. */
const quick = { timeoutMs: 1_000, checkEveryMs: 200 };

storeOutagesContract('PostgreSQL', {
  server: () => server,
  quickTimeoutMs: quick.timeoutMs,
  async make({ isQuick = false, port = server.port, place, clock } = {}) {
    const options = { ...(isQuick && quick), ...(place && { schema: place }), ...(clock && { clock }) };
    const one = await stores.make(server.url.replace(`:${server.port}/`, `:${port}/`), options);
    return { ...one, place: one.schema };
  },
});

/** A store that serves, which takes longer on a busy machine than its start waits. */
async function makeAvailable(url: string, options: Parameters<typeof stores.make>[1] = {}) {
  const one = await stores.make(url, options);
  await untilAvailable(one);
  return one;
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

test('connections that all break once are hardly noticed', async () => {
  const one = await makeAvailable(server.url);
  await one.store.commit([write(jobs, 'a', {})]);
  const breakAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orchestration'`;
  await server.query(breakAll);
  await until(
    'it is served',
    async () => (await readRow(one.store, 'a').catch(() => undefined)) !== undefined,
  );
  expect(one.logger.lines.filter(({ level }) => level !== 'info')).toEqual([]);
});

test('a server that accepts no writes is unavailable until it does', async () => {
  const database = await server.createDatabase();
  const one = await makeAvailable(database);
  const name = new URL(database).pathname.slice(1);
  const setReadOnly = async (value: 'on' | 'off') => {
    await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  };
  await setReadOnly('on');
  await untilUnavailable(one);
  await expectUnavailable(one.store);
  expect(one.logger.lines.at(-1)).toMatchObject({ state: 'read_only', reason: 'READ_ONLY' });
  await setReadOnly('off');
  await untilAvailable(one);
  await one.store.commit([write(jobs, 'a', {})]);
});

test('a statement that waits too long for others does not hold up the next ones', async () => {
  const one = await makeAvailable(server.url, { ...quick, poolSize: 1 });
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

async function serverTime(): Promise<number> {
  const [reply] = await server.query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms');
  return Number(reply?.['ms']);
}

test('the time stays that of the server while a connection is made again, however wrong the own clock is', async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  const one = await makeAvailable(server.url, { clock });
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
  const { store } = await makeAvailable(server.url, { clock, checkEveryMs: 500 });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  set = 60_000;
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(Math.abs(store.now() - (await serverTime()))).toBeLessThan(1_000);
});

test('a commit that the server ends because of others is sent again', async () => {
  const database = await server.createDatabase();
  const one = await makeAvailable(database);
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
    const one = await stores.make(url, quick);
    texts.push(await textOfError(one.store.read(jobs, ['a'])), await textOfError(one.store.assertAvailable));
    texts.push(JSON.stringify(one.logger.lines));
    expect(one.logger.lines).toContainEqual(
      expect.objectContaining({ message: 'the store is not available' }),
    );
  }
  const served = await makeAvailable(server.url, quick);
  await server.freeze();
  texts.push(await textOfError(served.store.commit([write(jobs, 'a', { owner: password })])));
  server.thaw();
  texts.push(JSON.stringify(served.logger.lines));
  for (const text of texts) expect(text).not.toMatch(/s3cret/);
});
