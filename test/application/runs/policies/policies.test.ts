import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../../src/domain/tool-error.ts';
import type { StepDraft } from '../../../../src/domain/workflow/definition.ts';
import { ask, call, createCore, pause } from '../../../support/workflow/core.ts';

const later = (ids: readonly string[], more: Partial<StepDraft> = {}): Partial<StepDraft> => ({
  dependsOn: ids,
  ...more,
});

describe('retry', () => {
  test('takes the place of the attempts of a tool, with its own back-off', async () => {
    const { start, get, tool, clock, eventsOf, calls } = createCore({ limits: { toolMaxAttempts: 2 } });
    tool('flaky', (input, count) => {
      if (count < 5) throw new ToolError(`no ${count}`);
      return input;
    });
    const retry = { maxAttempts: 5, backoffMs: 100, factor: 3, maxBackoffMs: 1_000 };
    const runId = await start([call('a', 'flaky', { retry })]);
    await clock.advance(10_000);
    expect(await get(runId)).toMatchObject({ status: 'COMPLETED', stepResults: [{ attempts: 5 }] });
    // The clock of the tests throws dice that always show one half.
    expect(await eventsOf(runId, 'step.retrying')).toMatchObject([
      { attempt: 1, error: 'no 1', delayMs: 50 },
      { attempt: 2, error: 'no 2', delayMs: 150 },
      { attempt: 3, error: 'no 3', delayMs: 450 },
      { attempt: 4, error: 'no 4', delayMs: 500 },
    ]);
    expect(new Set(calls.map(({ key }) => key))).toEqual(new Set([`${runId}:a`]));
  });

  test('may be less than the registry attempts, and ends with the last error', async () => {
    const { start, get, clock, calls } = createCore({ limits: { toolMaxAttempts: 3 } });
    const runId = await start([call('a', 'fail', { retry: { maxAttempts: 1 } })]);
    await clock.advance(10_000);
    expect((await get(runId)).stepResults[0]).toMatchObject({ attempts: 1, error: 'it does not work' });
    expect(calls).toHaveLength(1);
  });

  test('repeats a write only where that was before', async () => {
    const { start, tool, clock, calls, get } = createCore();
    tool(
      'book',
      () => {
        throw new Error('it may have happened');
      },
      'write',
    );
    const runId = await start([call('a', 'book', { retry: { maxAttempts: 5 } })]);
    await clock.advance(10_000);
    expect(calls).toHaveLength(1);
    expect((await get(runId)).stepResults[0]).toMatchObject({ status: 'FAILED', attempts: 1 });
  });

  test.each([
    [undefined, 3],
    ['read', 3],
    ['idempotent', 3],
    ['write', 1],
  ] as const)('attempts an agent of effect %s again: %i calls', async (effect, expected) => {
    const { start, agent, clock, calls, get } = createCore();
    agent(
      'unsure',
      () => {
        throw new Error('unsure');
      },
      effect,
    );
    const step = { id: 'a', kind: 'agent', agentName: 'unsure', retry: { maxAttempts: 3 } } as const;
    const runId = await start([step]);
    await clock.advance(10_000);
    expect(calls).toHaveLength(expected);
    expect((await get(runId)).stepResults[0]).toMatchObject({ status: 'FAILED', attempts: expected });
  });

  test('ends at once when the run is cancelled between two attempts', async () => {
    const { start, clock, runs, get, calls } = createCore();
    const runId = await start([
      call('a', 'fail', { retry: { maxAttempts: 20, backoffMs: 60_000, maxBackoffMs: 60_000 } }),
    ]);
    await clock.advance(10_000);
    await runs.cancel(runId, { by: 'ann', reason: null });
    await clock.advance(100);
    expect((await get(runId)).status).toBe('CANCELLED');
    expect(clock.pending()).toBe(0);
    expect(calls).toHaveLength(1);
  });
});

describe('timeout_ms', () => {
  test('count no attempt that a time limit ended before it began', async () => {
    const { start, clock, get, calls, agent } = createCore();
    agent('moody', () => {
      throw new Error('not today');
    });
    const retry = { maxAttempts: 20, backoffMs: 60_000, maxBackoffMs: 60_000 };
    const runId = await start([
      call('a', 'fail', { retry, timeoutMs: 10 }),
      { id: 'b', kind: 'agent', agentName: 'moody', retry, timeoutMs: 10 },
    ]);
    await clock.advance(10);
    expect((await get(runId)).stepResults).toMatchObject([
      { status: 'FAILED', attempts: 1, error: 'timed out after 10 ms' },
      { status: 'FAILED', attempts: 1, error: 'timed out after 10 ms' },
    ]);
    expect(calls).toHaveLength(2);
  });

  test('of a step bounds all its attempts and the times between them', async () => {
    const { start, clock, get, calls } = createCore();
    const retry = { maxAttempts: 20, backoffMs: 400, factor: 1, maxBackoffMs: 400 };
    const runId = await start([call('a', 'fail', { retry, timeoutMs: 1_000 })]);
    await clock.advance(20_000);
    expect((await get(runId)).stepResults[0]).toMatchObject({
      status: 'FAILED',
      error: 'timed out after 1000 ms',
    });
    expect(calls).toHaveLength(5);
    expect(clock.pending()).toBe(0);
  });

  test('of a step aborts a call that goes on', async () => {
    const { start, clock, get, calls } = createCore();
    const runId = await start([call('a', 'hang', { timeoutMs: 700 }), call('b')]);
    await clock.advance(699);
    expect(calls[0]?.signal.aborted).toBe(false);
    await clock.advance(101);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(await get(runId)).toMatchObject({
      status: 'FAILED',
      error: 'step "a" failed: timed out after 700 ms',
      stepResults: [{ status: 'FAILED', durationMs: 700 }, { status: 'COMPLETED' }],
    });
  });

  test('of a run ends it, and steps that always run still run once', async () => {
    const { start, clock, get, called } = createCore();
    const steps = [
      call('a', 'hang'),
      call('b', 'echo', later(['a'])),
      call('clean', 'echo', later(['a'], { runIf: 'always' })),
      ask('nobody', later(['a'], { runIf: 'always' })),
    ];
    const runId = await start(steps, { timeoutMs: 2_000 });
    await clock.advance(2_100);
    const run = await get(runId);
    expect(run).toMatchObject({ status: 'FAILED', error: 'the workflow timed out after 2000 ms' });
    expect(run.stepResults.map(({ status }) => status)).toEqual(['FAILED', 'SKIPPED', 'COMPLETED', 'FAILED']);
    expect(called()).toEqual(['hang a', 'echo clean']);
    await clock.advance(10_000);
    expect(clock.pending()).toBe(0);
  });

  test.each([
    ['a step', { timeoutMs: 1_000 }, {}],
    ['a run', {}, { timeoutMs: 1_000 }],
  ])('of %s does not count once the run is cancelled', async (_, step, whole) => {
    const { start, clock, get, runs, tool } = createCore();
    tool('careful', async (_input, _count, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise<void>((resolve) => clock.after(600, resolve));
      throw signal.reason;
    });
    const runId = await start([call('a', 'careful', step)], whole);
    await clock.advance(900);
    await runs.cancel(runId, { by: 'ann', reason: null });
    await clock.advance(2_000);
    expect(await get(runId)).toMatchObject({
      status: 'CANCELLED',
      stepResults: [{ status: 'CANCELLED', error: 'cancelled' }],
    });
    expect(clock.pending()).toBe(0);
  });

  test('of a run counts anew in a retry', async () => {
    const { start, clock, get, runs } = createCore();
    const runId = await start([pause('a', 1_500)], { timeoutMs: 1_000 });
    await clock.advance(1_000);
    expect((await get(runId)).status).toBe('FAILED');
    await clock.advance(60_000);
    await runs.retry(runId, { by: 'ann' });
    await clock.advance(999);
    expect((await get(runId)).status).toBe('WAITING');
    await clock.advance(1);
    expect((await get(runId)).error).toBe('the workflow timed out after 1000 ms');
  });
});

describe('on_error', () => {
  const output = { instead: true };

  test.each([
    ['a tool', call('a', 'fail')],
    ['an agent', { id: 'a', kind: 'agent', agentName: 'nobody' } as StepDraft],
    ['an input that cannot be made', call('a', 'echo', { staticInput: { n: '$input.none' } })],
    ['a condition that cannot be evaluated', call('a', 'echo', { when: 'input.none' })],
    ['a time-out', call('a', 'hang', { timeoutMs: 10 })],
    ['a wait that has no time', { id: 'a', kind: 'wait', until: 'input.none' } as StepDraft],
    ['an approval that expires', ask('a', { expiresInMs: 10 } as Partial<StepDraft>)],
    ['a workflow that is unknown', { id: 'a', kind: 'workflow', workflowId: 'none' } as StepDraft],
    ['items that are no list', call('a', 'echo', { foreach: { items: 'input' } })],
  ])('is followed by %s', async (_, step) => {
    const { start, get, clock, eventsOf } = createCore();
    const after = call('after', 'echo', later(['a']));
    const ends = async (onError: StepDraft['onError']) => {
      const runId = await start([{ ...step, onError }, after]);
      await clock.advance(1_000);
      return runId;
    };
    expect(await get(await ends('fail'))).toMatchObject({
      status: 'FAILED',
      stepResults: [{ status: 'FAILED' }, { status: 'SKIPPED' }],
    });
    expect(await get(await ends('continue'))).toMatchObject({
      status: 'COMPLETED',
      error: null,
      stepResults: [{ status: 'FAILED' }, { status: 'SKIPPED' }],
    });
    const replaced = await ends({ output });
    expect(await get(replaced)).toMatchObject({
      status: 'COMPLETED',
      stepResults: [{ status: 'COMPLETED', output, error: null }, { status: 'COMPLETED' }],
    });
    expect((await eventsOf(replaced, 'step.completed'))[0]).toMatchObject({
      stepId: 'a',
      error: expect.any(String),
    });
    await clock.advance(5_000);
    expect(clock.pending()).toBe(0);
  });

  test('is not followed by a cancel', async () => {
    const { start, get, clock, runs } = createCore({ limits: { toolTimeoutMs: 60_000 } });
    const runId = await start([call('a', 'hang', { onError: { output } })]);
    await runs.cancel(runId, { by: 'ann', reason: null });
    await clock.advance(11_000);
    expect(await get(runId)).toMatchObject({ status: 'CANCELLED', stepResults: [{ status: 'CANCELLED' }] });
  });
});

describe('run_if', () => {
  test('always runs after a failure, and after each other, but not after a cancel', async () => {
    const { start, get, called, runs, settle } = createCore();
    const steps = [
      call('a', 'fail'),
      call('b', 'echo', later(['a'])),
      call('c', 'echo', later(['b'], { runIf: 'always' })),
      call('d', 'echo', later(['c'])),
    ];
    const runId = await start(steps);
    expect(await get(runId)).toMatchObject({ status: 'FAILED', error: 'step "a" failed: it does not work' });
    expect(called()).toEqual(['fail a', 'echo c']);
    const waiting = await start([ask('ok'), call('c', 'echo', later(['ok'], { runIf: 'always' }))]);
    await runs.cancel(waiting, { by: 'ann', reason: null });
    await settle();
    expect((await get(waiting)).stepResults.map(({ status }) => status)).toEqual(['CANCELLED', 'SKIPPED']);
  });

  test('tells steps apart that need one dependency and those that need all', async () => {
    const { start, get, eventsOf } = createCore();
    const steps = [
      call('no', 'echo', { when: 'false' }),
      call('yes'),
      call('one', 'echo', later(['no', 'yes'])),
      call('all', 'echo', later(['no', 'yes'], { runIf: 'all_completed' })),
      call('none', 'echo', later(['no'])),
    ];
    const runId = await start(steps);
    const { status, stepResults } = await get(runId);
    expect([status, ...stepResults.map((step) => step.status)]).toEqual([
      ...['COMPLETED', 'SKIPPED', 'COMPLETED', 'COMPLETED', 'SKIPPED', 'SKIPPED'],
    ]);
    const skipped = await eventsOf(runId, 'step.skipped');
    expect(skipped.map((event) => 'why' in event && event.why)).toEqual([
      'condition',
      'condition',
      'condition',
    ]);
  });
});

describe('max_concurrent_steps', () => {
  test('bounds the steps of a run that are under way, and those that have started', async () => {
    const { start, get, tool, clock, eventsOf } = createCore();
    let now = 0;
    let most = 0;
    tool('slow', async () => {
      most = Math.max(most, ++now);
      await new Promise<void>((resolve) => clock.after(100, resolve));
      now--;
      return {};
    });
    const steps = Array.from({ length: 7 }, (_, index) => call(`s${index}`, 'slow'));
    const runId = await start(steps, { maxConcurrentSteps: 3 });
    expect(await eventsOf(runId, 'step.started')).toHaveLength(3);
    await clock.advance(1_000);
    expect((await get(runId)).status).toBe('COMPLETED');
    expect(most).toBe(3);
  });
});

describe('the output of a definition', () => {
  test('is resolved at a completed end, and fails the run where it cannot be', async () => {
    const { start, get } = createCore();
    const a = call('a', 'echo', { staticInput: { n: 2 } });
    const good = await start([a], { output: { n: '$step.a.n', text: 'n is ${{ steps.a.n + 1 }}' } });
    expect((await get(good)).output).toEqual({ n: 2, text: 'n is 3' });
    const bad = await start([a], { output: { n: '$step.a.none' } });
    const run = await get(bad);
    expect([run.status, run.output]).toEqual(['FAILED', null]);
    expect(run.error).toMatch(/^output: /u);
    const failed = await start([call('a', 'fail')], { output: { n: '$step.a.none' } });
    expect(await get(failed)).toMatchObject({
      status: 'FAILED',
      output: null,
      error: 'step "a" failed: it does not work',
    });
  });
});

test('a retry of a run that failed for its output alone starts before it ends', async () => {
  const { start, runs, settle, get, eventsOf } = createCore();
  const runId = await start([call('a')], { output: { none: '$step.a.none' } });
  expect((await get(runId)).status).toBe('FAILED');
  await runs.retry(runId, { by: 'ann' });
  await settle();
  expect((await get(runId)).status).toBe('FAILED');
  const types = (await eventsOf(runId)).map(({ type }) => type);
  expect(types.slice(-3)).toEqual(['execution.retried', 'execution.started', 'execution.failed']);
});

test('a cancelled wait has taken as long as it lasted', async () => {
  const { start, runs, settle, clock, get } = createCore();
  const runId = await start([pause('a', 60_000)]);
  await clock.advance(1_500);
  await runs.cancel(runId, { by: 'ann', reason: null });
  await settle();
  expect((await get(runId)).stepResults[0]).toMatchObject({ status: 'CANCELLED', durationMs: 1_500 });
});
