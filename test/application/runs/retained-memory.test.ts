import { expect, test } from 'vitest';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { heldBytes } from '../../support/work/heap.ts';
import { callTool, workflowRig } from '../../support/workflow/rig.ts';

const STEPS = 10_000;

test('runs of a large workflow retain no memory once their records are evicted', async () => {
  const rig = workflowRig({
    limits: { maxWorkflowSteps: STEPS },
    runs: createMemoryRunStore({ maxRecords: 1 }),
    events: () => {},
    logger: silentLogger,
  });
  rig.tool('nothing', () => ({}));
  const { id } = await rig.define(
    ...Array.from({ length: STEPS }, (_, n) =>
      callTool(`s${n}`, 'nothing', {}, n === 0 ? [] : [`s${n - 1}`]),
    ),
  );
  for (let round = 0; round < 2; round++) await rig.workflows.run(id);
  const before = heldBytes();
  for (let round = 0; round < 3; round++) await rig.workflows.run(id);
  // A record of 10,000 steps takes 2.5 MB, so that one retained record fails the test.
  expect(heldBytes() - before).toBeLessThan(1_000_000);
});
