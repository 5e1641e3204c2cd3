import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import { createNodeRedisClient, Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bodyOf, postJson, startService } from '../support/process/service.ts';
import { type RedisServer, startRedisServer } from '../support/redis/server.ts';
import { checkChange, sameRuns } from '../support/schedule-replicas/daylight-saving.ts';
import { killAtFire } from '../support/schedule-replicas/kill.ts';
import { outcomeOf, timeOf, untilQuiet } from '../support/schedule-replicas/outcome.ts';
import { openReplica, type Replica, type ReplicaOptions } from '../support/schedule-replicas/replica.ts';
import { until } from '../support/until.ts';

const opened: Replica[] = [];
let server: RedisServer;
let place: { readonly url: string; readonly prefix: string };

beforeAll(async () => {
  server = await startRedisServer();
});
beforeEach(() => {
  place = { url: server.url, prefix: `test-${randomUUID()}:` };
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((replica) => replica.close()));
});
afterAll(() => server.close());

/** A time without a change of clocks, on the hour. */
const NOON = Date.UTC(2030, 0, 15, 12);

/** A time at which nothing is due yet, however slow the machine. */
const EARLY = NOON - 600_000;

/** Longer than a process may take to create a run, in milliseconds. */
const LEASE_MS = 31_000;

async function open(now: number, options: Partial<ReplicaOptions> = {}): Promise<Replica> {
  const replica = await openReplica({ place, now, ...options });
  opened.push(replica);
  return replica;
}

/** Two replicas with a schedule that fires at each full hour, whose clocks show a time shortly before noon. */
async function openTwo(now: number) {
  const [one, two] = await Promise.all([open(EARLY), open(EARLY)]);
  const { schedule } = await one.schedules.create({ workflowId: await one.define(), cron: '0 * * * *' });
  one.start();
  two.start();
  for (const { clock } of [one, two]) clock.moveTo(now);
  return { one, two, schedule, replicas: [one, two] };
}

const key = (name: string) => `${place.prefix}queue:fires:${name}`;
const untilQueued = (scheduleId: string) =>
  until('the fire is queued', async () => {
    return (await server.keys(key(`de:${JSON.stringify(scheduleId)}-${NOON}`))).length > 0;
  });

/** Expects one run, of the fire time at noon. */
async function expectOneRun(
  replicas: readonly Replica[],
  schedule: { readonly scheduleId: string; readonly workflowId: string },
) {
  await untilQuiet(replicas, NOON);
  const outcome = await outcomeOf(replicas, schedule);
  expect(outcome).toEqual({ fired: [timeOf(NOON)], skipped: [], ...sameRuns(outcome, 1) });
  return outcome;
}

describe('two replicas start one run for each fire time', () => {
  test.each([
    { timezone: 'Europe/Berlin', day: '2030-03-31', before: 1, after: 3 },
    { timezone: 'Europe/Berlin', day: '2030-10-27', before: 1, after: 3 },
    { timezone: 'America/New_York', day: '2030-03-10', before: -5, after: 9 },
    { timezone: 'America/New_York', day: '2030-11-03', before: -4, after: 8 },
  ])('while the clocks change in $timezone on $day', async ({ before, after, ...change }) => {
    await checkChange(server.url, change, { before, after });
  });

  test('when Redis is away at the time', async () => {
    const { replicas, schedule } = await openTwo(NOON - 4_000);
    await untilQueued(schedule.scheduleId);
    await server.kill();
    await until('the time has passed', () => replicas.every(({ clock }) => clock.now() > NOON + 2_000));
    await server.restart();
    await until('a run is told', () => replicas.some(({ events }) => events.some(isFired)), 50_000);
    await expectOneRun(replicas, schedule);
  });

  test('when its job is deleted by hand, with the next look at all schedules', async () => {
    const { one, two, replicas, schedule } = await openTwo(NOON - 20_000);
    await untilQueued(schedule.scheduleId);
    const keys = await server.keys(key(''));
    await server.command('DEL', ...keys);
    for (const { clock } of [one, two]) clock.moveTo(NOON + 31_000);
    await until('a run is told', () => replicas.some(({ events }) => events.some(isFired)));
    await expectOneRun(replicas, schedule);
  });

  test('when there are many jobs for it', async () => {
    const { replicas, schedule } = await openTwo(NOON - 1_500);
    const { scheduleId } = schedule;
    const raw = createClient({ url: server.url });
    const connection = createNodeRedisClient(raw);
    const queue = new Queue('fires', { connection, prefix: `${place.prefix}queue`, skipVersionCheck: true });
    const options = { removeOnComplete: true, removeOnFail: true };
    for (const delay of [0, 0, 200, 1_400, 1_500, 1_500, 1_500, 1_510, 1_600, 2_000, 2_500, 3_000]) {
      await queue.add('fire', { id: scheduleId }, { ...options, delay });
    }
    await until('all have woken', async () => {
      const left = await queue.getJobCounts('delayed', 'wait', 'active');
      return Object.values(left).every((count) => count === 0);
    });
    await queue.close();
    raw.destroy();
    await expectOneRun(replicas, schedule);
  });

  test('when both are told to look after it at the same time, again and again', async () => {
    const { one, two, replicas, schedule } = await openTwo(NOON - 20_000);
    for (let round = 0; round < 5; round++) {
      for (const { clock } of [one, two]) clock.moveTo(Math.max(clock.now(), NOON + 31_000 * round));
      await untilQuiet(replicas, NOON);
    }
    await expectOneRun(replicas, schedule);
  });
});

test('the service puts the next fire of a schedule into the queue that its replicas share', async () => {
  const { url, prefix } = place;
  const service = await startService({ TRACE_BACKEND: 'kvstore', KVSTORE_URL: url, KVSTORE_PREFIX: prefix });
  try {
    const steps = [{ id: 'policy', tool_name: 'refund_policy' }];
    const workflow = await postJson(`${service.baseUrl}/workflows`, { name: 'sample', steps });
    const { id: workflow_id } = await bodyOf<{ id: string }>(workflow);
    const reply = await postJson(`${service.baseUrl}/schedules`, { workflow_id, cron: '* * * * *' });
    expect(reply.status).toBe(201);
    const schedule = await bodyOf<{ schedule_id: string; next_fire_at: string }>(reply);
    const job = `de:${JSON.stringify(schedule.schedule_id)}-${Date.parse(schedule.next_fire_at)}`;
    await until('the fire is queued', async () => (await server.keys(key(job))).length > 0);
  } finally {
    await service.stop();
  }
});

describe('a replica that is gone', { timeout: 180_000 }, () => {
  test.each(['before', 'after'] as const)(
    '%s it has created the run of a fire: another one goes on',
    async (when) => {
      const one = await open(EARLY);
      const { schedule } = await one.schedules.create({ workflowId: await one.define(), cron: '0 * * * *' });
      const runId = await killAtFire(place, NOON - 1_000, when);
      expect((await one.schedules.get(schedule.scheduleId)).fires).toMatchObject([
        { runId, status: 'starting' },
      ]);
      const two = await open(NOON + 3_000);
      for (const replica of [one, two]) {
        replica.clock.moveTo(NOON + 2 * LEASE_MS);
        replica.start();
      }
      const { stored } = await expectOneRun([one, two], schedule);
      expect(stored).toEqual([runId]);
    },
  );

  test('only seemed to be: what it still does starts no second run', async () => {
    const goesOn = Promise.withResolvers<void>();
    const isCreating = Promise.withResolvers<void>();
    const one = await open(EARLY, {
      logOf: (log) => ({
        ...log,
        async create(run) {
          isCreating.resolve();
          await goesOn.promise;
          return log.create(run);
        },
      }),
    });
    const { schedule } = await one.schedules.create({ workflowId: await one.define(), cron: '0 * * * *' });
    one.clock.moveTo(NOON - 1_000);
    one.start();
    await isCreating.promise;
    const two = await open(NOON + 2 * LEASE_MS);
    two.start();
    await until('the other has started it', () => two.events.some(isFired));
    goesOn.resolve();
    one.clock.moveTo(NOON + 2 * LEASE_MS);
    await until('its fire is known to be started', async () => {
      const { fires } = await one.schedules.get(schedule.scheduleId);
      return fires.every(({ status }) => status === 'started');
    });
    await expectOneRun([one, two], schedule);
  });
});

const isFired = ({ type }: { readonly type: string }) => type === 'schedule.fired';
