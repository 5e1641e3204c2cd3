import { expect, test } from 'vitest';
import type { Findings } from '../support/faults/durable/findings.ts';
import { faultSeed } from '../support/faults/run.ts';
import { runCancelRecovery } from '../support/faults/scenarios/cancel-recovery.ts';
import { runDeadlyTool } from '../support/faults/scenarios/deadly-tool.ts';
import { runFrozenReplica } from '../support/faults/scenarios/frozen-replica.ts';
import { runLostQueue } from '../support/faults/scenarios/lost-queue.ts';
import { runRollingRestart } from '../support/faults/scenarios/rolling-restart.ts';
import { sharedStores } from '../support/process/shared-store.ts';

const options = { seed: faultSeed(), isQuick: true };
const { seed } = options;

const stores = [{ name: 'SQLite', kind: 'sqlite' }, ...sharedStores] as const;

type Scenario = readonly [name: string, run: () => Promise<Findings>];

const scenarios: readonly Scenario[] = [
  ...stores.map(
    ({ name, kind }): Scenario => [
      `a tool that ends its process parks its run alone, with ${name}`,
      () => runDeadlyTool(kind, options),
    ],
  ),
  ...sharedStores.map(
    ({ name, kind }): Scenario => [
      `a replica that was suspended changes nothing of runs that others have taken, with ${name}`,
      () => runFrozenReplica(kind, options),
    ],
  ),
  [
    'a queue that loses, doubles and delays jobs starts every run, with Redis',
    () => runLostQueue('redis', options),
  ],
  [
    'a server that is killed during starts loses no run that was acknowledged, with PostgreSQL',
    () => runLostQueue('postgres', options),
  ],
  ...sharedStores.map(
    ({ name, kind }): Scenario => [
      `replicas that restart one after the other fail no run, with ${name}`,
      () => runRollingRestart(kind, options, kind === 'redis' ? 2 : 1),
    ],
  ),
  ...stores.map(
    ({ name, kind }): Scenario => [
      `a cancel during a recovery ends the run, with ${name}`,
      () => runCancelRecovery(kind, options, 30),
    ],
  ),
];

test.for(scenarios)(`%s (FAULT_SEED=${seed})`, { timeout: 300_000 }, async ([, run]) => {
  const { violations } = await run();
  expect([...violations]).toEqual([]);
});
