import type { SharedStoreKind } from '../../process/shared-store.ts';
import { chainOf, toolStep, type Work, type WorkStep } from '../durable/load.ts';
import { type Findings, withRig } from '../durable/rig.ts';
import { sleep } from '../fleet.ts';
import { readRun } from '../oracle/verify.ts';
import { createRuns, type ScenarioOptions } from './runs.ts';

/** A step that lasts longer than the suspension, between two short ones. */
const longWork = (effect: WorkStep['effect'], ms: number): Work => ({
  name: `long, ${effect}`,
  steps: [
    toolStep('before', 'read', 20),
    toolStep('long', effect, ms, 'before'),
    toolStep('after', 'read', 20, 'long'),
  ],
});

const EACH = 6;

/** The time after which the immediate work of a resumed process is over, in milliseconds. */
const THAWED_MS = 8_000;

/**
 * A replica is suspended for longer than the time after which it counts as gone, and its runs are taken over. When it
 * goes on, the signals of its tools are aborted, and it writes nothing to these runs unless it takes them over itself.
 */
export function runFrozenReplica(
  store: SharedStoreKind,
  { seed, isQuick }: ScenarioOptions,
): Promise<Findings> {
  const frozenMs = isQuick ? 7_000 : 40_000;
  return withRig({ store, slots: 3, seed, isQuick }, async (rig) => {
    const { cluster, findings, lines } = rig;
    const runs = createRuns(rig);
    const works = [
      longWork('idempotent', frozenMs + 5_000),
      longWork('write', frozenMs + 5_000),
      chainOf('short steps', 40, 250),
    ];
    for (const work of works) {
      const start = await runs.define(work);
      for (let count = 0; count < EACH; count++) await start(cluster.serving()[count % 3]);
    }
    const begun = async () => (await lines()).filter(({ what, step }) => what === 'begin' && step === 'long');
    while ((await begun()).length < 2 * EACH) await sleep(50);
    const calls = await begun();
    const of = (pid: number) => calls.filter((line) => line.pid === pid);
    // The replica with most of the long calls.
    const [life] = [...cluster.serving()].sort((one, other) => of(other.pid).length - of(one.pid).length);
    if (life === undefined) throw new Error('no replica serves');
    const abandoned = of(life.pid);
    /** Tells whether a process has taken over a run of that token between two times. */
    async function wasRecovered(token: string, from: number, until: number): Promise<boolean> {
      const run = runs.acknowledged.find((one) => one.token === token);
      const { events } = run === undefined ? { events: [] } : await readRun(cluster, run.id);
      return events.some(
        ({ type, at }) => type === 'execution.recovered' && Date.parse(at) >= from && Date.parse(at) <= until,
      );
    }
    life.freeze();
    await sleep(frozenMs);
    life.thaw();
    findings.add('suspensions');
    const thawedAt = Date.now();
    await sleep(THAWED_MS);
    const after = await lines();
    for (const call of abandoned) {
      findings.add('calls of the suspended replica');
      const aborted = after.find(({ what, mark }) => what === 'abort' && mark === call.mark);
      if (aborted === undefined) findings.violate('a tool of a run that was lost was not told to stop', call);
      else findings.max('longest time until its tools were told to stop, ms', aborted.at - thawedAt);
      const [last] = after
        .filter(({ what, step, token }) => what === 'begin' && step === 'long' && token === call.token)
        .slice(-1);
      if (call.effect === 'idempotent' && last?.pid === life.pid)
        findings.violate('the run of a suspended replica was not taken over', call);
    }
    const late = after.filter(
      ({ what, pid, at }) => what === 'begin' && pid === life.pid && at > thawedAt + THAWED_MS / 2,
    );
    for (const begin of late)
      if (!(await wasRecovered(begin.token, thawedAt, begin.at)))
        findings.violate('a suspended replica goes on with its old runs', begin);
    await runs.verify('crash');
    findings.atLeast('calls of the suspended replica', 2);
    findings.atLeast('recovered runs', 2);
  });
}
