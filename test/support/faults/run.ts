import { createRandom } from '../../../src/adapters/evaluation/random.ts';
import { readFinalState } from './final-state.ts';
import { startFleet } from './fleet.ts';
import { type Load, startLoad } from './load.ts';
import { type FaultCounts, planFaults } from './plan.ts';
import { createStepLog } from './step-log.ts';
import { type FaultReport, verifyPromises } from './verify.ts';

export interface FaultRunOptions {
  readonly seed: number;
  /** The number of replicas. */
  readonly replicas: number;
  readonly faults: FaultCounts;
  /** Called after each fault, with the number of faults so far. */
  readonly onFault?: (count: number) => void;
}

export interface FaultRun extends FaultReport {
  /** Milliseconds from the last fault until every run had ended. */
  readonly endedAfterMs: number;
}

/** Injects faults into real replicas on a real Redis under load, and verifies their promises afterwards. */
export async function runFaults({ seed, replicas, faults, onFault }: FaultRunOptions): Promise<FaultRun> {
  const random = createRandom(seed);
  const plan = planFaults(faults, replicas, random);
  const steps = await createStepLog();
  let load: Load | undefined;
  try {
    const fleet = await startFleet(replicas, steps.extension, (killed) => load?.readRunsOf(killed));
    try {
      load = await startLoad(fleet, random);
      for (const [index, fault] of plan.entries()) {
        await fleet.inject(fault);
        onFault?.(index + 1);
      }
      await load.stop();
      await fleet.untilReady();
      const finalState = await readFinalState(load, fleet, steps);
      return { ...verifyPromises(load, fleet, finalState), endedAfterMs: finalState.afterMs };
    } finally {
      await load?.stop();
      await fleet.close();
    }
  } finally {
    await steps.remove();
  }
}

/** The seed in FAULT_SEED, or a random one. */
export function faultSeed(): number {
  const seed = Number(process.env['FAULT_SEED'] ?? Number.NaN);
  return Number.isSafeInteger(seed) ? seed : Math.floor(Math.random() * 1_000_000_000);
}
