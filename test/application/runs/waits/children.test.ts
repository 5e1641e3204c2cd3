import { describe, expect, test } from 'vitest';
import { hasEnded } from '../../../../src/domain/run/run.ts';
import { ToolError } from '../../../../src/domain/tool-error.ts';
import type { StepDraft } from '../../../../src/domain/workflow/definition.ts';
import { memoryRunLog } from '../../../support/memory.ts';
import { ask, type Core, call, child, createCore, pause } from '../../../support/workflow/core.ts';

const HOUR = 3_600_000;

/** A run whose step `sub` runs a workflow of those steps. */
async function parentOf(steps: readonly StepDraft[], more: Partial<StepDraft> = {}) {
  const core = createCore();
  const inner = await core.define(steps, { output: { said: 'done' } });
  const runId = await core.start([child('sub', inner, more), call('after', 'echo', { dependsOn: ['sub'] })]);
  const only = async () => {
    const found = await core.childrenOf(runId);
    expect(found).toHaveLength(1);
    return found[0] ?? expect.fail();
  };
  return { ...core, inner, runId, only };
}

/** A run whose child, a call of the tool `gated`, has failed; Bob has retried the child, and then Ann the run. */
async function retryChildThenRun(core: Core): Promise<string> {
  const inner = await core.define([call('a', 'gated')]);
  const runId = await core.start([child('sub', inner)]);
  const [started] = await core.childrenOf(runId);
  await core.clock.advance(1_000);
  await core.runs.retry(started?.runId ?? '', { by: 'bob' });
  await core.settle();
  await core.runs.retry(runId, { by: 'ann' });
  await core.settle();
  return runId;
}

describe('a step that runs another workflow', () => {
  test('gives it its input, and completes with its output', async () => {
    const core = createCore();
    const double = { n: '${{ steps.a.n * 2 }}' };
    const inner = await core.define([call('a', 'echo', { staticInput: { n: '$input.n' } })], {
      output: double,
    });
    const runId = await core.start([child('sub', inner, { staticInput: { n: '$input.n' } })], {
      input: { n: 21 },
    });
    const [started] = await core.childrenOf(runId);
    expect(started).toMatchObject({ status: 'COMPLETED', input: { n: 21 }, output: { n: 42 } });
    expect(await core.get(runId)).toMatchObject({
      status: 'COMPLETED',
      stepResults: [{ output: { execution_id: started?.runId, status: 'COMPLETED', output: { n: 42 } } }],
    });
    expect(await core.eventsOf(started?.runId ?? '', 'execution.created')).toMatchObject([
      { origin: 'workflow', parentRunId: runId, depth: 2 },
    ]);
    const [waiting] = await core.eventsOf(runId, 'step.waiting');
    expect(waiting).toMatchObject({ for: 'workflow', itemId: started?.runId });
    expect(core.clock.pending()).toBe(0);
  });

  test('fails as the child does, naming it', async () => {
    const { get, runId, only } = await parentOf([call('bad', 'fail')]);
    const { runId: id } = await only();
    expect((await get(runId)).stepResults).toMatchObject([
      { status: 'FAILED', error: `execution "${id}" ended FAILED: step "bad" failed: it does not work` },
      { status: 'SKIPPED' },
    ]);
  });

  test.each([
    ['an unknown workflow', 'none', 'no workflow "none" is stored'],
    ['an input that the child does not accept', undefined, /^input/u],
  ])('fails for %s', async (_, unknown, error) => {
    const core = createCore();
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } } };
    const inner = await core.define([call('a')], { inputSchema });
    const runId = await core.start([child('sub', unknown ?? inner, { staticInput: { n: 'text' } })]);
    const run = await core.get(runId);
    expect(run.status).toBe('FAILED');
    expect(run.stepResults[0]?.error).toEqual(
      typeof error === 'string' ? error : expect.stringMatching(error),
    );
    expect(await core.childrenOf(runId)).toEqual([]);
  });

  test('may be nested eight deep, and no deeper', async () => {
    const core = createCore();
    let id = await core.define([call('deepest')]);
    const ids = [id];
    for (let depth = 2; depth <= 9; depth++) {
      id = await core.define([child('sub', id)]);
      ids.push(id);
    }
    const eight = await core.start(ids[7] ?? '');
    await core.clock.advance(1_000);
    expect((await core.get(eight)).status).toBe('COMPLETED');
    expect(core.called()).toEqual(['echo deepest']);
    const nine = await core.start(ids[8] ?? '');
    await core.clock.advance(1_000);
    expect((await core.get(nine)).error).toContain('workflows may be nested at most 8 deep');
    expect(core.called()).toHaveLength(1);
    const { items } = await core.runs.list({}, { limit: 100 });
    expect(items).toHaveLength(16);
    expect(items.every(({ status }) => hasEnded(status))).toBe(true);
    await core.clock.advance(5_000);
    expect(core.clock.pending()).toBe(0);
  });

  test('of a workflow that runs itself ends', async () => {
    const core = createCore();
    const id = await core.define([call('a')]);
    await core.orchestrator.workflows.replace(id, { name: 'endless', steps: [child('sub', id)] });
    const runId = await core.start(id);
    await core.clock.advance(1_000);
    expect((await core.get(runId)).status).toBe('FAILED');
    expect((await core.runs.list({}, { limit: 100 })).items).toHaveLength(8);
  });

  test('starts no more runs at one depth than a run may have', async () => {
    const core = createCore({ limits: { maxChildRuns: 6 } });
    const lowest = await core.define([call('a')]);
    const middle = await core.define([child('sub', lowest, { foreach: { items: 'input.items' } })]);
    const items = (count: number) => ({ items: Array.from({ length: count }, (_, index) => index) });
    const twice = (count: number) =>
      core.start([child('sub', middle, { foreach: { items: [1, 2] }, staticInput: items(count) })]);
    const three = await twice(3);
    const four = await twice(4);
    await core.clock.advance(1_000);
    expect((await core.get(three)).status).toBe('COMPLETED');
    const failed = await core.get(four);
    expect(failed.error).toContain(
      'a run may have at most 6 runs below it at each depth, and with this step there could be 8',
    );
    const [first] = await core.childrenOf(four);
    expect(await core.childrenOf(first?.runId ?? '')).toEqual([]);
  });

  test('cancels all children below it', async () => {
    const core = createCore();
    const lowest = await core.define([ask('ok'), call('long', 'hang')]);
    const middle = await core.define([child('sub', lowest)]);
    const runId = await core.start([child('sub', middle)]);
    expect((await core.open()).length).toBe(1);
    await core.runs.cancel(runId, { by: 'ann', reason: null });
    await core.settle();
    await core.clock.advance(10_000);
    const { items } = await core.runs.list({}, { limit: 10 });
    expect(items.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    expect(await core.open()).toEqual([]);
    expect(core.calls.every(({ signal }) => signal.aborted)).toBe(true);
    await core.clock.advance(5_000);
    expect(core.clock.pending()).toBe(0);
  });

  test('cancels its child at once, while another step is given time to stop', async () => {
    const core = createCore({ limits: { cancelGraceMs: 5_000 } });
    const lowest = await core.define([pause('wait', HOUR)]);
    const middle = await core.define([child('sub', lowest), call('slow', 'hang')]);
    const runId = await core.start([child('sub', middle), call('long', 'hang'), ask('ok')]);
    expect(await core.open()).toHaveLength(1);
    await core.runs.cancel(runId, { by: 'ann', reason: null });
    await core.settle();
    expect((await core.get(runId)).status).toBe('RUNNING');
    expect(await core.open()).toEqual([]);
    expect(core.calls.every(({ signal }) => signal.aborted)).toBe(true);
    const [below] = await core.childrenOf(runId);
    expect(await core.childrenOf(below?.runId ?? '')).toMatchObject([{ status: 'CANCELLED' }]);
    await core.clock.advance(5_000);
    expect(await core.statuses(runId)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED', 'CANCELLED']);
    await core.clock.advance(5_000);
    expect(core.clock.pending()).toBe(0);
  });

  test.each<readonly [string, (inner: string) => StepDraft, number]>([
    ['a child', (inner) => child('beside', inner), 1],
    ['children for items', (inner) => child('beside', inner, { foreach: { items: [1, 2] } }), 2],
    ['an approval', () => ask('beside'), 0],
  ])('starts %s beside a call, also while a caller waits', async (_, beside, count) => {
    const core = createCore();
    const gate = Promise.withResolvers<void>();
    core.tool('gated', async (input) => {
      await gate.promise;
      return input;
    });
    const inner = await core.define([call('inner')]);
    const id = await core.define([call('long', 'gated'), beside(inner)]);
    const ended = core.orchestrator.workflows.run(id);
    await core.settle();
    const [parent] = (await core.runs.list({ workflowId: id }, { limit: 1 })).items;
    const children = await core.childrenOf(parent?.runId ?? '');
    expect(children.map(({ status }) => status)).toEqual(new Array(count).fill('COMPLETED'));
    const items = await core.open();
    expect(items).toHaveLength(count === 0 ? 1 : 0);
    for (const { itemId } of items) await core.inbox.resolve(itemId, { by: 'ann', outcome: 'approved' });
    gate.resolve();
    await core.clock.advance(1_000);
    expect((await ended).status).toBe('COMPLETED');
  });

  test.each([
    ['of the step', { timeoutMs: 2_000 }, {}, 'timed out after 2000 ms'],
    ['of the run', {}, { timeoutMs: 2_000 }, 'the workflow timed out after 2000 ms'],
  ])('cancels the child at the time-out %s', async (_, step, whole, error) => {
    const core = createCore();
    const inner = await core.define([pause('wait', HOUR)]);
    const runId = await core.start([child('sub', inner, step)], whole);
    await core.clock.advance(2_000);
    expect((await core.get(runId)).stepResults[0]).toMatchObject({ status: 'FAILED', error });
    expect(await core.childrenOf(runId)).toMatchObject([{ status: 'CANCELLED' }]);
    await core.clock.advance(10_000);
    expect(core.clock.pending()).toBe(0);
  });

  test('retries the same child in a retry of its run, and starts no second one', async () => {
    const core = createCore();
    core.tool(
      'flaky',
      (input, count) => {
        if (count < 3) throw new Error('not yet');
        return input;
      },
      'write',
    );
    const inner = await core.define([call('good'), call('bad', 'flaky')]);
    const runId = await core.start([child('sub', inner)]);
    const [started] = await core.childrenOf(runId);
    for (let attempt = 2; attempt <= 3; attempt++) {
      expect((await core.get(runId)).status).toBe('FAILED');
      await core.clock.advance(1);
      await core.runs.retry(runId, { by: 'ann' });
      await core.settle();
      expect(await core.childrenOf(runId)).toMatchObject([{ runId: started?.runId, attempt }]);
    }
    expect((await core.get(runId)).status).toBe('COMPLETED');
    expect(core.called()).toEqual(['echo good', 'flaky bad', 'flaky bad', 'flaky bad']);
    expect(new Set(core.calls.map(({ key }) => key)).size).toBe(2);
    const [retried] = await core.eventsOf(started?.runId ?? '', 'execution.retried');
    expect(retried).toMatchObject({ by: 'workflow' });
  });

  test('retries the child also where that has failed in the same millisecond', async () => {
    const { runs, get, runId, settle, only } = await parentOf([call('bad', 'fail')]);
    await runs.retry(runId, { by: 'ann' });
    await settle();
    expect(await only()).toMatchObject({ status: 'FAILED', attempt: 2 });
    expect(await get(runId)).toMatchObject({ status: 'FAILED', attempt: 2 });
  });

  test('retries a child that was still stopping when its cancelled run was retried', async () => {
    const core = createCore({ limits: { cancelGraceMs: 5_000 } });
    const inner = await core.define([call('long', 'hang')]);
    const runId = await core.start([child('sub', inner)]);
    await core.runs.cancel(runId, { by: 'ann', reason: null });
    await core.settle();
    expect((await core.get(runId)).status).toBe('CANCELLED');
    await core.runs.retry(runId, { by: 'ann' });
    await core.clock.advance(6_000);
    expect(await core.childrenOf(runId)).toMatchObject([{ status: 'RUNNING', attempt: 2 }]);
    expect((await core.get(runId)).status).toBe('WAITING');
    await core.runs.cancel(runId, { by: 'ann', reason: null });
    await core.clock.advance(11_000);
    expect(await core.childrenOf(runId)).toMatchObject([{ status: 'CANCELLED', attempt: 2 }]);
    expect(core.clock.pending()).toBe(0);
  });

  test('retries a child that fails after somebody else had retried it before the run', async () => {
    const core = createCore();
    const gate = Promise.withResolvers<void>();
    core.tool('gated', async (input, count) => {
      if (count === 2) await gate.promise;
      if (count < 3) throw new Error('broken');
      return input;
    });
    const runId = await retryChildThenRun(core);
    gate.resolve();
    await core.clock.advance(10_000);
    expect(await core.childrenOf(runId)).toMatchObject([{ status: 'COMPLETED', attempt: 3 }]);
    expect((await core.get(runId)).status).toBe('COMPLETED');
  });

  test('takes the output of a child that has completed meanwhile', async () => {
    const core = createCore();
    let works = false;
    core.tool('fixed', (input) => {
      if (!works) throw new Error('broken');
      return input;
    });
    const inner = await core.define([call('a', 'fixed')], { output: { n: 1 } });
    const runId = await core.start([child('sub', inner)]);
    const [started] = await core.childrenOf(runId);
    works = true;
    await core.clock.advance(1_000);
    await core.runs.retry(started?.runId ?? '', { by: 'ann' });
    await core.clock.advance(1_000);
    expect((await core.get(runId)).status).toBe('FAILED');
    await core.runs.retry(runId, { by: 'ann' });
    await core.settle();
    expect(await core.get(runId)).toMatchObject({
      status: 'COMPLETED',
      stepResults: [{ output: { execution_id: started?.runId, output: { n: 1 } } }],
    });
    expect(core.called()).toEqual(['fixed a', 'fixed a']);
  });

  test('goes on with a child that somebody else retries at the same time', async () => {
    const core = createCore();
    const gate = Promise.withResolvers<void>();
    core.tool('gated', async (input, count) => {
      if (count === 1) throw new Error('broken');
      await gate.promise;
      return input;
    });
    const runId = await retryChildThenRun(core);
    expect((await core.get(runId)).status).toBe('WAITING');
    gate.resolve();
    await core.clock.advance(100);
    expect((await core.get(runId)).status).toBe('COMPLETED');
    expect(await core.childrenOf(runId)).toMatchObject([{ attempt: 2 }]);
  });

  test('starts the child again, with the same id, where it was deleted before a retry', async () => {
    const { runs, runId, settle, only, clock } = await parentOf([call('bad', 'fail')]);
    const before = await only();
    await runs.delete(before.runId);
    await clock.advance(1);
    await runs.retry(runId, { by: 'ann' });
    await settle();
    expect(await only()).toMatchObject({ runId: before.runId, attempt: 1 });
  });

  test.each([
    ['completed', 'echo', 'COMPLETED'],
    ['failed', 'fail', 'FAILED'],
  ])('learns that the child has %s although it is deleted at once', async (_, toolName, status) => {
    const deleted: string[] = [];
    const core = createCore({
      ports: {
        events(event) {
          if (event.type !== 'run.appended' || event.workflowId !== inner) return;
          const hasEnded = event.events.some(({ type }) => /^execution\.(?:completed|failed)$/u.test(type));
          if (hasEnded) void core.runs.delete(event.runId).then(() => deleted.push(event.runId));
        },
      },
    });
    const inner = await core.define([call('a', toolName)]);
    const runId = await core.start([child('sub', inner)]);
    await core.clock.advance(1_000);
    expect(deleted).toHaveLength(1);
    expect(await core.childrenOf(runId)).toEqual([]);
    expect(await core.get(runId)).toMatchObject({ status, waitingFor: [] });
    // Also in a retry, in which the child starts again with the same id.
    if (status === 'COMPLETED') return;
    await core.runs.retry(runId, { by: 'ann' });
    await core.clock.advance(1_000);
    expect(deleted).toEqual([deleted[0], deleted[0]]);
    expect(await core.get(runId)).toMatchObject({ status, attempt: 2, waitingFor: [] });
  });

  test('learns of the end of the child where the store has no room for ended runs', async () => {
    const core = createCore({ ports: { runs: memoryRunLog({ maxRows: 0 }) } });
    const inner = await core.define([pause('wait', 100), call('a')]);
    const runId = await core.start([child('sub', inner), pause('other', 10_000)]);
    await core.clock.advance(1_000);
    expect((await core.get(runId)).stepResults).toMatchObject([
      { status: 'COMPLETED' },
      { status: 'WAITING' },
    ]);
    expect(await core.childrenOf(runId)).toEqual([]);
  });

  test('makes new children in a rerun', async () => {
    const { runs, runId, settle, childrenOf, only, get } = await parentOf([call('a')]);
    const first = await only();
    const again = await runs.rerun(runId, { background: true });
    await settle();
    const [second] = await childrenOf(again.runId);
    expect(second?.runId).not.toBe(first.runId);
    expect((await get(again.runId)).status).toBe('COMPLETED');
    await only();
  });

  test('may be deleted, with its run, while a child still stops', async () => {
    const { runs, runId, clock, settle, only, get } = await parentOf([call('long', 'hang')], {
      timeoutMs: 1_000,
    });
    await clock.advance(1_000);
    expect((await get(runId)).status).toBe('FAILED');
    const { runId: id, status } = await only();
    expect(status).toBe('RUNNING');
    await runs.delete(runId);
    await clock.advance(11_000);
    await settle();
    expect(await get(id)).toMatchObject({ status: 'CANCELLED' });
    await clock.advance(5_000);
    expect(clock.pending()).toBe(0);
  });

  test('needs no place of the background runs for the parent, nor room for the child', async () => {
    const core = createCore({ limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 } });
    const leaf = await core.define([call('a'), pause('wait', 1_000)]);
    const middle = await core.define([child('one', leaf), child('two', leaf)]);
    const ids = [];
    for (let count = 0; count < 5; count++)
      ids.push(await core.start([child('sub', middle), call('beside')]));
    await core.clock.advance(20_000);
    for (const runId of ids) expect((await core.get(runId)).status).toBe('COMPLETED');
    expect((await core.runs.list({}, { limit: 200 })).items).toHaveLength(5 * 4);
  });

  test.each([
    ['', undefined],
    ['durable ', { maxRecoveries: 3, unknownOutcome: 'fail' } as const],
  ])('needs no room when its %srun is retried', async (_, recovery) => {
    const core = createCore({ recovery, limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 } });
    let works = false;
    core.tool('fixed', () => {
      if (!works) throw new Error('broken');
      return {};
    });
    const inner = await core.define([call('a', 'fixed')]);
    const runId = await core.start([child('sub', inner)]);
    await core.clock.advance(1_000);
    works = true;
    // The parent takes the only place, and the other run that to wait in.
    await core.runs.retry(runId, { by: 'ann' });
    const other = await core.orchestrator.workflows.run(inner, { background: true });
    await core.clock.advance(10_000);
    expect((await core.get(runId)).status).toBe('COMPLETED');
    expect((await core.get(other.runId)).status).toBe('COMPLETED');
  });

  test('that is under way ends with its run at a shutdown', async () => {
    const { runId, orchestrator, get, only, clock, settle } = await parentOf([call('long', 'hang')]);
    void orchestrator.close(1_000);
    await clock.advance(1_000);
    await settle();
    await clock.advance(11_000);
    expect(await only()).toMatchObject({ status: 'FAILED', error: 'interrupted' });
    expect((await get(runId)).status).toBe('WAITING');
    expect(clock.pending()).toBe(0);
  });

  test.each([
    ['continue', 'COMPLETED', ['FAILED', 'SKIPPED']],
    [{ output: { instead: true } }, 'COMPLETED', ['COMPLETED', 'COMPLETED']],
  ] as const)('follows on_error %o', async (onError, status, statuses) => {
    const { get, runId } = await parentOf([call('bad', 'fail')], { onError });
    const run = await get(runId);
    expect([run.status, ...run.stepResults.map((step) => step.status)]).toEqual([status, ...statuses]);
  });
});

describe('a step that runs another workflow for each item', () => {
  test('starts one child for each, at most as many at a time as it may', async () => {
    const core = createCore();
    const inner = await core.define(
      [pause('wait', 1_000), call('a', 'echo', { staticInput: { n: '$input.n' } })],
      {
        output: { n: '$input.n' },
      },
    );
    const foreach = { items: [5, 6, 7, 8, 9], concurrency: 2 };
    const runId = await core.start([
      child('sub', inner, { foreach, staticInput: { n: '${{ item * 10 + index }}' } }),
    ]);
    expect(await core.childrenOf(runId)).toHaveLength(2);
    await core.clock.advance(1_000);
    expect(await core.childrenOf(runId)).toHaveLength(4);
    await core.clock.advance(2_000);
    const { status, stepResults } = await core.get(runId);
    expect(status).toBe('COMPLETED');
    expect(stepResults[0]).toMatchObject({ attempts: 5, output: { count: 5, failed: 0, errors: {} } });
    const results = stepResults[0]?.output?.['results'];
    expect(results).toMatchObject([50, 61, 72, 83, 94].map((n) => ({ status: 'COMPLETED', output: { n } })));
    expect(await core.childrenOf(runId)).toHaveLength(5);
  });

  test('retries only the children that failed', async () => {
    const core = createCore();
    core.tool('odd', (input, count) => {
      if (count <= 3 && input['n'] === 2) throw new ToolError('two');
      return input;
    });
    const inner = await core.define([call('a', 'odd', { staticInput: { n: '$input.n' } })]);
    const foreach = { items: [1, 2, 3], onItemError: 'continue' } as const;
    const steps = [
      child('sub', inner, { foreach, staticInput: { n: '${{ item }}' } }),
      call('check', 'fail', { when: 'steps.sub.failed > 0', dependsOn: ['sub'] }),
    ];
    const runId = await core.start(steps);
    const { stepResults, status } = await core.get(runId);
    expect(status).toBe('FAILED');
    expect(stepResults[0]?.output).toMatchObject({
      failed: 1,
      count: 3,
      errors: { 1: expect.stringContaining('two') },
    });
    expect(await core.childrenOf(runId)).toHaveLength(3);
    // A step that has completed stays as it is.
    await core.clock.advance(1);
    await core.runs.retry(runId, { by: 'ann' });
    await core.settle();
    expect((await core.childrenOf(runId)).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  test('stops after the first that failed, and a retry keeps the others', async () => {
    const core = createCore();
    core.tool('once', (input, count) => {
      if (count === 2) throw new Error('the second call');
      return input;
    });
    const inner = await core.define([call('a', 'once')]);
    const foreach = { items: [0, 1, 2, 3], concurrency: 1 };
    const runId = await core.start([child('sub', inner, { foreach })]);
    expect((await core.get(runId)).stepResults[0]?.error).toMatch(
      /^item 1 failed: execution ".*" ended FAILED/u,
    );
    expect(await core.childrenOf(runId)).toHaveLength(2);
    await core.clock.advance(1);
    await core.runs.retry(runId, { by: 'ann' });
    await core.settle();
    expect((await core.get(runId)).status).toBe('COMPLETED');
    const children = await core.childrenOf(runId);
    expect(children.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 1]);
    expect(core.calls).toHaveLength(5);
  });

  test('does not become larger than an output may be', async () => {
    const core = createCore({ limits: { maxOutputBytes: 20_000 } });
    const inner = await core.define([call('a', 'echo', { staticInput: { text: 'x'.repeat(3_000) } })], {
      output: { text: '$step.a.text' },
    });
    const foreach = { items: Array.from({ length: 50 }, (_, index) => index), concurrency: 1 };
    const runId = await core.start([child('sub', inner, { foreach })]);
    await core.clock.advance(1_000);
    expect((await core.get(runId)).stepResults[0]).toMatchObject({
      status: 'FAILED',
      error: 'the outputs of its items together are larger than 20000 bytes of JSON',
    });
    expect((await core.childrenOf(runId)).length).toBeLessThan(10);
  });
});
