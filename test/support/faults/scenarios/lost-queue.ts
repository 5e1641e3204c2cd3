import type { SharedStoreKind } from '../../process/shared-store.ts';
import { chainOf } from '../durable/load.ts';
import { type Findings, type Rig, withRig } from '../durable/rig.ts';
import { sleep } from '../fleet.ts';
import { createRuns, type Runs, type ScenarioOptions } from './runs.ts';

const PREFIX = 'orchestration:';

/** The beginning of the keys of the queue in Redis. */
const QUEUE = `${PREFIX}queue:runs:`;

const EACH = 40;

/** Starts runs of which most wait, because each process runs few at a time. */
async function startMany({ cluster, random }: Rig, runs: Runs): Promise<void> {
  const start = await runs.define(chainOf('chain', 8, 60));
  for (let count = 0; count < EACH; count++) await start(random.pick(cluster.serving()));
}

/** Deletes the keys of the queue by hand while runs wait and run. */
async function deleteQueue(rig: Rig, runs: Runs): Promise<void> {
  await startMany(rig, runs);
  const redis = rig.cluster.server?.redis;
  const keys = (await redis?.keys(QUEUE)) ?? [];
  rig.findings.add('keys of the queue deleted', keys.length);
  if (keys.length > 0) await redis?.command('DEL', ...keys);
}

/** Puts the job of every run into the list of the waiting ones again: while it waits, while it is run, and late. */
async function doubleJobs(rig: Rig, runs: Runs): Promise<void> {
  const redis = rig.cluster.server?.redis;
  const before = runs.acknowledged.length;
  await startMany(rig, runs);
  const ids = runs.acknowledged.slice(before).map(({ id }) => id);
  for (const waitMs of [0, 300, 1_500, 4_000]) {
    await sleep(waitMs);
    for (const id of ids) {
      // A job of its own for the same run, with all that a worker looks at.
      const jobId = `again.${waitMs}.${id}`;
      const data = JSON.stringify({ id });
      const fields = [
        'name',
        'run',
        'data',
        data,
        'opts',
        '{"attempts":1,"removeOnComplete":true,"removeOnFail":true}',
      ];
      const more = ['timestamp', String(Date.now()), 'delay', '0', 'priority', '0'];
      await redis?.command('HSET', QUEUE + jobId, ...fields, ...more);
      await redis?.command('LPUSH', `${QUEUE}wait`, jobId);
      rig.findings.add('jobs doubled or late');
    }
    // Wakes the workers, as an added job does.
    await redis?.command('ZADD', `${QUEUE}marker`, '0', '0');
  }
}

/** Kills the server while callers start runs, and starts it again. */
async function killServer(rig: Rig, runs: Runs): Promise<void> {
  const { cluster, random, findings } = rig;
  const start = await runs.define(chainOf('chain', 8, 60));
  let stopped = false;
  const callers = Array.from({ length: 12 }, async () => {
    while (!stopped) {
      await start(random.pick(cluster.serving()));
      await sleep(20 + random.next() * 80);
    }
  });
  for (let kill = 0; kill < 4; kill++) {
    await sleep(500 + random.next() * 1_000);
    await cluster.server?.kill();
    findings.add('kills of the server');
    await sleep(random.next() * 1_500);
    await cluster.server?.restart();
  }
  await sleep(1_000);
  stopped = true;
  await Promise.all(callers);
}

/**
 * The server is killed during starts, and the queue of Redis loses its keys before and gets jobs twice and late: every
 * run ends, once.
 */
export function runLostQueue(store: SharedStoreKind, { seed, isQuick }: ScenarioOptions): Promise<Findings> {
  const settings = { MAX_BACKGROUND_RUNS: '4', KVSTORE_PREFIX: PREFIX };
  const parts = store === 'redis' ? [deleteQueue, doubleJobs, killServer] : [startMany, killServer];
  return withRig({ store, slots: 3, seed, isQuick, settings }, async (rig) => {
    const runs = createRuns(rig, { mayFail: true });
    for (const part of parts) {
      await part(rig, runs);
      await rig.cluster.untilReady();
    }
    await runs.verify('both');
    const { findings } = rig;
    const least = store === 'redis' ? 3 * EACH : EACH;
    if (store === 'redis') findings.atLeast('keys of the queue deleted', 1);
    findings.atLeast('acknowledged runs', least);
    findings.atLeast('runs that ended COMPLETED', least);
  });
}
