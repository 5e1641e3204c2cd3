/** The recovery of runs, with times in which a replica counts as gone after seconds. */
import type { RecoveryTimes } from '../../../../src/adapters/redis/run-log/recovery/recovery.ts';

export * from '../../../../src/adapters/redis/run-log/recovery/recovery.ts';

export const defaultRecoveryTimes: RecoveryTimes = {
  goneAfterMs: 3_000,
  stableForMs: 1_000,
  everyMs: 300,
  unclaimedForMs: 2_000,
};
