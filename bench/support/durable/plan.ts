import { dags } from '../workloads/dag.ts';
import type { LoopWork } from './loop.ts';

/** Runs under way for each process. */
export const IN_FLIGHT = 64;

/** Rounds of the quick or the full plan. */
export function loopRounds(quick: boolean): number {
  return quick ? 3 : 7;
}

/** A chain of 10 for {@link measureLoops}. */
export function chainWork(quick: boolean): LoopWork {
  return { workload: dags.chain10.name, inFlight: IN_FLIGHT, ms: quick ? 500 : 2_000 };
}
