import { describe, expect, test } from 'vitest';
import { runsOf } from '../support/extent.ts';
import { faultSeed } from '../support/faults/run.ts';
import { runLanguageFaults } from '../support/workflow/faults/run.ts';

const seed = faultSeed();
const policies = ['fail', 'ask', 'retry'] as const;

describe.each([
  ['sqlite', runsOf(8, 20)],
  ['redis', runsOf(6, 14)],
] as const)('workflows with steps of each kind over processes that are killed, with %s', (store, kills) => {
  test.each(policies)(
    `keep their promises with RUN_UNKNOWN_OUTCOME=%s (FAULT_SEED=${seed})`,
    { timeout: 600_000 },
    async (unknownOutcome) => {
      const { violations, figures } = await runLanguageFaults({ store, seed, kills, unknownOutcome });
      if (process.env['FAULT_FIGURES'] !== undefined)
        process.stderr.write(`${JSON.stringify([...figures])}\n`);
      expect([...violations]).toEqual([]);
    },
  );
});
