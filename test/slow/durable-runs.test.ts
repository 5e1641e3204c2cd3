import { expect, test } from 'vitest';
import { faultSeed } from '../support/faults/run.ts';
import { runCancelRecovery } from '../support/faults/scenarios/cancel-recovery.ts';
import { runDeadlyTool } from '../support/faults/scenarios/deadly-tool.ts';
import { runFrozenReplica } from '../support/faults/scenarios/frozen-replica.ts';
import { runLostQueue } from '../support/faults/scenarios/lost-queue.ts';
import { runRollingRestart } from '../support/faults/scenarios/rolling-restart.ts';

const options = { seed: faultSeed(), isQuick: true };
const { seed } = options;

const scenarios = [
  ['a tool that ends its process parks its run alone, with SQLite', () => runDeadlyTool('sqlite', options)],
  ['a tool that ends its process parks its run alone, with Redis', () => runDeadlyTool('redis', options)],
  [
    'a replica that was suspended changes nothing of runs that others have taken',
    () => runFrozenReplica(options),
  ],
  ['a queue that loses, doubles and delays jobs starts every run', () => runLostQueue(options)],
  ['replicas that restart one after the other fail no run', () => runRollingRestart(options, 2)],
  ['a cancel during a recovery ends the run, with SQLite', () => runCancelRecovery('sqlite', options, 30)],
  ['a cancel during a recovery ends the run, with Redis', () => runCancelRecovery('redis', options, 30)],
] as const;

test.for(scenarios)(`%s (FAULT_SEED=${seed})`, { timeout: 300_000 }, async ([, run]) => {
  const { violations } = await run();
  expect([...violations]).toEqual([]);
});
