import { expect, test } from 'vitest';
import { runsOf } from '../support/extent.ts';
import { createFiles } from '../support/sqlite/files.ts';
import { report, runInSimulation, runSeeds } from '../support/workflow/language/batch.ts';
import { runForReal } from '../support/workflow/language/check.ts';
import { createCrashes } from '../support/workflow/language/crashes.ts';
import { scenarioOf } from '../support/workflow/language/generate.ts';

const SCENARIOS = runsOf(2_000, 10_000);

/** The number of scenarios that are run over files, and the number of them that share a file. */
const DURABLE = 400;
const PER_FILE = 25;

test('thousands of random workflows with all policies end as the model says', async () => {
  await runSeeds(runForReal, 1, SCENARIOS);
}, 600_000);

test('simulations of thousands of random workflows with all policies end as the model says', async () => {
  await runSeeds(runInSimulation, 1, SCENARIOS);
}, 600_000);

test('random workflows end as the model says, however often their process stops or dies', async () => {
  const files = createFiles();
  let count = 0;
  try {
    for (let first = 1; first <= DURABLE; first += PER_FILE) {
      const crashes = await createCrashes(files);
      for (let seed = first; seed < first + PER_FILE; seed++) {
        const scenario = scenarioOf(seed, { isRepeatable: true });
        const issues = await crashes.run(scenario).catch((error: unknown) => [String(error)]);
        if (issues.length > 0) throw new Error(report(scenario, issues));
      }
      count += crashes.crashes();
      await files.removeAll();
    }
  } finally {
    await files.removeAll();
  }
  expect(count).toBeGreaterThan(DURABLE / 2);
}, 600_000);
