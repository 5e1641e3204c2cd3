import { expect, test } from 'vitest';
import type { Findings } from '../support/faults/durable/rig.ts';
import { faultSeed } from '../support/faults/run.ts';
import { runCancelRecovery } from '../support/faults/scenarios/cancel-recovery.ts';
import { runDeadlyTool } from '../support/faults/scenarios/deadly-tool.ts';
import { runFrozenReplica } from '../support/faults/scenarios/frozen-replica.ts';
import { runLostQueue } from '../support/faults/scenarios/lost-queue.ts';
import { runRollingRestart } from '../support/faults/scenarios/rolling-restart.ts';

const options = { seed: faultSeed(), isQuick: true };
const { seed } = options;

/** Those of the other stores run in `npm run test:faults`. */
const scenarios: readonly (readonly [name: string, run: () => Promise<Findings>])[] = [
  ['a tool that ends its process parks its run alone, with SQLite', () => runDeadlyTool('sqlite', options)],
  ['a tool that ends its process parks its run alone, with Redis', () => runDeadlyTool('redis', options)],
  [
    'a replica that was suspended changes nothing of runs that others have taken, with Redis',
    () => runFrozenReplica('redis', options),
  ],
  [
    'a replica that was suspended changes nothing of runs that others have taken, with PostgreSQL',
    () => runFrozenReplica('postgres', options),
  ],
  [
    'a queue that loses, doubles and delays jobs starts every run, with Redis',
    () => runLostQueue('redis', options),
  ],
  [
    'a server that is killed during starts loses no run that was acknowledged, with PostgreSQL',
    () => runLostQueue('postgres', options),
  ],
  [
    'replicas that restart one after the other fail no run, with Redis',
    () => runRollingRestart('redis', options, 1),
  ],
  ['a cancel during a recovery ends the run, with SQLite', () => runCancelRecovery('sqlite', options, 30)],
  [
    'a cancel during a recovery ends the run, with PostgreSQL',
    () => runCancelRecovery('postgres', options, 30),
  ],
];

test.for(scenarios)(`%s (FAULT_SEED=${seed})`, { timeout: 300_000 }, async ([, run]) => {
  const { violations } = await run();
  expect([...violations]).toEqual([]);
});
