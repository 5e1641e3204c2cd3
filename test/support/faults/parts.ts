import type { StoreKind } from './durable/cluster.ts';
import { runDurableFaults } from './durable/run.ts';
import { type FaultCounts, killsIn } from './fleet.ts';
import { runFaults } from './run.ts';
import { runCancelRecovery } from './scenarios/cancel-recovery.ts';
import { runDeadlyTool } from './scenarios/deadly-tool.ts';
import { runFrozenReplica } from './scenarios/frozen-replica.ts';
import { runLostQueue } from './scenarios/lost-queue.ts';
import { runRollingRestart } from './scenarios/rolling-restart.ts';

/** The counts and findings of a part. */
export interface PartReport {
  readonly figures: ReadonlyMap<string, number>;
  /** Broken promises by kind, with an example of each. */
  readonly violations: ReadonlyMap<string, { readonly count: number; readonly example: string }>;
}

/** Options of every part. */
export interface PartOptions {
  readonly seed: number;
  /** The number of processes that are killed, where the part takes a number. */
  readonly kills: number;
  /** Called with a line about the progress. */
  readonly onProgress: (text: string) => void;
}

type Part = (options: PartOptions) => Promise<PartReport>;

/** The number of faults of other kinds that come with 150 kills of replicas. */
const shares = { replica: 150, store: 40, both: 15, freeze: 15, full: 15 } as const satisfies FaultCounts;

const interrupt: Part = async ({ seed, kills, onProgress }) => {
  const scale = (count: number): number => Math.ceil((count * kills) / 200);
  const faults: FaultCounts = {
    replica: scale(shares.replica),
    store: scale(shares.store),
    both: scale(shares.both),
    freeze: scale(shares.freeze),
    full: scale(shares.full),
  };
  const onFault = (count: number): void => {
    if (count % 25 === 0) onProgress(`${count} faults`);
  };
  const { figures, violations, endedAfterMs } = await runFaults({ seed, replicas: 3, faults, onFault });
  const rows: readonly (readonly [string, number])[] = [
    ['kills', killsIn(faults)],
    ['other faults of the store', faults.freeze + faults.full],
    ...Object.entries(figures),
    ['ms from the last fault to the last end', Math.round(endedAfterMs)],
  ];
  return { figures: new Map(rows), violations };
};

const durable =
  (store: StoreKind, freezes: number): Part =>
  ({ seed, kills, onProgress }) =>
    runDurableFaults({
      store,
      seed,
      kills,
      freezes,
      onKill: (count) => {
        if (count % 25 === 0) onProgress(`${count} kills`);
      },
    });

/** The parts of `npm run test:faults`, by the names that `--only` takes. */
export const parts: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['interrupt', interrupt],
  ['sqlite', durable('sqlite', 0)],
  ['redis', durable('redis', 3)],
  ['postgres', durable('postgres', 3)],
  ['deadly-sqlite', ({ seed }) => runDeadlyTool('sqlite', { seed, isQuick: false })],
  ['deadly-redis', ({ seed }) => runDeadlyTool('redis', { seed, isQuick: false })],
  ['deadly-postgres', ({ seed }) => runDeadlyTool('postgres', { seed, isQuick: false })],
  ['frozen', ({ seed }) => runFrozenReplica('redis', { seed, isQuick: false })],
  ['frozen-postgres', ({ seed }) => runFrozenReplica('postgres', { seed, isQuick: false })],
  ['queue', ({ seed }) => runLostQueue('redis', { seed, isQuick: false })],
  ['queue-postgres', ({ seed }) => runLostQueue('postgres', { seed, isQuick: false })],
  ['rolling', ({ seed }) => runRollingRestart('redis', { seed, isQuick: false }, 10)],
  ['rolling-postgres', ({ seed }) => runRollingRestart('postgres', { seed, isQuick: false }, 10)],
  ['cancel-sqlite', ({ seed }) => runCancelRecovery('sqlite', { seed, isQuick: false }, 100)],
  ['cancel-redis', ({ seed }) => runCancelRecovery('redis', { seed, isQuick: true }, 100)],
  ['cancel-postgres', ({ seed }) => runCancelRecovery('postgres', { seed, isQuick: true }, 100)],
]);
