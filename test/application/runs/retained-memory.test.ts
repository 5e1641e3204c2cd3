import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/ports/logger.ts';
import { heldBytes } from '../../support/heap.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callTool, createTestEngine } from '../../support/workflow/engine.ts';

const STEPS = 10_000;

test('runs of a large workflow retain no memory once their records are evicted', async () => {
  const engine = createTestEngine({
    limits: { maxWorkflowSteps: STEPS },
    ports: { runs: memoryRunLog({ maxRows: 1 }), events: () => {}, logger: silentLogger },
  });
  engine.tool('nothing', () => ({}));
  const { id } = await engine.define(
    ...Array.from({ length: STEPS }, (_, n) =>
      callTool(`s${n}`, 'nothing', {}, n === 0 ? [] : [`s${n - 1}`]),
    ),
  );
  for (let round = 0; round < 2; round++) await engine.workflows.run(id);
  const before = heldBytes();
  for (let round = 0; round < 3; round++) await engine.workflows.run(id);
  // A record of 10,000 steps takes 2.5 MB, so that one retained record fails the test.
  // On a busy machine the garbage of the last runs may be held for some moments more.
  await expect.poll(() => heldBytes() - before).toBeLessThan(1_000_000);
});
