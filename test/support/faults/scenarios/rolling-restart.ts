import { createRandom } from '../../../../src/adapters/evaluation/random.ts';
import type { SharedStoreKind } from '../../process/shared-store.ts';
import { startLoad } from '../durable/load.ts';
import { type Findings, withRig } from '../durable/rig.ts';
import { verifyAll } from '../oracle/verify.ts';
import type { ScenarioOptions } from './runs.ts';

/** A run that is handed over goes on within this time: far less than the time after which a replica counts as gone. */
const MAX_PAUSE_MS = 10_000;

/**
 * Restarts three replicas one after the other under load, `rounds` times. No run fails, no recovery is counted, and no
 * call fails but with 503, or because its replica is down.
 */
export function runRollingRestart(
  store: SharedStoreKind,
  { seed, isQuick }: ScenarioOptions,
  rounds: number,
): Promise<Findings> {
  return withRig({ store, slots: 3, seed, isQuick }, async ({ cluster, log, findings }) => {
    const random = createRandom(seed + 1);
    const load = await startLoad(cluster, findings, { random, callers: 20, stepMs: 50, isRolling: true });
    for (let round = 0; round < rounds; round++) {
      for (let slot = 0; slot < 3; slot++) {
        const life = cluster.life(slot);
        const since = Date.now();
        await life.terminate();
        findings.add('restarts');
        findings.max('longest shutdown, ms', Date.now() - since);
        while (cluster.life(slot) === life) await new Promise((resolve) => setTimeout(resolve, 10));
        await cluster.untilReady();
      }
    }
    await load.stop();
    const { acknowledged, works } = load;
    const state = await verifyAll(
      cluster,
      { acknowledged, works, readLines: log.read, losses: 'hand-over' },
      findings,
    );
    // Whoever repeats a call whose connection broke would start the run twice.
    const unanswered = state.runs.size - acknowledged.length;
    if (unanswered > 0) findings.violate('a run was started whose call was not answered', unanswered);
    for (const { record, events } of state.runs.values()) {
      if (record.status !== 'COMPLETED') findings.violate('a run did not complete', record);
      for (const [index, { type, at }] of events.entries()) {
        const before = events[index - 1];
        if (type !== 'execution.recovered' || before === undefined) continue;
        const pause = Date.parse(at) - Date.parse(before.at);
        findings.max('longest pause of a run that was handed over, ms', pause);
        if (pause > MAX_PAUSE_MS) findings.violate('a run was not handed over', { record, before, at });
      }
    }
    findings.atLeast('runs that ended COMPLETED', 20 * rounds);
    findings.atLeast('recovered runs', 2 * rounds);
  });
}
