import { expect, test } from 'vitest';
import type { RunLog } from '../../../../src/ports/storage/run-log.ts';
import { settle } from '../../../support/fake-clock.ts';
import { memoryRunLog } from '../../../support/memory.ts';
import { callTool, createTestEngine } from '../../../support/workflow/engine.ts';

test('a cancelled step with items left is cancelled, also where those under way complete', async () => {
  const engine = createTestEngine();
  const { workflows, control } = engine;
  const release = Promise.withResolvers<void>();
  engine.tool('wait', async () => {
    await release.promise;
    return {};
  });
  const { id } = await workflows.create({
    name: 'n',
    description: '',
    steps: [
      {
        ...callTool('each', 'wait'),
        foreach: { items: [1, 2, 3], concurrency: 1 },
        onError: { output: { replaced: true } },
      },
    ],
  });
  const { runId } = await workflows.run(id, { background: true });
  await settle();
  await control.cancel(runId, { by: 'me', reason: null });
  release.resolve();
  await settle();
  const run = await control.get(runId);
  expect(run.status).toBe('CANCELLED');
  expect(run.stepResults).toMatchObject([{ status: 'CANCELLED', error: 'cancelled', output: null }]);
});

test('a decision that comes while its run is being claimed is not lost', async () => {
  const log = memoryRunLog({ maxRows: 100 });
  let hold: Promise<void> | undefined;
  const runs: RunLog = {
    ...log,
    async claim(runId) {
      const claimed = await log.claim(runId);
      await hold;
      return claimed;
    },
  };
  const engine = createTestEngine({ ports: { runs } });
  const { workflows, control, clock } = engine;
  const { id } = await workflows.create({
    name: 'n',
    description: '',
    steps: [{ id: 'ask', kind: 'approval', title: 'May I?', dependsOn: [] }],
  });
  const { runId } = await workflows.run(id, { background: true });
  await settle();
  const [wait] = (await control.get(runId)).waitingFor;
  const gate = Promise.withResolvers<void>();
  hold = gate.promise;
  // A wake for a run that is not due.
  await engine.runQueue.wake(runId);
  await settle();
  const decided = control.resolve(runId, 'ask', { outcome: 'approved', by: 'me', itemId: wait?.itemId });
  await settle();
  hold = undefined;
  gate.resolve();
  await settle();
  await clock.advance(20_000);
  await decided;
  expect((await control.get(runId)).status).toBe('COMPLETED');
});

test('a run that is retried in the moment of its failure retries its child', async () => {
  const engine = createTestEngine();
  const { workflows, control } = engine;
  let fails = true;
  engine.tool('try', async () => {
    if (fails) throw new Error('not yet');
    return {};
  });
  const child = await engine.define({ ...callTool('a', 'try'), retry: { maxAttempts: 1 } });
  const { id } = await workflows.create({
    name: 'n',
    description: '',
    steps: [{ id: 'child', kind: 'workflow', workflowId: child.id, staticInput: {}, dependsOn: [] }],
  });
  const { runId } = await workflows.run(id, { background: true });
  await settle();
  await settle();
  await engine.clock.advance(0);
  expect((await control.get(runId)).status).toBe('FAILED');
  fails = false;
  await control.retry(runId, { by: 'me' });
  await settle();
  await settle();
  await engine.clock.advance(0);
  expect((await control.get(runId)).status).toBe('COMPLETED');
});
