import { createRandom } from '../../../../src/adapters/evaluation/random.ts';
import { verifyAll } from '../oracle/verify.ts';
import type { StoreKind } from './cluster.ts';
import type { Findings } from './findings.ts';
import { startLoad } from './load.ts';
import { killOne, killReplicas } from './plan.ts';
import { withRig } from './rig.ts';

/** Options of {@link runDurableFaults}. */
export interface DurableFaultOptions {
  readonly store: StoreKind;
  readonly seed: number;
  readonly kills: number;
  /** The number of suspensions of a replica for longer than the time after which it counts as gone; 0 with SQLite. */
  readonly freezes: number;
  /** True where replicas count as gone after seconds, so that few kills take little time. */
  readonly isQuick?: boolean;
  readonly callers?: number;
  readonly onKill?: (count: number) => void;
}

/** The figures in the order in which they are shown. */
const names = [
  ...['kills', 'of these, two at once', 'kills before the process was ready', 'suspensions'],
  ...['acknowledged runs', 'runs without an answer', 'runs that ended COMPLETED', 'runs that ended FAILED'],
  ...['recovered runs', 'recoveries', 'parked runs', 'write steps of unknown outcome'],
  ...['steps', 'calls of tools and agents', 'repeated read and idempotent steps', 'events'],
];

/**
 * Kills processes that run durable runs at random times under load, and compares what they promised, what they stored,
 * and what the steps did according to a log of their own.
 */
export async function runDurableFaults(options: DurableFaultOptions): Promise<Findings> {
  const { store, seed, kills, freezes, isQuick = false, callers = 20, onKill = () => undefined } = options;
  const rig = {
    store,
    seed,
    isQuick,
    slots: store === 'sqlite' ? 1 : 3,
    figures: names,
    restartDelay: () => (store === 'sqlite' ? 0 : Math.random() * 1_500),
  };
  return withRig(rig, async ({ cluster, log, findings, random }) => {
    // The load has a generator of its own, so that it does not change the plan.
    const load = await startLoad(cluster, findings, { random: createRandom(seed + 1), callers, stepMs: 50 });
    const plan = {
      kills,
      random,
      freezes,
      onKill,
      acknowledged: () => load.acknowledged.length,
      quietMs: isQuick ? ([3_000, 5_000] as const) : ([20_000, 34_000] as const),
      freezeMs: isQuick ? ([4_000, 6_000] as const) : ([25_000, 30_000] as const),
    };
    await (store === 'sqlite' ? killOne : killReplicas)(cluster, findings, plan);
    await load.stop();
    const { acknowledged, works } = load;
    await verifyAll(cluster, { acknowledged, works, readLines: log.read, losses: 'crash' }, findings);
    verifyMinimums(findings, kills);
  });
}

/** The share of calls of processes that went on which must succeed. */
const MIN_SUCCESS = 0.9;

/** A run in which nothing happens must not pass. */
function verifyMinimums(findings: Findings, kills: number): void {
  findings.atLeast('kills', kills);
  // The faults that few kills meet depend on chance, and on the load of the machine.
  const expected = kills < 50 ? Math.floor(kills / 3) : kills;
  findings.atLeast('acknowledged runs', 5 * expected);
  findings.atLeast('runs that ended COMPLETED', 3 * expected);
  findings.atLeast('recovered runs', expected);
  findings.atLeast('repeated read and idempotent steps', expected);
  findings.atLeast('write steps of unknown outcome', Math.floor(expected / 4));
  const calls = findings.figures.get('calls of processes that went on') ?? 0;
  findings.atLeast('of these, answered 2xx', MIN_SUCCESS * calls);
}
