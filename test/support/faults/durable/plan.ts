import type { Random } from '../../../../src/adapters/evaluation/random.ts';
import { sleep } from '../fleet.ts';
import type { Cluster } from './cluster.ts';
import type { Findings } from './findings.ts';

/** The plan of kills. */
export interface KillOptions {
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
