import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createBullmqRunQueue } from '../../../src/adapters/redis/bullmq.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { createProcesses } from '../../adapters/queue/processes.ts';
import { createQueues, untilAdded } from '../../adapters/queue/queues.ts';
import { freePort, type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { until } from '../../support/until.ts';

const PASSWORD = 'canary-pass';
const queues = createQueues();
const processes = createProcesses();
let server: RedisServer;
let url: string;

beforeAll(async () => {
  server = await startRedisServer({ password: PASSWORD });
  url = server.url.replace('redis://', `redis://:${PASSWORD}@`);
});
afterEach(() => queues.closeAll());
afterAll(async () => {
  await processes.killAll();
  await server.close();
});

const disconnected = { code: 'unavailable', message: 'the run queue cannot be reached' };

/** Nothing of BullMQ may be written to the console. */
const consoleSpies = (['log', 'warn', 'error', 'info'] as const).map((name) => vi.spyOn(console, name));
afterEach(() => {
  for (const spy of consoleSpies) expect(spy).not.toHaveBeenCalled();
});
afterAll(() => vi.restoreAllMocks());

describe('a queue whose Redis is away', () => {
  test('rejects at its start, and starts runs once Redis is there', async () => {
    await server.kill();
    const under = queues.prepare(url);
    await under.adapter.start();
    await expect(under.queue.wake('a')).rejects.toMatchObject(disconnected);
    await expect(under.queue.enqueue('a', 1)).rejects.toMatchObject(disconnected);
    await expect(under.queue.remove('a')).rejects.toMatchObject(disconnected);
    expect(await under.queue.depth()).toBeGreaterThanOrEqual(0);
    await server.restart();
    await untilAdded(under, 'a');
    await until('it is started', () => under.started.includes('a'));
    expect(under.logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'the run queue is not available' }),
    );
    expect(under.logger.lines.length).toBeLessThan(6);
    expect(JSON.stringify(under.logger.lines)).not.toContain(PASSWORD);
  });

  test('starts every run that was added when Redis was killed while others were', async () => {
    const under = await queues.make(url, { maxRunning: 500 });
    const outcomes = Array.from({ length: 400 }, (_, index) => under.queue.wake(`run-${index}`));
    const settled = Promise.allSettled(outcomes);
    await outcomes[20];
    await server.kill();
    const added = (await settled).flatMap(({ status }, index) =>
      status === 'fulfilled' ? [`run-${index}`] : [],
    );
    await server.restart();
    for (const runId of under.started) under.end(runId);
    await until('all are started', () => added.every((runId) => under.started.includes(runId)));
  });

  test('goes on when Redis has lost everything', async () => {
    const under = await queues.make(url);
    await under.queue.wake('a');
    await until('it is started', () => under.started.includes('a'));
    await server.command('FLUSHALL');
    await server.kill();
    await server.restart();
    under.end('a');
    await untilAdded(under, 'b');
    await until('it is started', () => under.started.includes('b'));
  });

  test('rejects in time while Redis is frozen, and goes on after that', async () => {
    const under = await queues.make(url, { timeoutMs: 300 });
    await under.queue.wake('a');
    await until('it is started', () => under.started.includes('a'));
    server.freeze();
    try {
      await expect(under.queue.wake('b')).rejects.toMatchObject(disconnected);
      await expect(under.queue.wake('c')).rejects.toMatchObject(disconnected);
      await expect(under.queue.assertRoom(1)).resolves.toBeUndefined();
      under.end('a');
    } finally {
      server.thaw();
    }
    await untilAdded(under, 'c');
    await until('both are started', () => under.started.length === 3);
    expect([...under.started].sort()).toEqual(['a', 'b', 'c']);
  });

  test('does not flood a Redis that refuses commands, and goes on when it accepts them', async () => {
    const under = await queues.make(url, { maxRunning: 1 });
    for (const runId of ['a', 'b', 'c']) await under.queue.wake(runId);
    await until('one is started', () => under.started.length === 1);
    await server.command('REPLICAOF', '127.0.0.1', '1');
    try {
      under.end('a');
      await new Promise((resolve) => setTimeout(resolve, 500));
      const calls = await scriptCalls();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect((await scriptCalls()) - calls).toBeLessThan(50);
    } finally {
      await server.command('REPLICAOF', 'NO', 'ONE');
    }
    await until('the others are started', () => {
      if (under.running > 0) under.end(under.started.at(-1) ?? '');
      return under.started.includes('c');
    });
  });

  /** The number of scripts that the server has run. */
  async function scriptCalls(): Promise<number> {
    const stats = String(await server.command('INFO', 'commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  }

  test.each(['killed', 'frozen'])('closes when Redis is %s, with a run under way', async (how) => {
    const prefix = `test-${randomUUID()}:`;
    const process = await processes.start(url, prefix);
    const adder = await queues.makeAdder(url, prefix);
    await adder.queue.wake('hang');
    await process.untilLine('start hang');
    if (how === 'killed') await server.kill();
    else server.freeze();
    try {
      expect(await process.close()).toBe(0);
    } finally {
      if (how === 'killed') await server.restart();
      else server.thaw();
    }
    expect(process.lines).toEqual(['ready', 'start hang', 'closed']);
  });

  test('closes when Redis was never there', async () => {
    const process = await processes.start(`redis://127.0.0.1:${await freePort()}`, 'x:');
    expect(await process.close()).toBe(0);
    expect(process.lines).toEqual(['ready', 'closed']);
  });

  test('closes without a run under way', async () => {
    const process = await processes.start(url, `test-${randomUUID()}:`);
    expect(await process.close()).toBe(0);
    expect(process.lines).toEqual(['ready', 'closed']);
  });
});

describe('the options of a queue', () => {
  const create = (malformed: string) =>
    createBullmqRunQueue({
      url: malformed,
      prefix: 'x:',
      timeoutMs: 100,
      clock: systemClock,
      logger: silentLogger,
    });

  test.each([
    '',
    'x',
    'http://a',
    `redis//:${PASSWORD}@a`,
    `redis://:${PASSWORD}@a:b`,
    `redis://:${PASSWORD}%zz@a`,
    `redis://:${PASSWORD}@a/x`,
  ])('refuse the URL %j without showing it', (malformed) => {
    expect(() => create(malformed)).toThrow(new TypeError('url: must be a redis:// or rediss:// URL'));
  });

  test.each([`redis://:wrong-${PASSWORD}@`, `rediss://:${PASSWORD}@`])(
    'never show the password of %s',
    async (start) => {
      const under = queues.prepare(server.url.replace('redis://', start));
      await under.adapter.start();
      await expect(under.queue.wake('a')).rejects.toSatisfy((error: Error) => {
        return !JSON.stringify([error.message, error.stack, String(error.cause)]).includes(PASSWORD);
      });
      await until('it is logged', () => under.logger.lines.length > 0);
      expect(JSON.stringify(under.logger.lines)).not.toContain(PASSWORD);
    },
  );

  test.each(['', 'orchestration:', 'a b*:{x}:', 'ü'])('keep all keys below the prefix %j', async (given) => {
    const prefix = given === '' ? '' : `${given}${randomUUID()}:`;
    const before = new Set(await server.keys(''));
    const under = await queues.make(url, { prefix, maxRunning: 1 });
    for (const runId of ['a', 'b']) await under.queue.wake(runId);
    await until('one is started', () => under.started.length === 1);
    const keys = (await server.keys('')).filter((key) => !before.has(key));
    expect(keys).not.toEqual([]);
    expect(keys.filter((key) => !key.startsWith(`${prefix}queue:runs:`))).toEqual([]);
    for (const runId of ['a', 'b']) {
      await until('it is started', () => under.started.includes(runId));
      under.end(runId);
    }
  });

  test('warn of a server that may evict keys, once', async () => {
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      const under = await queues.make(url);
      await until('it is logged', () => under.logger.lines.length > 0);
      expect(under.logger.lines).toEqual([
        {
          level: 'warn',
          maxmemory_policy: 'allkeys-lru',
          times: 1,
          message: expect.stringContaining('set its maxmemory-policy to noeviction'),
        },
      ]);
    } finally {
      await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    }
  });
});
