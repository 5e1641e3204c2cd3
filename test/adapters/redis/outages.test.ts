import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import type { RedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { type SampleRecord, sample, summarizeSample } from '../../contracts/record-store.ts';
import { freePort, type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, until } from '../../support/redis/stores.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';
import {
  append,
  ended,
  endOf,
  newEndedRun,
  newRun,
  numbered,
  running,
  stepCompleted,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

const firstPage = { limit: 50, offset: 0 };
const samples = {
  name: 'sample',
  idOf: ({ id }: SampleRecord) => id,
  summarize: summarizeSample,
  lists: [],
};

function isAvailable(adapters: RedisAdapters): boolean {
  try {
    adapters.storage.assertAvailable();
    return true;
  } catch {
    return false;
  }
}

const untilAvailable = (adapters: RedisAdapters) =>
  until('the store is available', () => isAvailable(adapters));
const untilUnavailable = (adapters: RedisAdapters) =>
  until('the store is unavailable', () => !isAvailable(adapters));

/** The outcome of every operation of the store; `hangs` for one that takes longer than two seconds. */
async function outcomes(adapters: RedisAdapters): Promise<string[]> {
  const records = adapters.recordStore(samples);
  const all: Promise<unknown>[] = [
    records.put(sample(99)),
    records.get('sample-1'),
    records.list(firstPage),
    records.delete('sample-1'),
    adapters.runLog.create(newRun('execution-98')),
    append(adapters.runLog, 'execution-2', 1, [endOf()], ended()),
    adapters.runLog.get('execution-2'),
    adapters.runLog.read('execution-2', 0, 10),
    adapters.runLog.summary('execution-2'),
    adapters.runLog.list('workflow-1', {}, firstPage),
    adapters.runLog.listAll({}, { limit: 10 }),
    adapters.runLog.delete('execution-2'),
    adapters.runLog.signal('execution-2', { type: 'cancel', by: 'x', reason: null }),
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

const allUnavailable = Array.from({ length: 13 }, () => 'unavailable');

describe('a killed Redis', () => {
  test('makes all stores unavailable until it is available again', async () => {
    const { adapters } = await stores.make(server.url);
    const records = adapters.recordStore(samples);
    await records.put(sample(1));
    await server.kill();
    expect(await outcomes(adapters)).toEqual(allUnavailable);
    expect(() => adapters.storage.assertAvailable()).toThrow(
      expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 }),
    );
    expect(await adapters.probe()).toBe('error');
    await server.restart();
    await untilAvailable(adapters);
    expect(await adapters.probe()).toBe('ok');
    expect(await records.get('sample-1')).toMatchObject({ title: 'Sample 1' });
  });

  test('receives none of the writes that were sent meanwhile', async () => {
    const { adapters } = await stores.make(server.url);
    const records = adapters.recordStore(samples);
    await server.kill();
    const writes = Array.from({ length: 50 }, (_, number) => records.put(sample(number)));
    const settled = await Promise.allSettled(writes);
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    await server.restart();
    await untilAvailable(adapters);
    expect((await records.list(firstPage)).total).toBe(0);
  });

  test('is not needed at start', async () => {
    const port = await freePort();
    const { adapters, logger } = await stores.make(`redis://:s3cret@127.0.0.1:${port}`);
    expect(await outcomes(adapters)).toEqual(allUnavailable);
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'warn', reason: 'ECONNREFUSED' }));
    expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
  });

  test('is unavailable under a malformed address, which is not logged', async () => {
    const { adapters, logger } = await stores.make('redis://:s3cret@[not an address]');
    expect(await outcomes(adapters)).toEqual(allUnavailable);
    expect(logger.lines).toContainEqual(expect.objectContaining({ reason: 'ERR_INVALID_URL' }));
    expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
  });

  test('is connected to when it starts later', async () => {
    await server.kill();
    const { adapters } = await stores.make(server.url);
    expect(isAvailable(adapters)).toBe(false);
    await server.restart();
    await untilAvailable(adapters);
    await adapters.recordStore(samples).put(sample(1));
  });

  test('may have lost its data', async () => {
    const { adapters } = await stores.make(server.url);
    const records = adapters.recordStore(samples);
    await records.put(sample(1));
    await server.command('FLUSHALL');
    await server.command('SCRIPT', 'FLUSH');
    expect(await records.get('sample-1')).toBeUndefined();
    expect((await records.list(firstPage)).total).toBe(0);
    await records.put(sample(2));
    expect((await records.list(firstPage)).total).toBe(1);
  });
});

describe('a suspended Redis', () => {
  afterEach(() => server.thaw());

  test('makes all stores unavailable until it is resumed', async () => {
    const { adapters } = await stores.make(server.url);
    server.freeze();
    expect(await outcomes(adapters)).toEqual(allUnavailable);
    await untilUnavailable(adapters);
    expect(await outcomes(adapters)).toEqual(allUnavailable);
    server.thaw();
    await untilAvailable(adapters);
    expect(await outcomes(adapters)).toEqual(Array.from({ length: 13 }, () => 'served'));
  });

  test('does not execute writes that timed out meanwhile', async () => {
    const { adapters } = await stores.make(server.url);
    const records = adapters.recordStore(samples);
    await records.put(sample(1));
    server.freeze();
    await expect(records.put(sample(2))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(records.delete('sample-1')).rejects.toMatchObject({ code: 'unavailable' });
    await untilUnavailable(adapters);
    server.thaw();
    await untilAvailable(adapters);
    expect((await records.list(firstPage)).items.map(({ id }) => id)).toEqual(['sample-1']);
  });
});

describe('a Redis without free memory', () => {
  afterEach(() => server.command('CONFIG', 'SET', 'maxmemory', '0'));

  test('serves reads and deletions, and accepts writes again when it has memory', async () => {
    const { adapters } = await stores.make(server.url);
    const records = adapters.recordStore(samples);
    await records.put(sample(1));
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(records.put(sample(2))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(records.put(sample(1, { title: 'Replaced' }))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await untilUnavailable(adapters);
    expect(await records.get('sample-1')).toMatchObject({ title: 'Sample 1' });
    expect((await records.list(firstPage)).total).toBe(1);
    expect(await records.delete('sample-1')).toBe(true);
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await untilAvailable(adapters);
    await records.put(sample(3));
    expect((await records.list(firstPage)).items.map(({ id }) => id)).toEqual(['sample-3']);
  });
});

describe('a Redis with a password', () => {
  test('is unavailable with a wrong password, which is never logged', async () => {
    const guarded = await startRedisServer({ password: 'right-s3cret' });
    try {
      const at = `127.0.0.1:${guarded.port}`;
      const urls = [`redis://:wrong-s3cret@${at}`, `redis://user:wrong-s3cret@${at}`, `redis://${at}`];
      for (const url of urls) {
        const { adapters, logger } = await stores.make(url);
        expect(await outcomes(adapters)).toEqual(allUnavailable);
        expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
        expect(logger.lines[0]?.['reason']).toMatch(/^(WRONGPASS|NOAUTH)$/);
      }
      const { adapters } = await stores.make(`redis://:right-s3cret@${at}`);
      await adapters.recordStore(samples).put(sample(1));
    } finally {
      await guarded.close();
    }
  });

  test('is reconnected to when it was suspended during the authentication', async () => {
    const guarded = await startRedisServer({ password: 's3cret' });
    try {
      guarded.freeze();
      const { adapters } = await stores.make(`redis://:s3cret@127.0.0.1:${guarded.port}`);
      expect(await outcomes(adapters)).toEqual(allUnavailable);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      guarded.thaw();
      await untilAvailable(adapters);
      await adapters.recordStore(samples).put(sample(1));
    } finally {
      guarded.thaw();
      await guarded.close();
    }
  });
});

describe('a buffered record', () => {
  test('can be read from the buffer, and is stored when the store is available again', async () => {
    const { adapters, logger } = await stores.make(server.url);
    const traces = adapters.bufferedRecordStore(samples);
    await traces.put(sample(1));
    await server.kill();
    await traces.put(sample(2));
    await traces.put(sample(3));
    await traces.put(sample(2, { title: 'Replaced' }));
    expect(await traces.get('sample-2')).toMatchObject({ title: 'Replaced' });
    expect(await traces.get('sample-3')).toEqual(expect.objectContaining({ title: 'Sample 3' }));
    await expect(traces.get('sample-1')).rejects.toMatchObject({ code: 'unavailable' });
    await server.restart();
    await until('all is stored', async () => {
      return isAvailable(adapters) && (await traces.list(firstPage)).total === 3;
    });
    expect((await traces.list(firstPage)).items.map(({ title }) => title)).toEqual([
      'Sample 3',
      'Replaced',
      'Sample 1',
    ]);
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('is stored once by a store that was suspended', async () => {
    const { adapters } = await stores.make(server.url);
    const traces = adapters.bufferedRecordStore(samples);
    server.freeze();
    try {
      await Promise.all([1, 2, 3].map((number) => traces.put(sample(number))));
      expect(await traces.get('sample-2')).toMatchObject({ title: 'Sample 2' });
    } finally {
      server.thaw();
    }
    await until('all is stored', async () => {
      return isAvailable(adapters) && (await traces.list(firstPage)).total === 3;
    });
  });

  test('is dropped and logged when the buffer is full, the oldest first', async () => {
    const bounds = { maxItems: 3, maxBytes: 1_000_000 };
    const { adapters, logger } = await stores.make(server.url, { writeBuffer: bounds });
    const traces = adapters.bufferedRecordStore(samples);
    await server.kill();
    await untilUnavailable(adapters);
    for (const number of [1, 2, 3, 4, 5]) await traces.put(sample(number));
    await traces.put(sample(6, { body: 'x'.repeat(400_000) }));
    for (const lost of [1, 2, 3]) await expect(traces.get(`sample-${lost}`)).rejects.toThrow();
    for (const kept of [4, 5, 6]) expect(await traces.get(`sample-${kept}`)).toBeDefined();
    await traces.put(sample(7, { body: 'x'.repeat(400_000) }));
    await expect(traces.get('sample-6')).rejects.toThrow();
    const losses = logger.lines.filter(({ message }) => message.includes('lost'));
    expect(losses).toEqual([expect.objectContaining({ level: 'warn', id: 'sample-1', reason: 'FULL' })]);
    await server.restart();
    await until('the rest is stored', async () => {
      return isAvailable(adapters) && (await traces.list(firstPage)).total === 1;
    });
  });

  test('takes no space once it is stored, or when it is put again', async () => {
    const { adapters } = await stores.make(server.url, { writeBuffer: { maxItems: 10, maxBytes: 300_000 } });
    const traces = adapters.bufferedRecordStore(samples);
    const body = 'x'.repeat(20_000);
    for (let number = 0; number < 30; number++) await traces.put(sample(number, { body }));
    await server.kill();
    await untilUnavailable(adapters);
    for (let turn = 0; turn < 5; turn++) await traces.put(sample(31));
    await traces.put(sample(32));
    expect(await traces.get('sample-31')).toBeDefined();
    await server.restart();
    await until('all is stored', async () => {
      return isAvailable(adapters) && (await traces.list(firstPage)).total === 32;
    });
  });

  test('is stored at shutdown where the store is available', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const traces = adapters.bufferedRecordStore(samples);
    server.freeze();
    try {
      await traces.put(sample(1));
    } finally {
      server.thaw();
    }
    await untilAvailable(adapters);
    await adapters.close();
    expect(await server.keys(`${prefix}sample`)).toEqual([`${prefix}sample:sample-1`]);
  });
});

describe('the log of a run whose store becomes unavailable', () => {
  test.each(['killed', 'suspended'])('is complete when the store is available again: %s', async (how) => {
    const { adapters } = await stores.make(server.url);
    const log = adapters.runLog;
    await log.create(newRun('a'));
    await append(log, 'a', 1, [stepStarted('step-0')], running());
    if (how === 'killed') await server.kill();
    else server.freeze();
    const drafts = Array.from({ length: 200 }, (_, index) => stepCompleted(`step-${index}`, { index }));
    for (const [index, draft] of drafts.entries()) {
      expect(await append(log, 'a', 2 + index, [draft], running())).toBe('appended');
    }
    const waiting = log.changed('a', 202, new AbortController().signal);
    expect(await append(log, 'a', 202, [endOf()], ended())).toBe('appended');
    await waiting;
    await expect(log.get('a')).rejects.toMatchObject({ code: 'unavailable' });
    if (how === 'killed') await server.restart();
    else server.thaw();
    await until('the end is stored', async () => {
      return isAvailable(adapters) && (await log.summary('a'))?.status === 'COMPLETED';
    });
    const events = (await log.get('a'))?.events;
    expect(events?.slice(1)).toEqual(numbered(2, [stepStarted('step-0'), ...drafts, endOf()]));
  });

  test('refuses what does not fit into the buffer, and keeps what does', async () => {
    const writeBuffer = { maxItems: 10, maxBytes: 2_000_000 };
    const { adapters } = await stores.make(server.url, { writeBuffer });
    const log = adapters.runLog;
    await log.create(newRun('a'));
    await server.kill();
    await untilUnavailable(adapters);
    const large = stepCompleted('step-0', { text: 'x'.repeat(900_000) });
    expect(await append(log, 'a', 1, [large], running())).toBe('appended');
    await expect(append(log, 'a', 2, [large], running())).rejects.toMatchObject({ code: 'unavailable' });
    await server.restart();
    await untilAvailable(adapters);
    expect(await append(log, 'a', 2, [endOf()], ended())).toBe('appended');
    expect((await log.get('a'))?.events).toHaveLength(3);
  });

  test('refuses appends of runs that are not active here, and writes none of them later', async () => {
    const { adapters } = await stores.make(server.url);
    const log = adapters.runLog;
    await log.create(newEndedRun('a'));
    server.freeze();
    try {
      const retry = append(log, 'a', 2, [stepStarted('step-0')], running(2));
      await expect(retry).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      server.thaw();
    }
    await untilAvailable(adapters);
    expect(await log.read('a', 0, 10)).toMatchObject({ lastSeq: 2, ended: true });
  });

  test('continues without its record after the store has lost its data', async () => {
    const { adapters } = await stores.make(server.url);
    const log = adapters.runLog;
    await log.create(newRun('a'));
    await server.command('FLUSHALL');
    await server.command('SCRIPT', 'FLUSH');
    expect(await append(log, 'a', 1, [stepStarted('step-0')], running())).toBe('appended');
    expect(await append(log, 'a', 2, [endOf()], ended())).toBe('appended');
    expect(await log.get('a')).toBeUndefined();
  });
});

describe('a slow Redis', () => {
  test('is available while commands stay within their timeout', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const { adapters } = await stores.make(`redis://127.0.0.1:${proxy.port}`);
      const records = adapters.recordStore(samples);
      proxy.setDelay(150);
      await records.put(sample(1));
      expect(await records.get('sample-1')).toMatchObject({ title: 'Sample 1' });
      proxy.setDelay(3_000);
      expect(await outcomes(adapters)).toEqual(allUnavailable);
      await untilUnavailable(adapters);
      proxy.setDelay(0);
      await untilAvailable(adapters);
      expect((await records.list(firstPage)).items.map(({ id }) => id)).toEqual(['sample-1']);
    } finally {
      await proxy.close();
    }
  });

  test('is reconnected to when the network drops all packets', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const { adapters } = await stores.make(`redis://127.0.0.1:${proxy.port}`);
      proxy.setMode('silent');
      expect(await outcomes(adapters)).toEqual(allUnavailable);
      await untilUnavailable(adapters);
      proxy.setMode('pass');
      await untilAvailable(adapters);
    } finally {
      await proxy.close();
    }
  });
});

describe('a limiter whose Redis becomes unavailable', () => {
  test('keeps the limit locally, and counts in Redis again when it is available', async () => {
    const { adapters, prefix, logger } = stores.prepare(server.url);
    const local = createMemoryRateLimiter({ limit: 3, windowSeconds: 60, clock: systemClock });
    const limiter = adapters.rateLimiter({ limit: 3, windowSeconds: 60, local });
    await adapters.start();
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 2 });
    await server.kill();
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 1 });
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 0 });
    expect(await limiter.consume('a')).toMatchObject({ admitted: false });
    await server.restart();
    await until('it counts in redis again', async () => {
      await limiter.consume('b');
      return (await server.keys(`${prefix}rate:b`)).length === 1;
    });
    expect(logger.lines.filter(({ message }) => message.startsWith('requests are limited'))).toHaveLength(1);
  });

  test('keeps the limit when Redis has no free memory', async () => {
    const { adapters } = stores.prepare(server.url);
    const local = createMemoryRateLimiter({ limit: 2, windowSeconds: 60, clock: systemClock });
    const limiter = adapters.rateLimiter({ limit: 2, windowSeconds: 60, local });
    await adapters.start();
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
