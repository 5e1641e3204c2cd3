import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import type { RedisStore } from '../../../src/adapters/redis/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { remove, type Store, write } from '../../../src/ports/storage/store.ts';
import { jobs, storeTables } from '../../contracts/store.ts';
import { createRedisStores } from '../../support/redis/stores.ts';
import { until } from '../../support/until.ts';

/** A server that speaks the Redis protocol with replies from the test. */
interface FakeResp {
  readonly url: string;
  /** The received commands, in order. */
  readonly commands: readonly (readonly string[])[];
  /** Number of accepted connections. */
  readonly connections: number;
  close(): Promise<void>;
}

/**
 * Starts a server that sends the result of `reply` for each command: a serialized reply (`-OOM no more\r\n`), or
 * nothing for undefined.
 */
async function startFakeResp(reply: (command: readonly string[]) => string | undefined): Promise<FakeResp> {
  const commands: (readonly string[])[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let unread = '';
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1');
      for (let read = readCommand(unread); read !== undefined; read = readCommand(unread)) {
        unread = unread.slice(read.length);
        commands.push(read.command);
        const answer = reply(read.command);
        if (answer !== undefined) socket.write(answer);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    commands,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The first command in a text, and its length; undefined while it is incomplete. */
function readCommand(text: string): { command: string[]; length: number } | undefined {
  let at = 0;
  const line = (mark: string): number | undefined => {
    const end = text.indexOf('\r\n', at);
    if (end < 0 || text[at] !== mark) return undefined;
    const value = Number(text.slice(at + 1, end));
    at = end + 2;
    return value;
  };
  const words = line('*');
  if (words === undefined) return undefined;
  const command: string[] = [];
  for (let word = 0; word < words; word++) {
    const length = line('$');
    if (length === undefined || text.length < at + length + 2) return undefined;
    command.push(text.slice(at, at + length));
    at += length + 2;
  }
  return { command, length: at };
}

const stores = createRedisStores(storeTables);
let fake: FakeResp | undefined;

afterEach(async () => {
  await stores.closeAll();
  await fake?.close();
});

const isCheck = (command: readonly string[]): boolean => command.length === 5;

/** The reply to the check of an available store, whose time is 1,000 s after the epoch. */
const healthy = '*2\r\n$4\r\n1000\r\n$1\r\n0\r\n';

/** A server with replies from the test, which has no records of version 0.6. */
function startEmptyStore(reply: (command: readonly string[]) => string | undefined): Promise<FakeResp> {
  return startFakeResp((command) => (command[0] === 'EXISTS' ? ':0\r\n' : reply(command)));
}

async function outcomes(store: Store): Promise<string[]> {
  const append = { after: 0, events: ['1'] };
  const all: Promise<unknown>[] = [
    store.commit([write(jobs, 'a', {}, { append })]),
    store.commit([write(jobs, 'a', {}, { expects: null }), write(jobs, 'b', {})]),
    store.commit([remove(jobs, 'a')], [{ topic: 'a', text: 'b' }]),
    store.read(jobs, ['a']),
    store.read(jobs, ['a', 'b'], true),
    store.range(jobs, { limit: 10 }),
    store.range(jobs, { where: { owner: 'ann' }, order: 'due', limit: 10 }),
    store.count(jobs, {}),
    store.take(jobs, { index: 'due', until: 1, to: 2, limit: 1 }),
    store.move(jobs, {}, 'due', 1),
    store.events(jobs, 'a', 0, 10),
    store.removeExpired(jobs, 10),
  ];
  return Promise.all(
    all.map((pending) =>
      pending.then(
        () => 'served',
        (error: { code?: string; message?: string }) => `${error.code}: ${error.message}`,
      ),
    ),
  );
}

const errorReplies = [
  "-OOM command not allowed when used memory > 'maxmemory'. s3cret",
  "-READONLY You can't write against a read only replica. s3cret",
  '-LOADING Redis is loading the dataset in memory s3cret',
  '-NOAUTH Authentication required. s3cret',
  '-WRONGPASS invalid username-password pair or user is disabled. s3cret',
  "-NOPERM this user has no permissions to run the 'evalsha' command s3cret",
  '-MISCONF Redis is configured to save RDB snapshots, but it is unable to. s3cret',
  '-MASTERDOWN Link with MASTER is down s3cret',
  '-MOVED 3999 127.0.0.1:6381 s3cret',
  '-CLUSTERDOWN The cluster is down s3cret',
  '-ERR max number of clients reached s3cret',
  '-BUSY Redis is busy running a script. s3cret',
  '-NOSCRIPT No matching script. s3cret',
  '-',
];

describe('a store that replies with errors', () => {
  test.each(errorReplies)('is unavailable, and its text is not logged: %s', async (errorReply) => {
    fake = await startEmptyStore(() => `${errorReply}\r\n`);
    const { store, probe, logger } = await stores.make(fake.url);
    for (const outcome of await outcomes(store)) expect(outcome).toMatch(/^unavailable: the store cannot/);
    expect(() => store.assertAvailable()).toThrow('the store cannot');
    expect(await probe()).toBe('error');
    expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
  });

  test.each(errorReplies)('is unavailable when it starts to do so later: %s', async (errorReply) => {
    let isFailing = false;
    fake = await startEmptyStore(() => (isFailing ? `${errorReply}\r\n` : healthy));
    const { store, probe } = await stores.make(fake.url);
    expect(await probe()).toBe('ok');
    isFailing = true;
    for (const outcome of await outcomes(store)) expect(outcome).toMatch(/^unavailable: the store cannot/);
  });
});

describe('a store that has become a replica', () => {
  test('is connected to again under its address', async () => {
    fake = await startEmptyStore(() => '-READONLY this is a replica\r\n');
    const { connections } = fake;
    await stores.make(fake.url, { checkEveryMs: 60_000 });
    await until('it is connected to again', () => (fake?.connections ?? 0) > connections + 2);
  });
});

describe('a store with unexpected replies', () => {
  const answers = [
    '+OK',
    ':1',
    '$-1',
    '*0',
    '*1\r\n*1\r\n*-1',
    '$3\r\nabc',
    '*2\r\n:1\r\n*1\r\n:7',
    '+STALE',
    '*2\r\n$1\r\n5\r\n*0',
  ];

  test.each(answers)('is unavailable or empty, without any other error: %j', async (answer) => {
    let odd = false;
    fake = await startEmptyStore(() => (odd ? `${answer}\r\n` : healthy));
    const { store } = await stores.make(fake.url);
    odd = true;
    const [put, ...others] = await outcomes(store);
    if (answer !== ':1') expect(put).toMatch(/^unavailable: the store cannot/);
    for (const outcome of others) expect(outcome).toMatch(/^(served|unavailable: the store cannot)/);
  });

  test('is unavailable if it uses another protocol', async () => {
    fake = await startEmptyStore(() => 'HTTP/1.1 400 Bad Request\r\n\r\n');
    const { store, probe } = await stores.make(fake.url);
    for (const outcome of await outcomes(store)) expect(outcome).toMatch(/^unavailable: the store cannot/);
    expect(await probe()).toBe('error');
  });
});

describe('a slow store', () => {
  test('is waited for up to the timeout of a command', async () => {
    let silent = false;
    fake = await startEmptyStore(() => (silent ? undefined : healthy));
    const { store, probe } = await stores.make(fake.url, { timeoutMs: 50 });
    silent = true;
    for (const outcome of await outcomes(store))
      expect(outcome).toBe('unavailable: the store cannot be reached');
    await until('it is known to be unavailable', async () => (await probe()) === 'error');
    expect(() => store.assertAvailable()).toThrow('the store cannot be reached');
  });

  test('is checked as soon as a command fails, and gets no other commands while it is unavailable', async () => {
    let answer: string | undefined = healthy;
    fake = await startEmptyStore(() => answer);
    const { store, probe } = await stores.make(fake.url, { timeoutMs: 50, checkEveryMs: 60_000 });
    answer = '-OOM no more\r\n';
    await expect(store.commit([write(jobs, 'sample-1', {})])).rejects.toMatchObject({ code: 'unavailable' });
    await until('it is known to fail', async () => (await probe()) === 'error');
    answer = undefined;
    await expect(store.read(jobs, ['sample-1'])).rejects.toMatchObject({ code: 'unavailable' });
    await until('it is known to be silent', () => {
      try {
        store.assertAvailable();
        return false;
      } catch (error) {
        return String(error).includes('cannot be reached');
      }
    });
    const before = fake.commands.length;
    for (let turn = 0; turn < 20; turn++) {
      await expect(store.read(jobs, ['sample-2'])).rejects.toMatchObject({ code: 'unavailable' });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(fake.commands.slice(before).filter(([word]) => word === 'EVALSHA')).toEqual([]);
  });

  test('whose clock was changed is queried for its time, and receives the write again', async () => {
    let staleWrites = 1;
    fake = await startEmptyStore((command) => {
      if (isCheck(command)) return healthy;
      return staleWrites-- > 0 ? '$5\r\nSTALE\r\n' : '*1\r\n:1\r\n';
    });
    const { store } = await stores.make(fake.url, { prefix: '' });
    await store.commit([write(jobs, 'sample-1', {})]);
    const writes = fake.commands.filter((command) => command.some((word) => word.startsWith('sample-1')));
    expect(writes).toHaveLength(2);
  });

  test('receives a deadline by its own clock', async () => {
    fake = await startEmptyStore((command) => (isCheck(command) ? healthy : '*1\r\n:1\r\n'));
    const { store } = await stores.make(fake.url, { prefix: '', timeoutMs: 400 });
    await store.commit([write(jobs, 'sample-1', {})]);
    const [deadline] =
      fake.commands.findLast((command) => command.some((word) => word.startsWith('sample-1')))?.slice(4) ??
      [];
    const seconds = Number(deadline) / 1e6;
    expect(seconds).toBeGreaterThan(1_000.3);
    expect(seconds).toBeLessThan(1_010);
  });
});

describe('a limiter whose store does not count', () => {
  const limit = 5;

  async function decisions(one: RedisStore, many: number): Promise<boolean[]> {
    const local = createMemoryRateLimiter({ limit, windowSeconds: 60, clock: systemClock });
    const limiter = one.rateLimiter({ limit, windowSeconds: 60, local });
    await one.start();
    const admitted: boolean[] = [];
    for (let turn = 0; turn < many; turn++) admitted.push((await limiter.consume('10.0.0.1')).admitted);
    return admitted;
  }

  const within = [true, true, true, true, true, false, false];

  test.each([...errorReplies, '+OK', '$-1', '*0', '*2\r\n$1\r\nx\r\n:1'])(
    'keeps the limit: %j',
    async (answer) => {
      fake = await startEmptyStore(([word]) => (word === 'PING' ? '+PONG\r\n' : `${answer}\r\n`));
      const one = stores.prepare(fake.url);
      const { logger } = one;
      expect(await decisions(one, 7)).toEqual(within);
      const lines = logger.lines.filter(({ message }) => message.startsWith('requests are limited'));
      expect(lines).toHaveLength(1);
      expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
    },
  );

  test('keeps the limit when the store does not reply, and waits before it tries again', async () => {
    fake = await startEmptyStore(([word]) => (word === 'PING' ? '+PONG\r\n' : undefined));
    const one = stores.prepare(fake.url);
    expect(await decisions(one, 7)).toEqual(within);
    const sent = fake.commands.filter((command) => command.some((word) => word.includes('10.0.0.1')));
    expect(sent).toHaveLength(1);
  });

  test('continues from what the store had admitted', async () => {
    let count = 0;
    fake = await startEmptyStore(([word]) => {
      if (word === 'PING') return '+PONG\r\n';
      count++;
      return count <= 3 ? `*2\r\n:${count}\r\n:59000\r\n` : '-OOM\r\n';
    });
    const one = stores.prepare(fake.url);
    expect(await decisions(one, 7)).toEqual(within);
  });
});
