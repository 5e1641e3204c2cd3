import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import { settle } from '../../support/fake-clock.ts';
import { type Processes, setUpProcesses, startRun, step } from '../../support/workflow/processes.ts';

const recovery = { maxRecoveries: 3, unknownOutcome: 'ask' } as const;

/** Lets the first process crash with those steps under way, and the second one take over. */
async function crash(processes: Processes, runId: string): Promise<void> {
  processes.first.process.kill();
  await processes.second.runQueue.wake(runId);
  await settle();
}

/** Two processes, and a run whose only step `a` waits; `b` depends on it. */
async function waitingRun() {
  const processes = setUpProcesses({ recovery });
  const runId = await startRun(processes, step('a', 'write'), step('b', 'read', ['a']));
  await processes.clock.advance(200);
  await crash(processes, runId);
  const items = await itemsOf(processes);
  expect(items).toHaveLength(1);
  return { processes, runId, itemId: items[0]?.itemId ?? '' };
}

async function itemsOf({ inbox }: Processes) {
  return (await inbox.list({ statuses: ['open', 'claimed'] }, { limit: 200 })).items;
}

function statusesOf({ stepResults }: Run): readonly string[] {
  return stepResults.map(({ status }) => status);
}

describe('a write under way when its process dies', () => {
  test('waits for a person, with an item that says what there is to know', async () => {
    const { processes, runId, itemId } = await waitingRun();
    const run = await processes.recordOf(runId);
    expect(run).toMatchObject({
      status: 'WAITING',
      waitingFor: [{ kind: 'recovery', stepId: 'a', itemId, until: null }],
      recoveries: 1,
      stepResults: [{ status: 'WAITING', attempts: 1, completedAt: null }, { status: 'PENDING' }],
    });
    expect(await processes.inbox.get(itemId)).toMatchObject({
      kind: 'recovery',
      status: 'open',
      priority: 2,
      title: 'Did step “a” of “sample” happen?',
      subject: { kind: 'execution', id: runId, stepId: 'a' },
      expiresAt: null,
      payload: {
        workflow_id: run.workflowId,
        workflow_name: 'sample',
        step_id: 'a',
        tool_name: 'write',
        input: { step: 'a' },
        attempts: 1,
        effect: 'write',
        since: run.stepResults[0]?.startedAt,
      },
    });
    expect((await processes.typesOf(runId)).slice(-3)).toEqual([
      ...['execution.recovered', 'step.waiting', 'execution.waiting'],
    ]);
    expect(processes.called()).toEqual(['first a']);
  });

  test('lets the others of its layer go on, and the item is there meanwhile', async () => {
    const processes = setUpProcesses({ recovery });
    const runId = await startRun(processes, step('a', 'write'), step('b'), step('c', 'read', ['b']));
    await crash(processes, runId);
    expect(processes.called()).toEqual(['first a', 'first b', 'second b']);
    expect(await itemsOf(processes)).toHaveLength(1);
    expect(await processes.recordOf(runId)).toMatchObject({
      status: 'RUNNING',
      waitingFor: [{ stepId: 'a' }],
    });
    await processes.endAll();
    const run = await processes.recordOf(runId);
    expect([run.status, ...statusesOf(run)]).toEqual(['WAITING', 'WAITING', 'COMPLETED', 'PENDING']);
  });

  test('waits as well where it still acts after the grace of a shutdown', async () => {
    const processes = setUpProcesses({ recovery });
    const runId = await startRun(processes, step('a', 'write'));
    const closed = processes.first.runner.close(2_000);
    await processes.clock.advance(2_001);
    await closed;
    await processes.second.runQueue.wake(runId);
    await settle();
    expect(await processes.recordOf(runId)).toMatchObject({ status: 'WAITING', recoveries: 0 });
  });

  test('waits as well where its process has lost the run', async () => {
    const processes = setUpProcesses({ recovery });
    const runId = await startRun(processes, step('a', 'write'));
    processes.first.process.freeze();
    await processes.second.runQueue.wake(runId);
    await settle();
    processes.first.process.thaw();
    await processes.endAll();
    expect(await processes.recordOf(runId)).toMatchObject({ status: 'WAITING' });
    expect(await itemsOf(processes)).toHaveLength(1);
  });
});

describe('a run that waits', () => {
  test('holds no worker, no timer and no place of the background runs', async () => {
    const processes = setUpProcesses({ recovery, limits: { maxBackgroundRuns: 1 } });
    const runId = await startRun(processes, step('a', 'write'));
    const timers = processes.clock.pending();
    await crash(processes, runId);
    expect(processes.clock.pending()).toBe(timers);
    const { id } = await processes.second.define(step('other'));
    await processes.second.workflows.run(id, { background: true });
    await settle();
    expect(processes.called()).toEqual(['first a', 'second other']);
    let isClosed = false;
    void processes.start('third').runner.close(0);
    void processes.second.runner.close(60_000).then(() => (isClosed = true));
    await processes.endAll();
    expect(isClosed).toBe(true);
  });

  test('is left alone by ids that come late: its log does not grow', async () => {
    const { processes, runId } = await waitingRun();
    const before = await processes.typesOf(runId);
    const third = processes.start('third');
    for (const { runQueue } of [processes.second, third, processes.second]) {
      await runQueue.wake(runId);
      await settle();
    }
    expect(await processes.typesOf(runId)).toEqual(before);
    expect(await itemsOf(processes)).toHaveLength(1);
    await third.control.resolve(runId, 'a', { outcome: 'completed', by: 'ann' });
    await settle();
    await processes.endAll();
    expect((await processes.recordOf(runId)).status).toBe('COMPLETED');
  });

  test.each([
    ['completed', { said: 'ann' }, ['first a', 'third b'], ['COMPLETED', 'COMPLETED', 'COMPLETED']],
    ['failed', undefined, ['first a'], ['FAILED', 'FAILED', 'SKIPPED']],
    ['retry', undefined, ['first a', 'third a', 'third b'], ['COMPLETED', 'COMPLETED', 'COMPLETED']],
  ] as const)(
    'goes on by the decision %s, in the process that got it',
    async (outcome, output, called, ends) => {
      const { processes, runId, itemId } = await waitingRun();
      const third = processes.start('third');
      const answer = await third.control.resolve(runId, 'a', { outcome, by: 'ann', output });
      expect(answer).toMatchObject({ waitingFor: [] });
      expect(await processes.inbox.get(itemId)).toMatchObject({
        status: 'resolved',
        resolution: { outcome, by: 'ann', output: output ?? null },
      });
      await settle();
      await processes.endAll();
      await processes.endAll();
      expect(processes.called()).toEqual(called);
      const run = await processes.recordOf(runId);
      expect([run.status, ...statusesOf(run)]).toEqual(ends);
      if (output !== undefined) expect(run.stepResults[0]?.output).toEqual(output);
      expect(run.stepResults[0]?.attempts).toBe(outcome === 'retry' ? 2 : 1);
      const keys = processes.calls.filter(({ input }) => input['step'] === 'a');
      expect(new Set(keys.map(({ context }) => context.idempotencyKey)).size).toBe(1);
      expect(await processes.typesOf(runId)).toContain('execution.resumed');
      expect(processes.clock.pending()).toBe(0);
    },
  );

  test('ends at once when it is cancelled, by any process, and its item is withdrawn', async () => {
    const { processes, runId, itemId } = await waitingRun();
    const third = processes.start('third');
    await third.control.cancel(runId, { by: 'ann', reason: 'not needed' });
    await settle();
    const run = await processes.recordOf(runId);
    expect([run.status, run.error, ...statusesOf(run)]).toEqual([
      ...['CANCELLED', 'cancelled: not needed', 'CANCELLED', 'SKIPPED'],
    ]);
    expect(await processes.inbox.get(itemId)).toMatchObject({ status: 'withdrawn', payload: null });
    await expect(third.control.resolve(runId, 'a', { outcome: 'retry', by: 'ann' })).rejects.toThrow(
      'step "a" of execution',
    );
    await third.control.retry(runId, { by: 'ann' });
    await settle();
    await processes.endAll();
    await processes.endAll();
    expect(await processes.recordOf(runId)).toMatchObject({
      status: 'COMPLETED',
      stepResults: [{ attempts: 2 }, {}],
    });
  });

  test('empties its items when it is deleted', async () => {
    const { processes, runId, itemId } = await waitingRun();
    const { control } = processes.second;
    await expect(control.delete(runId)).rejects.toThrow('is WAITING');
    await control.resolve(runId, 'a', { outcome: 'failed', by: 'ann' });
    await settle();
    await control.delete(runId);
    expect(await processes.inbox.get(itemId)).toMatchObject({ status: 'withdrawn', payload: null });
    await expect(control.resolve(runId, 'a', { outcome: 'failed', by: 'ann' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('cannot be retried or rerun before it has ended', async () => {
    const { processes, runId } = await waitingRun();
    const { control } = processes.second;
    await expect(control.retry(runId, { by: 'ann' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(control.rerun(runId, { background: true })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('has its own item for each time that a step waits', async () => {
    const { processes, runId, itemId } = await waitingRun();
    await processes.second.control.resolve(runId, 'a', { outcome: 'retry', by: 'ann' });
    await settle();
    expect(processes.called()).toEqual(['first a', 'second a']);
    processes.second.process.kill();
    const third = processes.start('third');
    await third.runQueue.wake(runId);
    await settle();
    const [item] = await itemsOf(processes);
    expect(item?.itemId).not.toBe(itemId);
    const late = third.control.resolve(runId, 'a', { outcome: 'failed', by: 'bob', itemId });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    await third.control.resolve(runId, 'a', { outcome: 'completed', by: 'bob' });
    await settle();
    await processes.endAll();
    const run = await third.control.get(runId);
    expect(run).toMatchObject({ status: 'COMPLETED', stepResults: [{ attempts: 2 }, {}] });
  });
});

describe('a decision', () => {
  test('reaches a run that another process runs, while others of the layer are under way', async () => {
    const processes = setUpProcesses({ recovery });
    const runId = await startRun(processes, step('a', 'write'), step('b'), step('c', 'read', ['a']));
    await crash(processes, runId);
    const third = processes.start('third');
    const answered = third.control.resolve(runId, 'a', { outcome: 'retry', by: 'ann' });
    await processes.clock.advance(100);
    expect((await answered).stepResults[0]).toMatchObject({ status: 'PENDING', attempts: 1 });
    expect(await itemsOf(processes)).toEqual([]);
    await processes.endAll();
    expect(processes.called()).toEqual(['first a', 'first b', 'second b', 'second a']);
    await processes.endAll();
    await processes.endAll();
    expect((await processes.recordOf(runId)).status).toBe('COMPLETED');
    expect(await processes.typesOf(runId)).not.toContain('execution.waiting');
  });

  test('is rejected for what does not wait, an unknown step or run, and a wrong output', async () => {
    const { processes, runId } = await waitingRun();
    const { control } = processes.second;
    const rejections = [
      [control.resolve(runId, 'b', { outcome: 'retry', by: 'ann' }), 'conflict'],
      [control.resolve(runId, 'unknown', { outcome: 'retry', by: 'ann' }), 'not_found'],
      [control.resolve('unknown', 'a', { outcome: 'retry', by: 'ann' }), 'not_found'],
      [control.resolve(runId, 'a', { outcome: 'retry', by: 'ann', output: {} }), 'validation'],
      [
        control.resolve(runId, 'a', {
          outcome: 'completed',
          by: 'ann',
          output: { text: 'x'.repeat(2_000_000) },
        }),
        'validation',
      ],
    ] as const;
    await Promise.all(rejections.map(([call, code]) => expect(call).rejects.toMatchObject({ code })));
    expect((await processes.recordOf(runId)).status).toBe('WAITING');
  });

  test('counts for whom the item is claimed as well, and ends it', async () => {
    const { processes, runId, itemId } = await waitingRun();
    const claimedUntil = new Date(processes.clock.now() + 1_000).toISOString();
    await processes.inbox.claimNext({ assignee: 'bob', claimedUntil });
    await processes.second.control.resolve(runId, 'a', { outcome: 'failed', by: 'ann' });
    expect(await processes.inbox.get(itemId)).toMatchObject({
      status: 'resolved',
      resolution: { by: 'ann' },
    });
  });

  test('that is stored while nobody can handle it counts once somebody can', async () => {
    const { processes, runId } = await waitingRun();
    const { second } = processes;
    const item = (await itemsOf(processes))[0]?.itemId ?? '';
    const signal = { type: 'resolve', itemId: item, outcome: 'completed', by: 'ann', note: null } as const;
    second.process.kill();
    expect(await processes.shared.signal(runId, { ...signal, output: { n: 1 } })).toBe('sent');
    expect(await processes.shared.signal(runId, { ...signal, output: { n: 2 } })).toBe('refused');
    const third = processes.start('third');
    await third.runQueue.wake(runId);
    await settle();
    await processes.endAll();
    expect(await third.control.get(runId)).toMatchObject({
      status: 'COMPLETED',
      stepResults: [{ output: { n: 1 } }, {}],
    });
  });
});

describe('the question', () => {
  test('is asked by the next process where the first one died before it asked', async () => {
    const processes = setUpProcesses({ recovery });
    const runId = await startRun(processes, step('a', 'write'));
    const { create } = processes.inbox;
    Object.assign(processes.inbox, { create: () => new Promise(() => undefined) });
    await crash(processes, runId);
    expect((await processes.recordOf(runId)).status).toBe('RUNNING');
    expect(await processes.typesOf(runId)).toContain('step.waiting');
    Object.assign(processes.inbox, { create });
    processes.second.process.kill();
    const third = processes.start('third');
    await third.runQueue.wake(runId);
    await settle();
    expect(await itemsOf(processes)).toMatchObject([{ subject: { id: runId, stepId: 'a' } }]);
    expect((await third.control.get(runId)).status).toBe('WAITING');
  });

  test('is asked as soon as the inbox is back: the run does not wait before', async () => {
    const processes = setUpProcesses({ recovery });
    const runId = await startRun(processes, step('a', 'write'));
    const { create } = processes.inbox;
    Object.assign(processes.inbox, { create: () => Promise.reject(unavailable('the inbox is away')) });
    await crash(processes, runId);
    await processes.clock.advance(30_000);
    expect((await processes.recordOf(runId)).status).toBe('RUNNING');
    Object.assign(processes.inbox, { create });
    await processes.clock.advance(2_000);
    expect((await processes.recordOf(runId)).status).toBe('WAITING');
    expect(await itemsOf(processes)).toHaveLength(1);
  });

  test('is asked once, and told once', async () => {
    const { processes, runId } = await waitingRun();
    await processes.second.runQueue.wake(runId);
    await settle();
    const opened = processes.second.recorded.events.filter(({ type }) => type === 'inbox.opened');
    expect(opened).toHaveLength(1);
  });

  test('is withdrawn where a parked run fails, as before', async () => {
    const processes = setUpProcesses({ recovery: { maxRecoveries: 1, unknownOutcome: 'ask' } });
    const runId = await startRun(processes, step('a', 'write'), step('b'));
    await crash(processes, runId);
    const [item] = await itemsOf(processes);
    processes.second.process.kill();
    const third = processes.start('third');
    await third.runQueue.wake(runId);
    await settle();
    expect(await third.control.get(runId)).toMatchObject({
      status: 'FAILED',
      error: 'parked after 1 recoveries',
      waitingFor: [],
    });
    expect(await processes.inbox.get(item?.itemId ?? '')).toMatchObject({ status: 'withdrawn' });
  });
});
