import { describe, expect, test } from 'vitest';
import type { StepDraft } from '../../../../src/domain/workflow/definition.ts';
import { ask, call, createCore, pause } from '../../../support/workflow/core.ts';

const HOUR = 3_600_000;

/** The interval at which a process looks for runs that are due while there are some. */
const SWEEP_MS = 5_000;

const until = (text: string): StepDraft => ({ id: 'wait', kind: 'wait', until: text });

describe('a wait', () => {
  test('ends when its duration is over, and says nothing', async () => {
    const { start, clock, get } = createCore();
    const runId = await start([pause('wait', 90_000), call('after', 'echo', { dependsOn: ['wait'] })]);
    const wakes = new Date(clock.now() + 90_000).toISOString();
    expect(await get(runId)).toMatchObject({
      status: 'WAITING',
      waitingFor: [{ kind: 'wait', stepId: 'wait', until: wakes }],
      wakeAt: Date.parse(wakes),
    });
    await clock.advance(89_999);
    expect((await get(runId)).status).toBe('WAITING');
    await clock.advance(1);
    const run = await get(runId);
    expect(run).toMatchObject({ status: 'COMPLETED', waitingFor: [], wakeAt: null });
    expect(run.stepResults[0]).toMatchObject({
      status: 'COMPLETED',
      output: {},
      durationMs: 90_000,
      attempts: 1,
    });
  });

  test('lasts until the time that an expression says, at once where that is over', async () => {
    const { start, clock, get } = createCore();
    const later = new Date(clock.now() + 5_000).toISOString();
    const waiting = await start([until('input.at')], { input: { at: later } });
    const over = await start([until('input.at')], { input: { at: '2020-02-29T00:00:00Z' } });
    const written = await start([until('1999-12-31T23:59:59Z')]);
    await clock.advance(1);
    expect((await get(over)).status).toBe('COMPLETED');
    expect((await get(written)).status).toBe('COMPLETED');
    expect((await get(waiting)).status).toBe('WAITING');
    await clock.advance(5_000);
    expect((await get(waiting)).status).toBe('COMPLETED');
  });

  test.each([['tomorrow'], [7], ['2026-13-01T00:00:00Z'], [null]])(
    'until %o fails its step when it begins',
    async (at) => {
      const { start, get, clock } = createCore();
      const runId = await start([until('input.at')], { input: { at } });
      const run = await get(runId);
      expect([run.status, run.stepResults[0]?.status]).toEqual(['FAILED', 'FAILED']);
      expect(run.stepResults[0]?.error).toMatch(/until/u);
      await clock.advance(SWEEP_MS);
      expect(clock.pending()).toBe(0);
    },
  );

  test('goes on beside steps of its layer, and ends while they are under way', async () => {
    const { start, clock, get, tool } = createCore();
    const done = Promise.withResolvers<void>();
    tool('slow', () => done.promise.then(() => ({})));
    const runId = await start([pause('wait', 1_000), call('slow', 'slow')]);
    expect(await get(runId)).toMatchObject({ status: 'RUNNING', waitingFor: [{ stepId: 'wait' }] });
    await clock.advance(1_000);
    expect(await get(runId)).toMatchObject({
      status: 'RUNNING',
      waitingFor: [],
      stepResults: [{ status: 'COMPLETED' }, { status: 'RUNNING' }],
    });
    done.resolve();
    await clock.advance(100);
    expect((await get(runId)).status).toBe('COMPLETED');
    expect(clock.pending()).toBe(0);
  });

  test.each([
    ['alone', []],
    ['beside a step that goes on', [call('long', 'hang')]],
  ])('of many that are due at the same time ends with the others, %s', async (_, beside) => {
    const { start, clock, get } = createCore({
      limits: { toolTimeoutMs: 60_000, maxWorkflowSteps: 2_000 },
    });
    const pauses = Array.from({ length: 1_200 }, (_, index) => pause(`wait-${index}`, 1_000));
    const runId = await start([...pauses, ...beside]);
    await clock.advance(1_000);
    await clock.advance(100);
    const run = await get(runId);
    const completed = run.stepResults.filter(({ status }) => status === 'COMPLETED');
    expect(completed).toHaveLength(1_200);
    expect(run).toMatchObject({ status: beside.length === 0 ? 'COMPLETED' : 'RUNNING', waitingFor: [] });
  });

  test('of 24 hours ends at once when it is cancelled, and nothing happens later', async () => {
    const { start, clock, get, runs, settle, eventsOf } = createCore();
    const runId = await start([pause('wait', 24 * HOUR), call('after', 'echo', { dependsOn: ['wait'] })]);
    await clock.advance(HOUR);
    await runs.cancel(runId, { by: 'ann', reason: null });
    await settle();
    const run = await get(runId);
    expect([run.status, ...run.stepResults.map(({ status }) => status)]).toEqual([
      ...['CANCELLED', 'CANCELLED', 'SKIPPED'],
    ]);
    await clock.advance(SWEEP_MS);
    expect(clock.pending()).toBe(0);
    const { length } = await eventsOf(runId);
    await clock.advance(24 * HOUR);
    expect(await eventsOf(runId)).toHaveLength(length);
  });

  test('ends after its timeout_ms, and the time-out of the run counts as well', async () => {
    const { start, clock, get } = createCore();
    const own = await start([pause('wait', HOUR, { timeoutMs: 2_000 })]);
    const whole = await start([pause('wait', HOUR)], { timeoutMs: 3_000 });
    await clock.advance(3_000);
    expect(await get(own)).toMatchObject({
      status: 'FAILED',
      stepResults: [{ error: 'timed out after 2000 ms' }],
    });
    expect(await get(whole)).toMatchObject({
      status: 'FAILED',
      error: 'the workflow timed out after 3000 ms',
      stepResults: [{ status: 'FAILED', error: 'the workflow timed out after 3000 ms' }],
    });
    await clock.advance(SWEEP_MS);
    expect(clock.pending()).toBe(0);
  });

  test('begins anew when its run is retried', async () => {
    const { start, clock, get, runs, settle } = createCore();
    const runId = await start([pause('wait', 1_000)]);
    await runs.cancel(runId, { by: 'ann', reason: null });
    await settle();
    await clock.advance(5_000);
    await runs.retry(runId, { by: 'ann' });
    await settle();
    expect(await get(runId)).toMatchObject({ status: 'WAITING', attempt: 2 });
    await clock.advance(1_000);
    expect(await get(runId)).toMatchObject({ status: 'COMPLETED', stepResults: [{ attempts: 2 }] });
  });
});

describe('a run that waits', () => {
  test('is called WAITING in records, listings and filters', async () => {
    const { start, runs, orchestrator, define } = createCore();
    const id = await define([pause('wait', HOUR)]);
    const runId = await start(id);
    await start([call('a')]);
    const page = { limit: 10, offset: 0 };
    const listed = await orchestrator.workflows.listRuns(id, page, { statuses: ['WAITING'] });
    expect(listed).toMatchObject({
      total: 1,
      items: [{ runId, status: 'WAITING', waitingFor: [{ kind: 'wait' }] }],
    });
    expect((await runs.list({ statuses: ['WAITING'] }, { limit: 10 })).items).toMatchObject([{ runId }]);
    expect((await runs.list({ statuses: ['RUNNING', 'PENDING'] }, { limit: 10 })).items).toEqual([]);
  });

  test('holds no place of the background runs, however many there are', async () => {
    const { start, runs, clock, get, called } = createCore({
      limits: { maxBackgroundRuns: 1, maxWaitingRuns: 2 },
    });
    const ids: string[] = [];
    for (let count = 0; count < 50; count++) {
      ids.push(await start([count % 2 === 0 ? pause('wait', HOUR) : ask('ok')]));
    }
    expect((await runs.list({ statuses: ['WAITING'] }, { limit: 100 })).items).toHaveLength(50);
    const other = await start([call('other')]);
    expect((await get(other)).status).toBe('COMPLETED');
    expect(called()).toEqual(['echo other']);
    await clock.advance(HOUR);
    for (const runId of ids.filter((_, index) => index % 2 === 0)) {
      expect((await get(runId)).status).toBe('COMPLETED');
    }
  });

  test('is answered to its synchronous caller after 30 seconds, or at its end', async () => {
    const { define, orchestrator, clock, settle } = createCore();
    const long = await define([pause('wait', HOUR)]);
    const short = await define([pause('wait', 20_000), call('after', 'echo', { dependsOn: ['wait'] })]);
    const answers: string[] = [];
    for (const id of [long, short]) {
      void orchestrator.workflows.run(id).then(({ status }) => answers.push(`${id === long} ${status}`));
    }
    await clock.advance(19_000);
    expect(answers).toEqual([]);
    await clock.advance(1_000);
    await settle();
    expect(answers).toEqual(['false COMPLETED']);
    await clock.advance(9_999);
    expect(answers).toHaveLength(1);
    await clock.advance(1);
    expect(answers).toEqual(['false COMPLETED', 'true WAITING']);
  });

  test('is answered earlier where its caller waits for less', async () => {
    const { define, orchestrator, clock } = createCore();
    const id = await define([pause('wait', HOUR)]);
    const answers: string[] = [];
    for (const waitMs of [0, 7_000]) {
      void orchestrator.workflows
        .run(id, { waitMs })
        .then(({ status }) => answers.push(`${waitMs} ${status}`));
    }
    await clock.advance(10);
    expect(answers).toEqual(['0 WAITING']);
    await clock.advance(7_000);
    expect(answers).toEqual(['0 WAITING', '7000 WAITING']);
  });

  test('tells its events to readers that follow it', async () => {
    const { start, runs, clock } = createCore();
    const runId = await start([pause('wait', 10_000)]);
    const { read, changed } = runs.events(runId);
    const before = await read(0, 100);
    expect(before.ended).toBe(false);
    expect(before.events.map(({ type }) => type).slice(-2)).toEqual(['step.waiting', 'execution.waiting']);
    expect(before.events.at(-2)?.data).toMatchObject({ for: 'wait', until: expect.any(String) });
    let hasChanged = false;
    void changed(before.lastSeq, new AbortController().signal).then(() => {
      hasChanged = true;
    });
    await clock.advance(9_000);
    expect(hasChanged).toBe(false);
    await clock.advance(1_000);
    expect(hasChanged).toBe(true);
    const after = await read(before.lastSeq, 100);
    expect(after.events.map(({ type }) => type)).toEqual([
      ...['execution.resumed', 'step.completed', 'execution.completed'],
    ]);
    expect(after.events[0]?.data).toEqual({ by: 'service' });
    expect(after.ended).toBe(true);
  });
});
