import type { StoreKind } from '../durable/cluster.ts';
import { chainOf, toolStep, type Work } from '../durable/load.ts';
import { type Findings, withRig } from '../durable/rig.ts';
import { readRun } from '../oracle/verify.ts';
import { createRuns, type ScenarioOptions } from './runs.ts';

/** A step that kills its process after `ms` milliseconds, in a run that has done something before. */
const deadly = (ms: number): Work => ({
  name: 'deadly',
  steps: [
    toolStep('before', 'read', 20),
    { ...toolStep('dies', 'idempotent', ms, 'before'), isDeadly: true },
    toolStep('after', 'read', 20, 'dies'),
  ],
});

const OTHERS = 12;

/**
 * A tool ends its process, each time: its run is continued three times, then parked. The other runs complete. The tool
 * dies after `dyingMs` milliseconds: longer than a step of the others, so that they go on in between.
 */
export function runDeadlyTool(
  store: StoreKind,
  { seed, isQuick }: ScenarioOptions,
  dyingMs = 400,
): Promise<Findings> {
  const rig = { store, seed, isQuick, slots: store === 'sqlite' ? 1 : 3, mayDie: true };
  return withRig(rig, async (tools) => {
    const { cluster, findings } = tools;
    const runs = createRuns(tools);
    const [startOther, startDeadly] = [
      await runs.define(chainOf('other', 30, 100)),
      await runs.define(deadly(dyingMs)),
    ];
    for (let count = 0; count < OTHERS; count++) await startOther();
    const poisoned = await startDeadly();
    if (poisoned === undefined) return;
    const until = Date.now() + 240_000;
    while (Date.now() < until && cluster.lives.filter(({ exitedAt }) => exitedAt !== undefined).length < 4)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await runs.verify('crash');
    const { record } = await readRun(cluster, poisoned.id);
    const deaths = cluster.lives.filter(({ exitedAt }) => exitedAt !== undefined).length;
    findings.max('deaths', deaths);
    if (record.status !== 'FAILED' || record.error !== 'parked after 3 recoveries')
      findings.violate('a deadly run was not parked', record);
    if (deaths !== 4) findings.violate('a deadly run was not continued three times', { deaths, record });
    if ((findings.figures.get('runs that ended COMPLETED') ?? 0) !== OTHERS)
      findings.violate('other runs were harmed', [...findings.figures]);
  });
}
