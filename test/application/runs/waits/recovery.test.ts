import { describe, expect, test } from 'vitest';
import type { Step } from '../../../../src/domain/workflow/definition.ts';
import { settle } from '../../../support/fake-clock.ts';
import { type Processes, setUpProcesses, startRun, step } from '../../../support/workflow/processes.ts';

const unknown = 'the outcome is unknown: its process stopped while the step was under way';

const sub = (id: string, workflowId: string): Step => ({
  id,
  kind: 'workflow',
  workflowId,
  dependsOn: [],
  staticInput: {},
});

/** Lets the first process crash, and the second one take the run over. */
async function crash(processes: Processes, runId: string): Promise<void> {
  processes.first.process.kill();
  await processes.second.runQueue.wake(runId);
  await settle();
}

describe('a step whose outcome is unknown', () => {
  test.each([
    ['continue', 'COMPLETED', { status: 'FAILED', error: unknown }, 'SKIPPED'],
    [{ output: { n: 7 } }, 'COMPLETED', { status: 'COMPLETED', output: { n: 7 }, error: null }, 'COMPLETED'],
    ['fail', 'FAILED', { status: 'FAILED', error: unknown }, 'SKIPPED'],
  ] as const)('and counts as failed follows its on_error %o', async (onError, status, first, second) => {
    const processes = setUpProcesses();
    const after = { ...step('b', 'read', ['a']), staticInput: { step: 'b', n: '$step.a' } };
    const seen =
      typeof onError === 'object' ? { ...after, staticInput: { step: 'b', n: '$step.a.n' } } : after;
    const runId = await startRun(processes, { ...step('a', 'write'), onError }, seen);
    await crash(processes, runId);
    await processes.endAll();
    const run = await processes.recordOf(runId);
    expect(run.status).toBe(status);
    expect(run.stepResults).toMatchObject([first, { status: second }]);
    if (typeof onError === 'object') {
      expect(processes.calls.at(-1)?.input).toEqual({ step: 'b', n: 7 });
      const events = (await processes.shared.get(runId))?.events ?? [];
      expect(events.find(({ type }) => type === 'step.completed')).toMatchObject({ error: unknown });
    }
  });
});

describe('a child run', () => {
  test('that a frozen process starts after its parent was deleted is deleted too', async () => {
    const processes = setUpProcesses();
    const { first, second, shared, clock } = processes;
    const { id } = await first.define(step('inner'));
    const { create } = first.process.log;
    const held = Promise.withResolvers<void>();
    Object.assign(first.process.log, {
      create: async (run: Parameters<typeof create>[0]) => {
        if (run.summary.parentRunId !== null) await held.promise;
        return create(run);
      },
    });
    const runId = await startRun(processes, sub('sub', id));
    first.process.freeze();
    await second.control.cancel(runId, { by: 'ann', reason: null });
    await clock.advance(100);
    await second.control.delete(runId);
    held.resolve();
    first.process.thaw();
    await settle();
    await clock.advance(100);
    const { items } = await shared.listAll({}, { limit: 10 });
    for (const { runId: childId } of items) await second.runQueue.wake(childId);
    await settle();
    await processes.endAll();
    await clock.advance(20_000);
    expect((await shared.listAll({}, { limit: 10 })).items).toEqual([]);
  });

  test('that a frozen process starts after its parent was cancelled ends too', async () => {
    const processes = setUpProcesses();
    const { first, second, shared, clock } = processes;
    const { id } = await first.define(step('inner'));
    const { create } = first.process.log;
    const held = Promise.withResolvers<void>();
    Object.assign(first.process.log, {
      create: async (run: Parameters<typeof create>[0]) => {
        if (run.summary.parentRunId !== null) await held.promise;
        return create(run);
      },
    });
    const runId = await startRun(processes, sub('sub', id));
    first.process.freeze();
    await second.control.cancel(runId, { by: 'ann', reason: null });
    await clock.advance(100);
    expect((await second.control.get(runId)).status).toBe('CANCELLED');
    held.resolve();
    first.process.thaw();
    await settle();
    await clock.advance(100);
    const { items } = await shared.listAll({}, { limit: 10 });
    for (const { runId: childId } of items) await second.runQueue.wake(childId);
    await settle();
    await processes.endAll();
    await clock.advance(20_000);
    expect((await shared.listAll({}, { limit: 10 })).items.map(({ status }) => status)).toEqual([
      ...['CANCELLED', 'CANCELLED'],
    ]);
    expect(processes.called()).toEqual([]);
  });
});

describe('items that write', () => {
  const each = (count: number): Step => ({
    ...step('a', 'write'),
    staticInput: { step: 'a' },
    foreach: {
      items: Array.from({ length: count }, (_, index) => index),
      concurrency: 2,
      onItemError: 'continue',
    },
  });

  test.each([
    [400, 'Did step “a” of “sample” happen? 398 of its 400 items were not called.', 398],
    [3, 'Did step “a” of “sample” happen? 1 of its 3 items was not called.', 1],
    [2, 'Did step “a” of “sample” happen?', 0],
  ])('of which there are %i are counted for whoever is asked', async (count, title, uncalled) => {
    const processes = setUpProcesses({ recovery: { maxRecoveries: 3, unknownOutcome: 'ask' } });
    await crash(processes, await startRun(processes, each(count)));
    const { items } = await processes.inbox.list({ kinds: ['recovery'] }, { limit: 10 });
    const payload = { items: { total: count, ended: 0, not_called: uncalled } };
    expect(items).toMatchObject([{ title, payload }]);
  });

  test('are of unknown outcome only where they may have been called, however long the list is', async () => {
    const processes = setUpProcesses();
    const runId = await startRun(processes, each(400));
    // Each round of calls takes a second.
    for (let round = 0; round < 20; round++) {
      await processes.clock.advance(1_000);
      await processes.endAll();
    }
    const before = processes.calls.length;
    await processes.clock.advance(1_000);
    await crash(processes, runId);
    for (let round = 0; round < 400; round++) {
      await processes.clock.advance(1_000);
      await processes.endAll();
    }
    const { status, stepResults } = await processes.recordOf(runId);
    expect(status).toBe('COMPLETED');
    const output = stepResults[0]?.output ?? expect.fail();
    expect(output['count']).toBe(400);
    expect(before).toBeGreaterThan(30);
    expect(output['failed']).toBeGreaterThanOrEqual(2);
    expect(output['failed']).toBeLessThanOrEqual(10);
    const keys = processes.calls.map(({ context }) => context.idempotencyKey);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
