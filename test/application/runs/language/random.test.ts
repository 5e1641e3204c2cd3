import { expect, test } from 'vitest';
import { runsOf } from '../../../support/extent.ts';
import { runInSimulation, runSeeds } from '../../../support/workflow/language/batch.ts';
import { runForReal } from '../../../support/workflow/language/check.ts';
import { ANY_TIME, inputAt, scenarioOf } from '../../../support/workflow/language/generate.ts';
import { expectedRun } from '../../../support/workflow/language/model.ts';

const SCENARIOS = runsOf(150, 300);

test('random workflows with all policies end as the model says', async () => {
  await runSeeds(runForReal, 1, SCENARIOS);
}, 120_000);

test('simulations of random workflows with all policies end as the model says', async () => {
  await runSeeds(runInSimulation, SCENARIOS + 1, SCENARIOS);
}, 120_000);

test('the random workflows are of all kinds, and end in all ways', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SCENARIOS; seed++) {
    const scenario = scenarioOf(seed);
    for (const { steps } of scenario.definitions) {
      for (const { work, foreach, runIf } of steps) seen.add(`${work.kind} ${foreach ? 'items' : runIf}`);
    }
    const run = expectedRun(scenario, inputAt(scenario, ANY_TIME), ANY_TIME);
    seen.add(run.status);
    for (const { status, why } of run.steps.values()) seen.add(`${status} ${why}`);
  }
  const kinds = ['tool', 'agent', 'workflow', 'wait', 'approval'];
  expect([...seen]).toEqual(
    expect.arrayContaining([
      ...kinds.flatMap((kind) => [`${kind} items`, `${kind} always`, `${kind} undefined`]),
      ...['COMPLETED', 'FAILED', 'CANCELLED', 'COMPLETED null', 'FAILED null', 'CANCELLED null'],
      ...['SKIPPED failed_before', 'SKIPPED condition', 'SKIPPED cancelled'],
    ]),
  );
});
