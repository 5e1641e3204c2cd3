import { expect, test } from 'vitest';
import { createDueRuns } from '../../../../src/application/runs/due-runs.ts';
import type { RunLog } from '../../../../src/ports/storage/run-log.ts';
import { createFakeClock, settle } from '../../../support/fake-clock.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { callTool, createTestEngine } from '../../../support/workflow/engine.ts';
import { newRun } from '../../../support/workflow/run-events.ts';

test('the items of waits that have ended are not read again with every later decision', async () => {
  const engine = createTestEngine();
  const { workflows, control, inbox } = engine;
  let reads = 0;
  const { get } = inbox;
  Object.assign(inbox, {
    get: (itemId: string) => {
      reads++;
      return get(itemId);
    },
  });
  const count = 40;
  const { id } = await workflows.create({
    name: 'n',
    description: '',
    steps: [
      {
        id: 'ask',
        kind: 'approval',
        title: 'May I?',
        dependsOn: [],
        foreach: { items: Array.from({ length: count }, (_, index) => index), concurrency: 1 },
      },
    ],
  });
  const { runId } = await workflows.run(id, { background: true });
  for (let decided = 0; decided < count; decided++) {
    await settle();
    const [wait] = (await control.get(runId)).waitingFor;
    await control.resolve(runId, 'ask', { outcome: 'approved', by: 'me', itemId: wait?.itemId });
  }
  await settle();
  expect((await control.get(runId)).status).toBe('COMPLETED');
  expect(reads).toBeLessThan(10 * count);
});

test('the log of a run is not read again with every step while its caller waits for it', async () => {
  const engine = createTestEngine();
  const { workflows, runs, clock } = engine;
  engine.tool('slow', async () => {
    await new Promise<void>((resolve) => clock.after(100, resolve));
    return {};
  });
  let reads = 0;
  const { get } = runs;
  Object.assign(runs, {
    get: (runId: string) => {
      reads++;
      return get(runId);
    },
  });
  const count = 40;
  const ids = Array.from({ length: count }, (_, index) => `step-${index}`);
  const { id } = await workflows.create({
    name: 'n',
    description: '',
    steps: [
      { id: 'pause', kind: 'wait', dependsOn: [], durationMs: 100, staticInput: {} },
      ...ids.map((step, index) => callTool(step, 'slow', {}, [ids[index - 1] ?? 'pause'])),
    ],
  });
  const running = workflows.run(id);
  await clock.advance(100 * (count + 2));
  expect((await running).status).toBe('COMPLETED');
  expect(reads).toBeLessThan(count / 4);
});

test('many runs that are due at the same time are all checked soon', async () => {
  const clock = createFakeClock();
  const wakeAt = clock.now() + 60_000;
  const waiting = new Set(Array.from({ length: 5_000 }, (_, index) => `run-${index}`));
  const runs: Pick<RunLog, 'due'> = {
    due: async (before, limit) =>
      before <= wakeAt ? [] : [...waiting].slice(0, limit).map((runId) => ({ runId, wakeAt })),
  };
  const engine = createTestEngine();
  const ports = {
    clock,
    logger: recordLogs(),
    runs: { ...engine.runs, ...runs, summary: async (runId: string) => newRun(runId).summary },
    runQueue: { ...engine.runQueue, wake: async (runId: string) => void waiting.delete(runId) },
  };
  const due = createDueRuns(ports, { notifyParent: async () => undefined });
  due.start();
  await clock.advance(75_000);
  await settle();
  expect(waiting.size).toBe(0);
  due.close();
});
