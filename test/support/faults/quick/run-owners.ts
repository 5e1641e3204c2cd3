/** The owners of runs, with times in which a process counts as gone after seconds. */
import type { OwnerTimes } from '../../../../src/application/storage/run-owners.ts';

export * from '../../../../src/application/storage/run-owners.ts';

export const sharedTimes: OwnerTimes = {
  aliveEveryMs: 300,
  goneAfterMs: 3_000,
  stableForMs: 1_000,
  lookEveryMs: 300,
  freeForMs: 2_000,
};
