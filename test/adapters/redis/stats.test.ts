import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../src/domain/stats/counters.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { StatsStore } from '../../../src/ports/storage/stats-store.ts';
import { countsOf, minuteAt, statsStoreContract } from '../../contracts/stats-store.ts';
import { createRedisEngine } from '../../support/redis/engine.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';
import { toolStep } from '../../support/workflow/graphs.ts';

let server: RedisServer;
const stores = createStoresFactory();

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

statsStoreContract('redis', async () => (await stores.make(server.url)).adapters.stats);

async function twoReplicas() {
  const first = await stores.make(server.url, quickTimes);
  const second = await stores.make(server.url, { ...quickTimes, prefix: first.prefix });
  return { first: first.adapters, second: second.adapters, prefix: first.prefix };
}

const addTimes = (store: StatsStore, minute: number, times: number): void => {
  for (let time = 0; time < times; time++) store.add(minuteAt(minute), 'messages.answered');
};

const answered = async (store: StatsStore, minute: number): Promise<number> =>
  (await countsOf(store, minute, minute + 1))[minute]?.['messages.answered'] ?? 0;

test('replicas read the same sums soon, and nothing is counted twice', async () => {
  const { first, second } = await twoReplicas();
  addTimes(first.stats, 0, 3);
  addTimes(second.stats, 0, 4);
  first.stats.setRunning(2);
  second.stats.setRunning(5);
  expect(await answered(first.stats, 0)).toBeGreaterThanOrEqual(3);
  for (const { stats } of [first, second]) {
    await until('the other counts arrive', async () => (await answered(stats, 0)) === 7);
    await until('the other runs arrive', async () => (await stats.read(0, 1)).running === 7);
  }
  addTimes(first.stats, 0, 1);
  await until('a further count arrives', async () => (await answered(second.stats, 0)) === 8);
  expect(await answered(first.stats, 0)).toBe(8);
});

test('the statistics of a replica have the runs of another one, each once', async () => {
  const one = await stores.make(server.url, quickTimes);
  const [runner, reader] = [
    createRedisEngine(one),
    createRedisEngine(await stores.make(server.url, { ...quickTimes, prefix: one.prefix })),
  ];
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  runner.tool('tool', async () => {
    entered.resolve();
    await gate.promise;
    throw new ToolError('out of stock', { permanent: true });
  });
  const { id } = await runner.define(toolStep('a'));
  const run = runner.workflows.run(id);
  await entered.promise;
  const read = () => reader.stats.read({ windowMs: 5 * MINUTE_MS, stepMs: MINUTE_MS });
  await until('the run is known to run', async () => (await read()).now.runs.running === 1);
  gate.resolve();
  await run;
  await until('the end of the run is known', async () => (await read()).totals.runs.failed === 1);
  const { totals, now, needs } = await read();
  expect(totals.runs).toEqual({ started: 1, completed: 0, failed: 1, cancelled: 0 });
  expect(totals.tools).toEqual({ calls: 1, errors: 1, not_found: 0 });
  expect(now.runs.running).toBe(0);
  await until('the failed run is shown', async () => (await read()).needs.failures.count === 1);
  expect(needs.overdue.count).toBe(0);
  await Promise.all([runner.close(0), reader.close(0)]);
});

test('a replica that closes leaves its counts and no running runs', async () => {
  const { first, second, prefix } = await twoReplicas();
  first.stats.setRunning(2);
  addTimes(first.stats, 0, 1);
  await until('they are known', async () => (await second.stats.read(0, 1)).running === 2);
  addTimes(first.stats, 1, 5);
  await first.close();
  expect(await answered(second.stats, 1)).toBe(5);
  expect((await second.stats.read(0, 1)).running).toBe(0);
  const key = `${prefix}stats:${minuteAt(1)}`;
  const ttl = Number(await server.command('PTTL', key));
  expect(ttl).toBeGreaterThan(24 * 3_600_000);
  expect(ttl).toBeLessThanOrEqual(25 * 3_600_000);
});

test('what is counted while the store is away arrives afterwards', async () => {
  const { first, second } = await twoReplicas();
  addTimes(first.stats, 0, 1);
  await until('the first count arrives', async () => (await answered(second.stats, 0)) === 1);
  await server.kill();
  await expect(first.stats.read(minuteAt(0), minuteAt(1))).rejects.toMatchObject({ code: 'unavailable' });
  for (let minute = 0; minute < 300; minute++) addTimes(first.stats, minute, 2);
  await server.restart();
  await until('the last count arrives', () =>
    answered(second.stats, 299).then(
      (count) => count === 2,
      () => false,
    ),
  );
  expect(await answered(second.stats, 0)).toBe(3);
  expect(Object.keys(await countsOf(second.stats, 0, 300))).toHaveLength(300);
});

test('a replica that counts nothing writes nothing', async () => {
  const { second, prefix } = await twoReplicas();
  await second.stats.read(minuteAt(0), minuteAt(10));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect((await server.keys(`${prefix}stats`)).length).toBe(0);
});

test('a write that arrives after a newer one changes nothing', async () => {
  const { first, second, prefix } = await twoReplicas();
  addTimes(first.stats, 0, 2);
  await until('it is written', async () => (await answered(second.stats, 0)) === 2);
  const key = `${prefix}stats:${minuteAt(0)}`;
  const [replica] = (await server.command('HKEYS', key)) as string[];
  // As if a newer write had come in between.
  await server.command('HSET', key, replica ?? '', '9 {"messages.answered":9}');
  addTimes(first.stats, 0, 1);
  addTimes(first.stats, 1, 1);
  await until('the next write is done', async () => (await answered(second.stats, 1)) === 1);
  expect(await answered(second.stats, 0)).toBe(9);
});

test('what other programs write, and replicas that are gone, count nothing', async () => {
  const { adapters, prefix } = await stores.make(server.url);
  const key = `${prefix}stats:${minuteAt(0)}`;
  for (const [replica, text] of [
    ['a', '3 {"tools.calls":3}'],
    ['b', 'no number {"tools.calls":'],
    ['c', '9 [1,2]'],
    ['d', '9 {"tools.calls":"many","tools.errors":-1,"new.name":4}'],
  ] as const)
    await server.command('HSET', key, replica, text);
  await server.command('HSET', `${prefix}stats-running`, 'gone', '7 1000000', 'odd', 'x');
  const { minutes, running } = await adapters.stats.read(minuteAt(0), minuteAt(0) + MINUTE_MS);
  expect(running).toBe(0);
  expect(minutes.length).toBeLessThanOrEqual(3);
  expect(await countsOf(adapters.stats, 0, 1)).toEqual({ 0: { 'tools.calls': 3 } });
});
