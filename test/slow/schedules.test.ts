import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, postJson, type Service } from '../support/process/service.ts';
import { define, type Services, startServices, work } from '../support/process/services.ts';
import { type RedisServer, startRedisServer } from '../support/redis/server.ts';
import { checkChange } from '../support/schedule-replicas/daylight-saving.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;

describe('two replicas over a change of the clocks', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.close());

  test.each([
    { timezone: 'Europe/Berlin', day: '2030-03-31' },
    { timezone: 'Europe/Berlin', day: '2030-10-27' },
    { timezone: 'America/New_York', day: '2030-03-10' },
    { timezone: 'America/New_York', day: '2030-11-03' },
    { timezone: 'Australia/Lord_Howe', day: '2030-04-07' },
    { timezone: 'Australia/Lord_Howe', day: '2030-10-06' },
    { timezone: 'Africa/Cairo', day: '2030-04-26' },
    { timezone: 'Africa/Cairo', day: '2030-10-31' },
  ])(
    'start one run for each fire time of two days in $timezone, $day',
    async (change) => {
      await checkChange(server.url, change, { before: 16, after: 32 });
    },
    600_000,
  );
});

interface Execution {
  readonly execution_id: string;
  readonly status: string;
  readonly created_at: string;
}

/** The executions of a workflow, oldest first; none while the store is away. */
async function runsOf({ baseUrl }: Service, workflowId: string): Promise<readonly Execution[]> {
  const reply = await fetch(`${baseUrl}/workflows/${workflowId}/runs`);
  if (!reply.ok) return [];
  return (await bodyOf<{ executions: Execution[] }>(reply)).executions.toReversed();
}

describe('two processes of the service', () => {
  let services: Services;

  beforeAll(async () => {
    services = await startServices('redis');
  });
  afterAll(() => services.close());

  test('start one run each minute, while Redis is away, its jobs are deleted, and one of them is killed', async () => {
    const { one, two, store } = services;
    const workflow = await define(two, work('only'));
    const draft = { workflow_id: workflow, cron: '* * * * *', overlap: 'allow' };
    expect((await postJson(`${one.baseUrl}/schedules`, draft)).status).toBe(201);
    const first = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
    const untilTime = (time: number) => sleep(Math.max(0, time - Date.now()));
    const untilFired = (count: number) =>
      until(`${count} runs are stored`, async () => (await runsOf(two, workflow)).length >= count, 90_000);

    await untilFired(1);
    // Over the second fire time.
    await untilTime(first + MINUTE_MS - 2_000);
    await store.kill();
    await sleep(5_000);
    await store.restart();
    await untilFired(2);
    await untilTime(first + 2 * MINUTE_MS - 2_000);
    const keys = (await store.redis?.keys('')) ?? [];
    const ofQueue = keys.filter((key) => key.includes(':queue:fires:'));
    expect(ofQueue).not.toEqual([]);
    await store.redis?.command('DEL', ...ofQueue);
    await untilFired(3);
    await untilTime(first + 3 * MINUTE_MS - 1_500);
    one.process.kill('SIGKILL');
    await untilFired(4);
    await untilFired(5);

    await until('all runs have ended', async () =>
      (await runsOf(two, workflow)).every(({ status }) => status === 'COMPLETED'),
    );
    const runs = await runsOf(two, workflow);
    const minutes = runs.map(({ created_at }) => Math.floor((Date.parse(created_at) - first) / MINUTE_MS));
    expect(minutes).toEqual([0, 1, 2, 3, 4]);
    const calls = runs.map(({ execution_id }) => `${execution_id}:only`);
    expect((await services.calls()).toSorted()).toEqual(calls.toSorted());
  }, 600_000);
});
