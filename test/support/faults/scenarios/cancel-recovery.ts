import { call } from '../calls.ts';
import type { StoreKind } from '../durable/cluster.ts';
import { type AcknowledgedRun, chainOf } from '../durable/load.ts';
import { type Findings, withRig } from '../durable/rig.ts';
import { sleep } from '../fleet.ts';
import { readRun } from '../oracle/verify.ts';
import { createRuns, type ScenarioOptions } from './runs.ts';

const BATCH = 10;

/** A cancel was accepted: the status of the run in the answer. */
interface Accepted {
  readonly run: AcknowledgedRun;
  readonly httpStatus: number;
  readonly runStatus: string;
}

/**
 * Cancels `count` runs while they are recovered after a kill. A cancel that is accepted ends its run as CANCELLED, and
 * one that comes too late changes nothing.
 */
export function runCancelRecovery(
  store: StoreKind,
  { seed, isQuick }: ScenarioOptions,
  count: number,
): Promise<Findings> {
  const slots = store === 'sqlite' ? 1 : 2;
  const settings = { CANCEL_GRACE_MS: '1000' };
  return withRig({ store, slots, seed, isQuick, settings }, async (rig) => {
    const { cluster, findings, random } = rig;
    const runs = createRuns(rig);
    const start = await runs.define(chainOf('chain', 30, 100));
    const accepted: Accepted[] = [];

    async function cancel(run: AcknowledgedRun, afterMs: number): Promise<void> {
      await sleep(afterMs);
      for (const until = Date.now() + 30_000; Date.now() < until; await sleep(30)) {
        const [life] = cluster.serving();
        if (life === undefined) continue;
        const { status, body } = await call(life, `/runs/${run.id}/cancel`, {});
        if (status !== 200 && status !== 202) continue;
        accepted.push({ run, httpStatus: status, runStatus: (body as { status: string }).status });
        return;
      }
      findings.violate('a cancel was not accepted', run);
    }

    for (let done = 0; done < count; done += BATCH) {
      await cluster.untilReady();
      const batch: AcknowledgedRun[] = [];
      for (const _ of Array(BATCH)) {
        const run = await start(random.pick(cluster.serving()));
        if (run !== undefined) batch.push(run);
      }
      await sleep(random.next() * 400);
      const killed = cluster.life(Math.floor(random.next() * slots));
      await killed.kill();
      findings.add('kills');
      // With SQLite the recovery begins with the next start, with the others when the replica counts as gone.
      const recoveryMs = store === 'sqlite' ? 1_200 : isQuick ? 4_500 : 27_000;
      await Promise.all(batch.map((run) => cancel(run, random.next() * recoveryMs)));
    }
    await runs.verify('crash');
    for (const { run, httpStatus, runStatus } of accepted) {
      const { record, events } = await readRun(cluster, run.id);
      const example = { httpStatus, runStatus, record, events };
      findings.add(`cancels answered ${httpStatus}`);
      if (httpStatus === 202 && record.status !== 'CANCELLED')
        findings.violate('a cancel that was accepted did not end its run', example);
      if (httpStatus === 200 && record.status !== runStatus)
        findings.violate('a late cancel changed a run', example);
    }
    findings.atLeast('cancels answered 202', count / 4);
  });
}
