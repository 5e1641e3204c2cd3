import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BullmqQueueOptions } from '../../../src/adapters/redis/bullmq.ts';
import { type BullmqFireQueue, createBullmqFireQueue } from '../../../src/adapters/redis/bullmq.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { quickLocks } from '../../adapters/queue/queues.ts';
import { fireQueueContract } from '../../contracts/fire-queue.ts';
import { recordLogs } from '../../support/fakes.ts';
import { freePort, type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { until } from '../../support/until.ts';

const PASSWORD = 'canary-pass';
const created: BullmqFireQueue[] = [];
let server: RedisServer;
let url: string;

beforeAll(async () => {
  server = await startRedisServer({ password: PASSWORD });
  url = server.url.replace('redis://', `redis://:${PASSWORD}@`);
});
afterEach(async () => {
  await Promise.all(created.splice(0).map((adapter) => adapter.close()));
});
afterAll(() => server.close());

/** Nothing of BullMQ may be written to the console. */
const consoleSpies = (['log', 'warn', 'error', 'info'] as const).map((name) => vi.spyOn(console, name));
afterEach(() => {
  for (const spy of consoleSpies) expect(spy).not.toHaveBeenCalled();
});
afterAll(() => vi.restoreAllMocks());

/** A queue that is not started yet, with the schedules for which it has woken. */
function prepare(options: Partial<BullmqQueueOptions> = {}) {
  const prefix = options.prefix ?? `test-${randomUUID()}:`;
  const logger = recordLogs();
  const adapter = createBullmqFireQueue({
    url,
    timeoutMs: 1_000,
    clock: systemClock,
    logger,
    times: quickLocks,
    ...options,
    prefix,
  });
  created.push(adapter);
  const woken: string[] = [];
  const record = async (scheduleId: string) => void woken.push(scheduleId);
  return { adapter, queue: adapter.queue, prefix, logger, woken, record };
}

async function make(options: Partial<BullmqQueueOptions> = {}) {
  const under = prepare(options);
  under.queue.process(under.record);
  await under.adapter.start();
  return under;
}

const untilAdded = ({ queue }: BullmqFireQueue, scheduleId: string, at: number) =>
  until('it can be added', () =>
    queue.add({ scheduleId, at }).then(
      () => true,
      () => false,
    ),
  );

fireQueueContract('BullMQ', async () => {
  const { adapter } = prepare();
  await adapter.start();
  return adapter.queue;
});

describe('processes that share a queue of fires', () => {
  test('are woken one for each wake, whoever has added it', async () => {
    const one = await make();
    const two = await make({ prefix: one.prefix });
    const at = Date.now() + 300;
    const ids = Array.from({ length: 40 }, (_, index) => `schedule ${index}`);
    for (const { queue } of [one, two]) {
      await Promise.all(ids.map((scheduleId) => queue.add({ scheduleId, at })));
    }
    await until('all have woken', () => one.woken.length + two.woken.length >= ids.length);
    await until('no job is left', async () => (await jobsOf(one.prefix)).length === 0);
    expect([...one.woken, ...two.woken].toSorted()).toEqual(ids.toSorted());
  });

  test('have one delayed job for each schedule and time, which names both', async () => {
    const { queue, prefix } = await make();
    const at = Date.now() + 3_600_000;
    for (const scheduleId of ['a', 'b:c%', 'a']) await queue.add({ scheduleId, at });
    await queue.add({ scheduleId: 'a', at: at + 1 });
    expect(await jobsOf(prefix)).toEqual([`"a"-${at}`, `"a"-${at + 1}`, `"b:c%"-${at}`]);
    expect(await server.command('ZCARD', `${prefix}queue:fires:delayed`)).toBe(3);
    expect((await server.keys(prefix)).filter((key) => !key.startsWith(`${prefix}queue:fires:`))).toEqual([]);
  });

  test('leave what waits to the others when they close', async () => {
    const one = await make();
    await one.queue.add({ scheduleId: 'a', at: Date.now() + 3_000 });
    const two = await make({ prefix: one.prefix });
    await one.adapter.close();
    await until('the other has woken', () => two.woken.length === 1);
    expect(one.woken).toEqual([]);
  });

  test('are woken for what a process was woken for that has gone since', async () => {
    const one = prepare();
    one.queue.process(() => new Promise(() => undefined));
    await one.adapter.start();
    await one.queue.add({ scheduleId: 'a', at: Date.now() });
    await until('its job is under way', async () => (await lengthOf(one.prefix, 'active')) === 1);
    const closing = one.adapter.close();
    const two = await make({ prefix: one.prefix });
    await until('the other has woken', () => two.woken.length === 1);
    await closing;
  });

  test('are woken for a wake that is added again after its list was deleted by hand', async () => {
    const { queue, prefix, woken } = await make();
    const at = Date.now() + 3_000;
    await queue.add({ scheduleId: 'a', at });
    await server.command('DEL', `${prefix}queue:fires:delayed`, `${prefix}queue:fires:marker`);
    await queue.add({ scheduleId: 'a', at });
    await until('it has woken', () => woken.length === 1);
  });

  test('are not troubled by jobs without data', async () => {
    const { queue, prefix, woken } = await make();
    const at = Date.now() + 2_000;
    await queue.add({ scheduleId: 'a', at });
    const id = await server.command('GET', `${prefix}queue:fires:de:"a"-${at}`);
    await server.command('DEL', `${prefix}queue:fires:${id}`);
    await queue.add({ scheduleId: 'b', at });
    await until('the other has woken', () => woken.includes('b'));
  });
});

describe('a queue of fires whose Redis is away', () => {
  test('rejects wakes, and wakes after that for those that it has', async () => {
    const under = await make();
    const at = Date.now() + 3_000;
    await under.queue.add({ scheduleId: 'a', at });
    await server.kill();
    const failed = { code: 'unavailable', message: 'the queue of fires cannot be reached' };
    await until('it is noticed', () => under.logger.lines.length > 0);
    await expect(under.queue.add({ scheduleId: 'b', at })).rejects.toMatchObject(failed);
    await until('the time has passed', () => Date.now() > at + 100);
    expect(under.woken).toEqual([]);
    await server.restart();
    await until('it has woken', () => under.woken.includes('a'));
    await untilAdded(under.adapter, 'b', at);
    await until('it has woken', () => under.woken.includes('b'));
    expect(under.logger.lines[0]).toMatchObject({
      level: 'warn',
      message: 'the queue of fires is not available',
    });
    expect(JSON.stringify(under.logger.lines)).not.toContain(PASSWORD);
  });

  test('starts and closes', async () => {
    const under = prepare({ url: `redis://127.0.0.1:${await freePort()}` });
    await expect(under.queue.add({ scheduleId: 'a', at: 0 })).rejects.toMatchObject({ code: 'unavailable' });
    await under.adapter.start();
    under.queue.process(under.record);
    await expect(under.queue.add({ scheduleId: 'a', at: 0 })).rejects.toMatchObject({ code: 'unavailable' });
    await under.adapter.close();
    await expect(under.queue.add({ scheduleId: 'a', at: 0 })).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('refuses a malformed URL without showing it', () => {
    expect(() => prepare({ url: `redis://:${PASSWORD}@a:b` })).toThrow(
      new TypeError('url: must be a redis:// or rediss:// URL'),
    );
  });
});

/** The ids of the jobs in Redis, in order. */
async function jobsOf(prefix: string): Promise<readonly string[]> {
  const start = `${prefix}queue:fires:de:`;
  return (await server.keys(start)).map((key) => key.slice(start.length));
}

const lengthOf = (prefix: string, list: string) => server.command('LLEN', `${prefix}queue:fires:${list}`);
