import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../src/domain/tool-error.ts';
import { settle } from '../../support/fake-clock.ts';
import { callTool, createTestEngine } from '../../support/workflow/engine.ts';
import { expectSoundLog } from '../../support/workflow/logs.ts';
import { waitingEngine } from '../../support/workflow/waiting-engine.ts';

/** An engine with an ended run of the steps `a`, `b` after it, `c` after `b`, and `x` that depends on nothing. */
async function setUp() {
  const engine = createTestEngine();
  const calls: string[] = [];
  const keys: string[] = [];
  const failing = new Set<unknown>();
  engine.tool('work', async ({ step = null, from = null }, { idempotencyKey }) => {
    calls.push(String(step));
    keys.push(idempotencyKey);
    if (failing.has(step)) throw new ToolError('fails', { permanent: true });
    return { from, call: calls.length };
  });
  const { id } = await engine.define(
    callTool('a', 'work', { step: 'a', from: '$input.n' }),
    callTool('b', 'work', { step: 'b', from: '$step.a.call' }, ['a']),
    callTool('c', 'work', { step: 'c', from: '$step.b.call' }, ['b']),
    callTool('x', 'work', { step: 'x', from: '$input.n' }),
  );
  const run = async () => {
    const original = await engine.workflows.run(id, { input: { n: 1 } });
    calls.splice(0);
    keys.splice(0);
    return original;
  };
  return { ...engine, id, calls, keys, failing, run };
}

describe('a rerun from a step', () => {
  test('is a new run that copies the completed steps which do not depend on it', async () => {
    const engine = await setUp();
    const original = await engine.run();
    const rerun = await engine.control.rerun(original.runId, { fromStep: 'b', background: false });
    expect(rerun).toMatchObject({
      status: 'COMPLETED',
      rerunOf: original.runId,
      attempt: 1,
      input: { n: 1 },
    });
    expect(rerun.runId).not.toBe(original.runId);
    expect(engine.calls).toEqual(['b', 'c']);
    expect(engine.keys).toEqual([`${rerun.runId}:b`, `${rerun.runId}:c`]);
    const outputs = rerun.stepResults.map(({ output }) => output);
    expect([outputs[0], outputs[3]]).toEqual([
      original.stepResults[0]?.output,
      original.stepResults[3]?.output,
    ]);
    expect(outputs[1]).toMatchObject({ from: original.stepResults[0]?.output?.['call'] });
    expect(rerun.stepResults.map(({ attempts }) => attempts)).toEqual([0, 1, 1, 0]);
    const { events } = await engine.control.events(rerun.runId).read(0, 200);
    const copied = events.filter(({ data }) => 'copied' in data && data.copied === true);
    expect(copied).toMatchObject([
      { type: 'step.completed', seq: 2, data: { stepId: 'a', attempts: 0 } },
      { type: 'step.completed', seq: 3, data: { stepId: 'x', attempts: 0 } },
    ]);
    expect(events[0]).toMatchObject({ type: 'execution.created', data: { origin: 'rerun' } });
    expect(await expectSoundLog(engine, rerun.runId)).toEqual(rerun);
    expect(await engine.control.get(original.runId)).toEqual(original);
  });

  test('in the middle of a layer runs only that part of it', async () => {
    const engine = await setUp();
    const { runId } = await engine.run();
    const rerun = await engine.control.rerun(runId, { fromStep: 'x', background: false });
    expect(rerun.status).toBe('COMPLETED');
    expect(engine.calls).toEqual(['x']);
    await expectSoundLog(engine, rerun.runId);
  });

  test('also runs the steps that do not depend on it and never completed', async () => {
    const engine = await setUp();
    engine.failing.add('a');
    const { runId } = await engine.run();
    engine.failing.clear();
    const rerun = await engine.control.rerun(runId, { fromStep: 'c', background: false });
    expect(rerun.status).toBe('COMPLETED');
    expect(engine.calls).toEqual(['a', 'b', 'c']);
    await expectSoundLog(engine, rerun.runId);
  });

  test('that does not exist is invalid, and nothing is recorded', async () => {
    const engine = await setUp();
    const { runId } = await engine.run();
    await expect(
      engine.control.rerun(runId, { fromStep: 'no "step"', background: false }),
    ).rejects.toMatchObject({ code: 'validation' });
    expect((await engine.control.list({}, { limit: 200 })).items).toHaveLength(1);
  });
});

describe('a rerun', () => {
  test('without a step runs everything', async () => {
    const engine = await setUp();
    const { runId } = await engine.run();
    const rerun = await engine.control.rerun(runId, { background: false });
    expect(rerun).toMatchObject({ status: 'COMPLETED', rerunOf: runId });
    expect([...engine.calls].sort()).toEqual(['a', 'b', 'c', 'x']);
  });

  test('with another input gives it to the steps that run', async () => {
    const engine = await setUp();
    const { runId } = await engine.run();
    const input = { n: 7 };
    const running = engine.control.rerun(runId, { fromStep: 'a', input, background: false });
    input.n = 8;
    const rerun = await running;
    expect(rerun.input).toEqual({ n: 7 });
    expect(rerun.stepResults.map(({ output }) => output?.['from'])).toEqual([7, 1, 2, 1]);
  });

  test('with an input that is not JSON is invalid', async () => {
    const engine = await setUp();
    const { runId } = await engine.run();
    const input = { n: Number.NaN };
    await expect(engine.control.rerun(runId, { input, background: true })).rejects.toMatchObject({
      code: 'validation',
    });
  });

  test('in the background is returned as PENDING with its copied steps, under the id that was chosen', async () => {
    const engine = await setUp();
    const { runId } = await engine.run();
    const rerun = await engine.control.rerun(runId, { fromStep: 'c', background: true, newRunId: 'new' });
    expect(rerun).toMatchObject({ runId: 'new', status: 'PENDING', background: true, startedAt: null });
    expect(rerun.stepResults.map(({ status }) => status)).toEqual([
      ...['COMPLETED', 'COMPLETED', 'PENDING', 'COMPLETED'],
    ]);
    await settle();
    expect(await expectSoundLog(engine, 'new')).toMatchObject({ status: 'COMPLETED' });
    expect(engine.calls).toEqual(['c']);
  });

  test('of which the caller waits for a limited time is returned as it is then, and continues', async () => {
    const engine = waitingEngine();
    const { id } = await engine.define(callTool('a', 'wait'));
    const original = engine.workflows.run(id);
    await settle();
    await engine.release();
    const { runId } = await original;
    const waiting = engine.control.rerun(runId, { background: false, waitMs: 500 });
    await engine.clock.advance(500);
    const rerun = await waiting;
    expect(rerun).toMatchObject({ status: 'RUNNING', background: false, rerunOf: runId });
    await engine.release();
    expect(await expectSoundLog(engine, rerun.runId)).toMatchObject({ status: 'COMPLETED' });
  });

  test('of a run of a deleted definition works', async () => {
    const engine = await setUp();
    const { runId } = await engine.run();
    await engine.workflows.delete(engine.id);
    expect(await engine.control.rerun(runId, { background: false })).toMatchObject({ status: 'COMPLETED' });
  });

  test('can be rerun, retried and cancelled itself', async () => {
    const engine = await setUp();
    const { runId } = await engine.run();
    engine.failing.add('c');
    const failed = await engine.control.rerun(runId, { fromStep: 'b', background: false });
    expect(failed.status).toBe('FAILED');
    engine.failing.clear();
    engine.calls.splice(0);
    await engine.control.retry(failed.runId, { by: 'ann' });
    await settle();
    expect(await expectSoundLog(engine, failed.runId)).toMatchObject({ status: 'COMPLETED', rerunOf: runId });
    expect(engine.calls).toEqual(['c']);
    const again = await engine.control.rerun(failed.runId, { fromStep: 'c', background: true });
    expect((await engine.control.cancel(again.runId, { by: 'ann', reason: null })).isAccepted).toBe(true);
    await settle();
    expect(await expectSoundLog(engine, again.runId)).toMatchObject({
      rerunOf: failed.runId,
      status: 'CANCELLED',
    });
  });

  test('of a run that has not ended is a conflict, and of an unknown one not found', async () => {
    const engine = waitingEngine();
    const { id } = await engine.define(callTool('a', 'wait'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    const request = { background: false };
    await expect(engine.control.rerun(runId, request)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('RUNNING'),
    });
    await expect(engine.control.rerun('unknown', request)).rejects.toMatchObject({ code: 'not_found' });
    await engine.release();
    const ended = await engine.control.rerun(runId, { background: true });
    expect(ended.status).toBe('PENDING');
  });
});
