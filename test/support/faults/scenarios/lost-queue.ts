import type { Findings } from '../durable/findings.ts';
import { type Rig, withRig } from '../durable/rig.ts';
import { chainOf } from '../durable/workflows.ts';
import { sleep } from '../fleet.ts';
import { createRuns, type Runs, type ScenarioOptions } from './runs.ts';

/** The beginning of the keys of the queue. */
const QUEUE = 'orchestration:queue:runs:';

const EACH = 40;

/** Starts runs of which most wait, because each process runs few at a time. */
async function startMany({ cluster, random }: Rig, runs: Runs): Promise<void> {
  const start = await runs.define(chainOf('chain', 8, 60));
  for (let count = 0; count < EACH; count++) await start(random.pick(cluster.serving()));
}

/** Deletes the keys of the queue by hand while runs wait and run. */
async function deleteQueue(rig: Rig, runs: Runs): Promise<void> {
  await startMany(rig, runs);
  const keys = (await rig.cluster.redis?.keys(QUEUE)) ?? [];
  rig.findings.add('keys of the queue deleted', keys.length);
  if (keys.length > 0) await rig.cluster.redis?.command('DEL', ...keys);
}

/** Puts the job of every run into the list of the waiting ones again: while it waits, while it is run, and late. */
async function doubleJobs(rig: Rig, runs: Runs): Promise<void> {
  const before = runs.acknowledged.length;
  await startMany(rig, runs);
  const ids = runs.acknowledged.slice(before).map(({ id }) => id);
  for (const waitMs of [0, 300, 1_500, 4_000]) {
    await sleep(waitMs);
    for (const id of ids) {
      // A job of its own for the same run, with all that a worker looks at.
      const jobId = `again.${waitMs}.${id}`;
      const data = JSON.stringify({ executionId: id });
      const fields = [
        'name',
        'run',
        'data',
        data,
        'opts',
        '{"attempts":1,"removeOnComplete":true,"removeOnFail":true}',
      ];
      const more = ['timestamp', String(Date.now()), 'delay', '0', 'priority', '0'];
      await rig.cluster.redis?.command('HSET', QUEUE + jobId, ...fields, ...more);
      await rig.cluster.redis?.command('LPUSH', `${QUEUE}wait`, jobId);
      rig.findings.add('jobs doubled or late');
    }
    // Wakes the workers, as an added job does.
    await rig.cluster.redis?.command('ZADD', `${QUEUE}marker`, '0', '0');
  }
}

/** Kills Redis while callers start runs, and starts it again. */
async function killStore(rig: Rig, runs: Runs): Promise<void> {
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
    await cluster.redis?.kill();
    findings.add('kills of Redis');
    await sleep(random.next() * 1_500);
    await cluster.redis?.restart();
  }
  await sleep(1_000);
  stopped = true;
  await Promise.all(callers);
}

/** The queue loses its keys, gets jobs twice and late, and Redis is killed during starts: every run ends, once. */
export function runLostQueue({ seed, isQuick }: ScenarioOptions): Promise<Findings> {
  const settings = { MAX_BACKGROUND_RUNS: '4' };
  return withRig({ store: 'redis', slots: 3, seed, isQuick, settings }, async (rig) => {
    const runs = createRuns(rig, { mayFail: true });
    for (const part of [deleteQueue, doubleJobs, killStore]) {
      await part(rig, runs);
      await rig.cluster.untilReady();
    }
    await runs.verify('both');
    const { findings } = rig;
    findings.atLeast('keys of the queue deleted', 1);
    findings.atLeast('acknowledged runs', 3 * EACH);
    findings.atLeast('runs that ended COMPLETED', 3 * EACH);
  });
}
