import { createRandom } from '../../../../src/adapters/evaluation/random.ts';
import type { UnknownOutcomePolicy } from '../../../../src/domain/run/recover.ts';
import type { StoreKind } from '../../faults/durable/cluster.ts';
import type { Findings } from '../../faults/durable/findings.ts';
import { killOne, killReplicas } from '../../faults/durable/plan.ts';
import { withRig } from '../../faults/durable/rig.ts';
import { startLanguageLoad } from './load.ts';
import { verifyLanguage } from './verify.ts';

/** Options of {@link runLanguageFaults}. */
export interface LanguageFaultOptions {
  readonly store: StoreKind;
  readonly seed: number;
  readonly kills: number;
  readonly unknownOutcome: UnknownOutcomePolicy;
}

/**
 * Kills processes at random times while they run workflows with steps of each kind, and compares what is stored, what
 * the tools did, and what people were asked and have answered.
 */
export async function runLanguageFaults({
  store,
  seed,
  kills,
  unknownOutcome,
}: LanguageFaultOptions): Promise<Findings> {
  const settings = {
    RUN_UNKNOWN_OUTCOME: unknownOutcome,
    RUN_MAX_RECOVERIES: '100',
    MAX_BACKGROUND_RUNS: '6',
  };
  const rig = {
    store,
    seed,
    settings,
    isQuick: store === 'redis',
    slots: store === 'sqlite' ? 1 : 3,
    restartDelay: () => (store === 'sqlite' ? 0 : Math.random() * 1_000),
  };
  return withRig(rig, async ({ cluster, log, findings, random }) => {
    const load = await startLanguageLoad(cluster, findings, { random: createRandom(seed + 1), callers: 5 });
    const plan = {
      kills,
      random,
      freezes: 0,
      onKill: () => undefined,
      quietMs: [2_000, 4_000] as const,
      freezeMs: [0, 0] as const,
      acknowledged: () => load.acknowledged.length,
    };
    await (store === 'sqlite' ? killOne : killReplicas)(cluster, findings, plan);
    await load.stopRuns();
    await verifyLanguage({
      cluster,
      load,
      findings,
      unknownOutcome,
      readLines: log.read,
    });
    findings.atLeast('kills', kills);
    findings.atLeast('acknowledged runs', Math.min(kills, 10));
    findings.atLeast('answers that were accepted', 10);
  });
}
