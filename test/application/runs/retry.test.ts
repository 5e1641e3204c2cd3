import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { settle } from '../../support/fake-clock.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callTool, createTestEngine, type TestEngineOptions } from '../../support/workflow/engine.ts';
import { expectSoundLog } from '../../support/workflow/logs.ts';
import { waitingEngine } from '../../support/workflow/waiting-engine.ts';

const BY = { by: 'ann' };

/** An engine with a tool that fails while `failing` has the step's name, and records its calls. */
async function setUp(options: TestEngineOptions = {}) {
  const engine = createTestEngine(options);
  const failing = new Set<unknown>(['c']);
  const calls: { readonly step: unknown; readonly key: string }[] = [];
  engine.tool('work', async ({ step = null, from = null }, { idempotencyKey }) => {
    calls.push({ step, key: idempotencyKey });
    if (failing.has(step)) throw new ToolError(`${String(step)} fails`, { permanent: true });
    return { step, from, call: calls.length };
  });
  const { id } = await engine.define(
    callTool('a', 'work', { step: 'a' }),
    callTool('b', 'work', { step: 'b', from: '$step.a.call' }, ['a']),
    callTool('c', 'work', { step: 'c' }, ['a']),
    callTool('d', 'work', { step: 'd', from: '$step.b.call' }, ['b', 'c']),
  );
  const statuses = async (runId: string) =>
    (await engine.control.get(runId)).stepResults.map(({ status }) => status);
  return { ...engine, id, failing, calls, statuses };
}

describe('a retry', () => {
  test('runs only the steps that did not complete, and keeps the outputs of the others', async () => {
    const engine = await setUp();
    const failed = await engine.workflows.run(engine.id);
    expect(failed.stepResults.map(({ status }) => status)).toEqual([
      ...['COMPLETED', 'COMPLETED', 'FAILED', 'SKIPPED'],
    ]);
    engine.failing.clear();
    const before = engine.calls.splice(0);
    const retried = await engine.control.retry(failed.runId, BY);
    expect(retried).toMatchObject({
      runId: failed.runId,
      status: 'PENDING',
      attempt: 2,
      error: null,
      completedAt: null,
      startedAt: failed.startedAt,
      createdAt: failed.createdAt,
      durationMs: null,
    });
    expect(retried.stepResults.slice(0, 2)).toEqual(failed.stepResults.slice(0, 2));
    expect(retried.stepResults.slice(2)).toMatchObject([
      { status: 'PENDING', attempts: 1, error: null, startedAt: null, completedAt: null },
      { status: 'PENDING', attempts: 0 },
    ]);
    await settle();
    const run = await expectSoundLog(engine, failed.runId);
    expect(run).toMatchObject({ status: 'COMPLETED', attempt: 2, error: null });
    expect(run.stepResults.slice(0, 2)).toEqual(failed.stepResults.slice(0, 2));
    expect(run.stepResults.map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1]);
    expect(run.stepResults[3]?.output).toMatchObject({ from: failed.stepResults[1]?.output?.['call'] });
    expect(engine.calls.map(({ step }) => step)).toEqual(['c', 'd']);
    const keyOfC = before.find(({ step }) => step === 'c')?.key;
    expect(engine.calls[0]?.key).toBe(keyOfC);
    const keys = [...before, ...engine.calls].map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set(['a', 'b', 'c', 'd'].map((step) => `${failed.runId}:${step}`)));
  });

  test('adds its duration to that of the attempts before', async () => {
    const engine = waitingEngine();
    const { id } = await engine.define(callTool('a', 'wait'), callTool('b', 'wait', {}, ['a']));
    const { runId } = await engine.workflows.run(id, { background: true });
    await engine.clock.advance(300);
    await engine.control.cancel(runId, { by: 'ann', reason: null });
    await engine.release();
    expect(await engine.control.get(runId)).toMatchObject({ status: 'CANCELLED', durationMs: 300 });
    await engine.clock.advance(5_000);
    await engine.control.retry(runId, BY);
    await engine.clock.advance(200);
    await engine.release();
    expect(await engine.control.get(runId)).toMatchObject({ status: 'COMPLETED', durationMs: 500 });
  });

  test('of a run whose steps were all completed when it was cancelled completes it without a call', async () => {
    const engine = waitingEngine();
    const { id } = await engine.define(callTool('a', 'wait'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    await engine.control.cancel(runId, { by: 'ann', reason: null });
    await engine.release();
    expect(await engine.control.get(runId)).toMatchObject({
      status: 'CANCELLED',
      stepResults: [{ status: 'COMPLETED' }],
    });
    await engine.control.retry(runId, BY);
    await settle();
    expect(await expectSoundLog(engine, runId)).toMatchObject({ status: 'COMPLETED', attempt: 2 });
    expect(engine.calls).toHaveLength(1);
  });

  test('can be repeated, and attempts add up', async () => {
    const engine = await setUp();
    const { runId } = await engine.workflows.run(engine.id);
    for (const attempt of [2, 3, 4]) {
      if (attempt === 4) engine.failing.clear();
      await engine.control.retry(runId, BY);
      await settle();
      const run = await expectSoundLog(engine, runId);
      expect(run).toMatchObject({ attempt, status: attempt === 4 ? 'COMPLETED' : 'FAILED' });
      expect(run.stepResults[2]?.attempts).toBe(attempt);
    }
    const { events } = await engine.control.events(runId).read(0, 200);
    expect(events.filter(({ type }) => type === 'execution.started').map(({ data }) => data)).toEqual(
      [1, 2, 3, 4].map((attempt) => ({ attempt })),
    );
    const starts = events.filter(
      ({ type, data }) => type === 'step.started' && 'stepId' in data && data.stepId === 'c',
    );
    expect(starts.map(({ data }) => 'attempt' in data && data.attempt)).toEqual([1, 2, 3, 4]);
    expect(events.filter(({ type }) => type === 'execution.retried').map(({ data }) => data)).toEqual(
      [2, 3, 4].map((attempt) => ({ by: 'ann', attempt, steps: ['c', 'd'] })),
    );
  });

  test('of a cancelled run goes on where it was cancelled, and forgets the cancel', async () => {
    const engine = waitingEngine({ limits: { maxConcurrentSteps: 1, cancelGraceMs: 100 } });
    const { id } = await engine.define(callTool('a', 'wait'), callTool('b', 'wait'), callTool('c', 'wait'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    await engine.release();
    await engine.control.cancel(runId, { by: 'ann', reason: 'stop' });
    await engine.clock.advance(100);
    const statuses = (await engine.control.get(runId)).stepResults.map(({ status }) => status);
    expect(statuses).toEqual(['COMPLETED', 'CANCELLED', 'SKIPPED']);
    const retried = await engine.control.retry(runId, BY);
    expect(retried).toMatchObject({ status: 'PENDING', error: null, attempt: 2 });
    await settle();
    // The call of the first attempt returns late: the second one must not take its result.
    expect(engine.calls).toHaveLength(3);
    await engine.releaseAll();
    const run = await expectSoundLog(engine, runId);
    expect(run).toMatchObject({ status: 'COMPLETED', error: null });
    expect(run.stepResults.map(({ attempts }) => attempts)).toEqual([1, 2, 1]);
    expect(engine.calls).toHaveLength(4);
  });

  test('can be cancelled as well, while it waits and while it runs', async () => {
    const engine = waitingEngine({ limits: { maxBackgroundRuns: 1, cancelGraceMs: 10 } });
    const { id } = await engine.define(callTool('a', 'wait'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    await engine.control.cancel(runId, { by: 'ann', reason: 'one' });
    await engine.clock.advance(10);
    const blocker = await engine.workflows.run(id, { background: true });
    await engine.control.retry(runId, BY);
    await engine.control.cancel(runId, { by: 'ann', reason: 'two' });
    await settle();
    expect(await expectSoundLog(engine, runId)).toMatchObject({
      status: 'CANCELLED',
      error: 'cancelled: two',
      attempt: 2,
      stepResults: [{ status: 'SKIPPED', attempts: 1 }],
    });
    await engine.release();
    expect((await engine.control.get(blocker.runId)).status).toBe('COMPLETED');
    await engine.control.retry(runId, BY);
    await settle();
    await engine.control.cancel(runId, { by: 'ann', reason: null });
    await engine.clock.advance(10);
    expect(await expectSoundLog(engine, runId)).toMatchObject({
      status: 'CANCELLED',
      error: 'cancelled',
      attempt: 3,
      stepResults: [{ attempts: 2 }],
    });
  });

  test('works after the definition was deleted', async () => {
    const engine = await setUp();
    const { runId } = await engine.workflows.run(engine.id);
    await engine.workflows.delete(engine.id);
    engine.failing.clear();
    await engine.control.retry(runId, BY);
    await settle();
    expect((await engine.control.get(runId)).status).toBe('COMPLETED');
  });

  test('at the same time as another is a conflict, and the steps run once', async () => {
    const engine = await setUp();
    const { runId } = await engine.workflows.run(engine.id);
    engine.failing.clear();
    engine.calls.splice(0);
    const answers = await Promise.allSettled([
      engine.control.retry(runId, BY),
      engine.control.retry(runId, BY),
      engine.control.retry(runId, BY),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'conflict' });
    }
    await settle();
    expect(await expectSoundLog(engine, runId)).toMatchObject({ status: 'COMPLETED', attempt: 2 });
    expect(engine.calls.map(({ step }) => step)).toEqual(['c', 'd']);
  });

  test('that another process was faster with is a conflict, and leaves nothing behind', async () => {
    const store = memoryRunLog({ maxRows: 100 });
    let isOvertaken = false;
    const runs: RunLog = {
      ...store,
      append: async (runId, expectedSeq, events, change) =>
        isOvertaken ? 'conflict' : store.append(runId, expectedSeq, events, change),
    };
    const engine = await setUp({ ports: { runs }, limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 } });
    const { runId } = await engine.workflows.run(engine.id);
    const before = await engine.control.get(runId);
    isOvertaken = true;
    for (let times = 0; times < 5; times++) {
      await expect(engine.control.retry(runId, BY)).rejects.toMatchObject({ code: 'conflict' });
    }
    isOvertaken = false;
    expect(await engine.control.get(runId)).toEqual(before);
    engine.failing.clear();
    await engine.control.retry(runId, BY);
    await settle();
    expect((await engine.control.get(runId)).status).toBe('COMPLETED');
    await engine.runner.close(0);
    expect(engine.clock.pending()).toBe(0);
  });

  test('of a run that is deleted at the same time is not found, and calls nothing', async () => {
    const log = memoryRunLog({ maxRows: 10 });
    const runs: RunLog = {
      ...log,
      async append(runId, ...rest) {
        if (rest[1][0]?.type === 'execution.retried') await log.delete(runId);
        return log.append(runId, ...rest);
      },
    };
    const engine = await setUp({ ports: { runs } });
    const { runId } = await engine.workflows.run(engine.id);
    engine.calls.length = 0;
    await expect(engine.control.retry(runId, BY)).rejects.toMatchObject({ code: 'not_found' });
    await settle();
    expect(engine.calls).toEqual([]);
  });

  test('is unavailable while the queue is full, and changes nothing', async () => {
    const engine = waitingEngine({ limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 } });
    engine.tool('fail', () => {
      throw new ToolError('fails', { permanent: true });
    });
    const { id: failing } = await engine.define(callTool('a', 'fail'));
    const { id } = await engine.define(callTool('a', 'wait'));
    const failed = await engine.workflows.run(failing);
    for (let times = 0; times < 2; times++) await engine.workflows.run(id, { background: true });
    const retry = engine.control.retry(failed.runId, BY);
    await expect(retry).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    expect(await engine.control.get(failed.runId)).toEqual(failed);
    expect((await engine.control.events(failed.runId).read(0, 200)).events.at(-1)?.type).toBe(
      'execution.failed',
    );
    await engine.releaseAll();
    await expect(engine.control.retry(failed.runId, BY)).resolves.toMatchObject({ attempt: 2 });
    await settle();
    expect(await expectSoundLog(engine, failed.runId)).toMatchObject({ status: 'FAILED', attempt: 2 });
  });

  test('of a run that is not FAILED or CANCELLED is a conflict that names its status', async () => {
    const engine = waitingEngine({ limits: { maxBackgroundRuns: 1 } });
    const { id } = await engine.define(callTool('a', 'wait'));
    const running = await engine.workflows.run(id, { background: true });
    const pending = await engine.workflows.run(id, { background: true });
    await settle();
    const retry = (runId: string) => engine.control.retry(runId, BY);
    const code = 'conflict';
    const message = (status: string) => expect.stringContaining(status);
    await expect(retry(running.runId)).rejects.toMatchObject({ code, message: message('RUNNING') });
    await expect(retry(pending.runId)).rejects.toMatchObject({ code, message: message('PENDING') });
    await engine.releaseAll();
    await expect(retry(running.runId)).rejects.toMatchObject({ code, message: message('COMPLETED') });
    await expect(retry('unknown')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a shutdown', () => {
  test('interrupts a retried run that waits, and keeps its completed steps', async () => {
    const engine = waitingEngine({ limits: { maxBackgroundRuns: 1 } });
    engine.tool('fail', () => {
      throw new ToolError('fails', { permanent: true });
    });
    const { id } = await engine.define(callTool('a', 'wait'), callTool('b', 'fail', {}, ['a']));
    const running = engine.workflows.run(id);
    await settle();
    await engine.release();
    const failed = await running;
    const { id: waiting } = await engine.define(callTool('a', 'wait'));
    await engine.workflows.run(waiting, { background: true });
    await engine.control.retry(failed.runId, BY);
    const closing = engine.runner.close(1_000);
    await expect(engine.control.retry(failed.runId, BY)).rejects.toMatchObject({ code: 'conflict' });
    await engine.clock.advance(1_000);
    await closing;
    expect(await expectSoundLog(engine, failed.runId)).toMatchObject({
      status: 'FAILED',
      error: 'interrupted',
      attempt: 2,
      stepResults: [{ status: 'COMPLETED' }, { status: 'SKIPPED', attempts: 1 }],
    });
    expect(engine.clock.pending()).toBe(0);
  });

  test('accepts no retry and no rerun', async () => {
    const engine = await setUp();
    const { runId } = await engine.workflows.run(engine.id);
    await engine.runner.close(0);
    const code = 'unavailable';
    await expect(engine.control.retry(runId, BY)).rejects.toMatchObject({ code });
    await expect(engine.control.rerun(runId, { background: true })).rejects.toMatchObject({ code });
    await expect(engine.control.rerun(runId, { background: false })).rejects.toMatchObject({ code });
    expect(await engine.statuses(runId)).toEqual(['COMPLETED', 'COMPLETED', 'FAILED', 'SKIPPED']);
  });
});
