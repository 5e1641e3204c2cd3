import { createRandom } from '../../../src/adapters/evaluation/random.ts';
import { gatherEnds } from './ends.ts';
import { startFleet } from './fleet.ts';
import { judge, type Verdict } from './judge.ts';
import { type Load, startLoad } from './load.ts';
import { type FaultCounts, planFaults } from './plan.ts';
import { createFaultScene } from './scene.ts';

export interface FaultRunOptions {
  readonly seed: number;
  /** How many processes share the store. */
  readonly replicas: number;
  readonly faults: FaultCounts;
  /** Told how many faults have been suffered, after each. */
  readonly onFault?: (suffered: number) => void;
}

export interface FaultRun extends Verdict {
  /** Milliseconds from the last fault until every execution had ended. */
  readonly endedAfterMs: number;
}

/** Lets real processes on a real Redis suffer faults under load, and holds what they promised against what is left. */
export async function runFaults({ seed, replicas, faults, onFault }: FaultRunOptions): Promise<FaultRun> {
  const chance = createRandom(seed);
  const plan = planFaults(faults, replicas, chance);
  const scene = await createFaultScene();
  let load: Load | undefined;
  try {
    const fleet = await startFleet(replicas, scene.extension, (killed) => load?.lookBehind(killed));
    try {
      load = await startLoad(fleet, chance);
      for (const [index, fault] of plan.entries()) {
        await fleet.suffer(fault);
        onFault?.(index + 1);
      }
      await load.stop();
      await fleet.settled();
      const ends = await gatherEnds(load, fleet, scene);
      return { ...judge(load, fleet, ends), endedAfterMs: ends.afterMs };
    } finally {
      await load?.stop();
      await fleet.close();
    }
  } finally {
    await scene.remove();
  }
}

/** The seed that was asked for by FAULT_SEED, or any. */
export function seedOfFaults(): number {
  const asked = Number(process.env['FAULT_SEED'] ?? Number.NaN);
  return Number.isSafeInteger(asked) ? asked : Math.floor(Math.random() * 1_000_000_000);
}
