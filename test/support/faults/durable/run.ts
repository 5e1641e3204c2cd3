import { createRandom, type Random } from '../../../../src/adapters/evaluation/random.ts';
import { sleep } from '../fleet.ts';
import { verifyAll } from '../oracle/verify.ts';
import type { Cluster, StoreKind } from './cluster.ts';
import { startLoad } from './load.ts';
import { type Findings, withRig } from './rig.ts';

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

/** The plan of kills. */
interface KillOptions {
  readonly kills: number;
  readonly random: Random;
  /** Milliseconds without kills between two bursts, in which other replicas take runs over; minimum and maximum. */
  readonly quietMs: readonly [number, number];
  /** The number of suspensions of a replica. */
  readonly freezes: number;
  /** For how long, in milliseconds; minimum and maximum. */
  readonly freezeMs: readonly [number, number];
  readonly onKill: (count: number) => void;
  /** The number of runs that were acknowledged so far. */
  readonly acknowledged: () => number;
}

/** Waits for work to be under way, for at most this long. */
const BUSY_WITHIN_MS = 15_000;

/** Waits until some more runs were acknowledged, so that a slow machine has as much under way as a fast one. */
async function untilBusy({ acknowledged }: KillOptions, runs: number): Promise<void> {
  const [before, until] = [acknowledged(), Date.now() + BUSY_WITHIN_MS];
  while (acknowledged() < before + runs && Date.now() < until) await sleep(20);
}

const between = (random: Random, [min, max]: readonly [number, number]): number =>
  min + random.next() * (max - min);

/** Kills the only process again and again: while it starts, right after its start, and while it works. */
export async function killOne(cluster: Cluster, findings: Findings, options: KillOptions): Promise<void> {
  const { kills, random, onKill } = options;
  for (let count = 1; count <= kills; count++) {
    const life = cluster.life(0);
    const choice = random.next();
    if (choice < 0.15) {
      await sleep(between(random, [0, 900]));
      findings.add('kills before the process was ready', life.isReady ? 0 : 1);
    } else {
      await cluster.untilReady();
      if (choice >= 0.35) await untilBusy(options, 5);
      await sleep(between(random, choice < 0.35 ? [0, 120] : [0, 1_500]));
    }
    await cluster.life(0).kill();
    findings.add('kills');
    onKill(count);
    while (cluster.life(0).exitedAt !== undefined) await sleep(5);
  }
}

/** Kills replicas in bursts, sometimes two at once, and suspends some between two bursts. */
export async function killReplicas(
  cluster: Cluster,
  findings: Findings,
  options: KillOptions,
): Promise<void> {
  const { kills, random, onKill, quietMs, freezes, freezeMs } = options;
  const slots = cluster.serving().length;
  const slot = (): number => Math.floor(random.next() * slots);
  let count = 0;
  let frozen = 0;

  /** Waits for a process that starts, most of the time. */
  async function untilStarted(index: number): Promise<void> {
    const until = Date.now() + (random.flip(0.8) ? BUSY_WITHIN_MS : random.next() * 500);
    while (!cluster.life(index).isReady && Date.now() < until) await sleep(20);
    await sleep(random.next() * 300);
  }

  async function kill(index: number): Promise<void> {
    const life = cluster.life(index);
    if (life.exitedAt !== undefined || life.killedAt !== undefined) return;
    if (!life.isReady) findings.add('kills before the process was ready');
    count++;
    findings.add('kills');
    await life.kill();
    onKill(count);
  }

  async function freeze(index: number): Promise<void> {
    await cluster.untilReady();
    const life = cluster.life(index);
    life.freeze();
    await sleep(between(random, freezeMs));
    life.thaw();
    findings.add('suspensions');
  }

  const rounds = Math.ceil(kills / 8);
  for (let round = 0; count < kills; round++) {
    await cluster.untilReady();
    await untilBusy(options, 20);
    for (let burst = 5 + Math.floor(random.next() * 7); burst > 0 && count < kills; burst--) {
      const first = slot();
      await untilStarted(first);
      const isDouble = random.flip(0.15) && count + 2 <= kills;
      if (isDouble) findings.add('of these, two at once');
      await Promise.all([kill(first), ...(isDouble ? [kill((first + 1) % slots)] : [])]);
      await sleep(random.flip(0.2) ? random.next() * 60 : between(random, [60, 1_800]));
    }
    if (frozen < freezes && round >= (frozen * rounds) / Math.max(freezes, 1)) {
      frozen++;
      await freeze(slot());
    } else await sleep(between(random, quietMs));
  }
}
