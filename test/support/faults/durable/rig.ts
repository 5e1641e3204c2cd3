import { createRandom, type Random } from '../../../../src/adapters/evaluation/random.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { createEffectLog, type EffectLine, type EffectLog } from './effect-log.ts';
import { createFindings, type Findings } from './findings.ts';

/** The parts of a fault run. */
export interface Rig {
  readonly cluster: Cluster;
  readonly log: EffectLog;
  readonly findings: Findings;
  readonly random: Random;
  /** All lines of the log of side effects so far. */
  lines(): Promise<readonly EffectLine[]>;
}

/** Options of {@link withRig}. */
export interface RigOptions extends ClusterOptions {
  readonly seed: number;
  /** True where replicas count as gone after seconds. */
  readonly isQuick?: boolean;
  /** The names of the figures, in the order in which they are shown. */
  readonly figures?: readonly string[];
}

/** Settings with which a process loads the file that shortens the times of recovery. */
const quickRecovery = { NODE_OPTIONS: `--import ${new URL('../quick/preload.ts', import.meta.url).href}` };

/** Starts processes, does the work, stops them, and returns what was found. */
export async function withRig(options: RigOptions, work: (rig: Rig) => Promise<void>): Promise<Findings> {
  const { seed, isQuick = false, figures, settings } = options;
  const findings = createFindings(figures);
  const since = performance.now();
  const log = await createEffectLog();
  try {
    const cluster = await startCluster(log, {
      ...options,
      settings: { ...(isQuick ? quickRecovery : {}), ...settings },
    });
    try {
      const lines = async (): Promise<readonly EffectLine[]> => [...(await log.read()).values()].flat();
      await work({ cluster, log, findings, random: createRandom(seed), lines });
    } finally {
      await cluster.close();
    }
  } finally {
    await log.remove();
  }
  findings.add('seconds in all', Math.round((performance.now() - since) / 1_000));
  return findings;
}
