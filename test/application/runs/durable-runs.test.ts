import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import { UNKNOWN_OUTCOME } from '../../../src/domain/run/recover.ts';
import { settle } from '../../support/fake-clock.ts';
import { callAgent } from '../../support/workflow/engine.ts';
import { setUpProcesses as setUp, startRun, step } from '../../support/workflow/processes.ts';

describe('a run in the background', () => {
  test('is stored before anybody runs it, and any process runs it once its turn has come', async () => {
    const engines = setUp({ limits: { maxBackgroundRuns: 1 } });
    const busy = await startRun(engines, step('busy'));
    const runId = await startRun(engines, step('a'), step('b', 'write', ['a']));
    expect(engines.called()).toEqual(['first busy']);
    await engines.second.runQueue.wake(runId);
    await settle();
    await engines.endAll();
    await engines.endAll();
    expect(engines.called()).toEqual(['first busy', 'second a', 'second b']);
    expect((await engines.recordOf(runId)).status).toBe('COMPLETED');
    expect((await engines.recordOf(busy)).status).toBe('COMPLETED');
  });

  test('is run once, however often and late its id comes', async () => {
    const engines = setUp();
    const runId = await startRun(engines, step('a'));
    for (const { runQueue } of [engines.first, engines.second, engines.second]) await runQueue.wake(runId);
    await settle();
    await engines.endAll();
    await engines.second.runQueue.wake(runId);
    await engines.second.runQueue.wake('unknown');
    await settle();
    expect(engines.called()).toEqual(['first a']);
    expect((await engines.typesOf(runId)).filter((type) => type === 'execution.completed')).toHaveLength(1);
  });

  test('is rejected while too many wait, and leaves nothing behind', async () => {
    const engines = setUp({ limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 } });
    await startRun(engines, step('busy'));
    await startRun(engines, step('waiting'));
    await expect(startRun(engines, step('one more'.replaceAll(' ', '-')))).rejects.toThrow(
      'too many background runs',
    );
    expect((await engines.first.control.list({}, { limit: 10 })).items).toHaveLength(2);
  });

  test('waits in the log where the store is away when its turn comes', async () => {
    const engines = setUp({ limits: { maxBackgroundRuns: 1 } });
    const busy = await startRun(engines, step('busy'));
    const runId = await startRun(engines, step('a'));
    const { log } = engines.first.process;
    const { claim } = log;
    let failures = 0;
    Object.assign(log, {
      claim(id: string) {
        if (failures++ < 3) throw unavailable('the store is away', 1);
        return claim(id);
      },
    });
    await engines.endAll();
    expect((await engines.recordOf(busy)).status).toBe('COMPLETED');
    await engines.clock.advance(5_000);
    await engines.endAll();
    expect((await engines.recordOf(runId)).status).toBe('COMPLETED');
  });
});

describe('the log of a durable run', () => {
  test('has the start of each step before the step acts', async () => {
    const engines = setUp({ limits: { maxConcurrentSteps: 2 } });
    const { process } = engines.first;
    const held: (() => void)[] = [];
    process.beforeAppend = () => new Promise((resolve) => held.push(resolve));
    const runId = await startRun(engines, step('a'), step('b'), step('c'));
    expect(engines.called()).toEqual([]);
    held.shift()?.();
    await settle();
    expect(engines.called()).toEqual(['first a', 'first b']);
    engines.calls[0]?.end();
    await settle();
    expect(engines.called()).toHaveLength(2);
    held.shift()?.();
    await settle();
    expect(engines.called()).toEqual(['first a', 'first b', 'first c']);
    const { events } = (await engines.shared.get(runId)) ?? expect.fail();
    const started = events.filter(({ type }) => type === 'step.started');
    expect(started).toMatchObject([{ stepId: 'a' }, { stepId: 'b' }, { stepId: 'c' }]);
    expect(events.map(({ type }) => type)).toContain('step.completed');
  });

  test('has it also where several steps wait for the same write', async () => {
    const engines = setUp({ limits: { maxConcurrentSteps: 3 } });
    const { process } = engines.first;
    await startRun(engines, ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => step(id)));
    const held: (() => void)[] = [];
    process.beforeAppend = () => new Promise((resolve) => held.push(resolve));
    for (const { end } of [...engines.calls]) {
      end();
      await settle();
    }
    const first = ['first a', 'first b', 'first c'];
    expect(engines.called()).toEqual(first);
    held.shift()?.();
    await settle();
    expect(engines.called()).toEqual([...first, 'first d']);
    held.shift()?.();
    await settle();
    expect(engines.called()).toEqual([...first, 'first d', 'first e', 'first f']);
  });

  test('gets the end of a step within 50 milliseconds while others go on', async () => {
    const engines = setUp();
    const runId = await startRun(engines, step('a'), step('b'));
    engines.calls[0]?.end();
    await engines.clock.advance(49);
    expect(await engines.typesOf(runId)).toContain('step.completed');
  });

  test('is written whenever the store is back: no result is given up', async () => {
    const engines = setUp();
    const runId = await startRun(engines, step('a'), step('b', 'write', ['a']));
    const { process } = engines.first;
    process.beforeAppend = () => Promise.reject(unavailable('the store is away', 1));
    engines.calls[0]?.end();
    await engines.clock.advance(120_000);
    process.beforeAppend = () => Promise.resolve();
    await engines.clock.advance(3_000);
    await engines.endAll();
    expect(engines.called()).toEqual(['first a', 'first b']);
    expect((await engines.recordOf(runId)).status).toBe('COMPLETED');
  });
});

describe('a run whose process is gone', () => {
  test('is continued by another: completed steps keep their results, reads act again with the same key', async () => {
    const engines = setUp();
    const runId = await startRun(engines, step('a'), step('b', 'read', ['a']), step('c', 'write', ['b']));
    await engines.clock.advance(500);
    engines.calls[0]?.end();
    await settle();
    engines.first.process.kill();
    await engines.clock.advance(5_000);
    await engines.second.runQueue.wake(runId);
    await settle();
    expect(engines.called()).toEqual(['first a', 'first b', 'second b']);
    const [, lost, again] = engines.calls;
    expect(again?.context.idempotencyKey).toBe(lost?.context.idempotencyKey);
    expect(await engines.recordOf(runId)).toMatchObject({
      status: 'RUNNING',
      recoveries: 1,
      recoveriesWithoutProgress: 1,
    });
    await engines.endAll();
    await engines.endAll();
    const run = await engines.recordOf(runId);
    expect(run).toMatchObject({
      status: 'COMPLETED',
      recoveries: 1,
      recoveriesWithoutProgress: 0,
      durationMs: 5_600,
    });
    expect(run.stepResults).toMatchObject([
      { stepId: 'a', attempts: 1, output: { by: 'first' } },
      { stepId: 'b', attempts: 2, output: { by: 'second' } },
      { stepId: 'c', attempts: 1, output: { by: 'second' } },
    ]);
  });

  test('fails where a write was under way, which does not act again', async () => {
    const engines = setUp();
    const runId = await startRun(engines, step('a', 'write'), step('b'), step('c', 'read', ['b']));
    engines.first.process.kill();
    await engines.second.runQueue.wake(runId);
    await settle();
    await engines.endAll();
    expect(engines.called()).toEqual(['first a', 'first b', 'second b']);
    expect(await engines.recordOf(runId)).toMatchObject({
      status: 'FAILED',
      error: `step "a" failed: ${UNKNOWN_OUTCOME}`,
    });
  });

  test('runs the write again where that is the policy', async () => {
    const engines = setUp({ recovery: { maxRecoveries: 3, unknownOutcome: 'retry' } });
    const runId = await startRun(engines, step('a', 'write'));
    engines.first.process.kill();
    await engines.second.runQueue.wake(runId);
    await settle();
    await engines.endAll();
    expect(engines.called()).toEqual(['first a', 'second a']);
    expect((await engines.recordOf(runId)).status).toBe('COMPLETED');
  });

  test('does not start steps of a wide layer twice, and starts those that had not started', async () => {
    const engines = setUp({ limits: { maxConcurrentSteps: 1 } });
    const runId = await startRun(engines, step('a', 'write'), step('b', 'write'), step('c', 'write'));
    engines.calls[0]?.end();
    await settle();
    expect(engines.called()).toEqual(['first a', 'first b']);
    engines.first.process.kill();
    await engines.second.runQueue.wake(runId);
    await settle();
    await engines.endAll();
    expect(engines.called()).toEqual(['first a', 'first b', 'second c']);
    expect((await engines.recordOf(runId)).stepResults).toMatchObject([
      { status: 'COMPLETED' },
      { status: 'FAILED', error: UNKNOWN_OUTCOME, attempts: 1 },
      { status: 'COMPLETED' },
    ]);
  });

  test('is parked when no step completes between its crashes', async () => {
    const engines = setUp({ recovery: { maxRecoveries: 1, unknownOutcome: 'fail' } });
    const runId = await startRun(engines, step('a'));
    engines.first.process.freeze();
    engines.first.process.thaw();
    await settle();
    for (const { runQueue, process } of [engines.second, engines.first]) {
      await runQueue.wake(runId);
      await settle();
      process.freeze();
    }
    expect(await engines.recordOf(runId)).toMatchObject({
      status: 'FAILED',
      error: 'parked after 1 recoveries',
      gaveUp: true,
      stepResults: [{ status: 'FAILED', error: UNKNOWN_OUTCOME, attempts: 2 }],
    });
    expect(await engines.shared.summary(runId)).toMatchObject({ gaveUp: true });
    expect((await engines.shared.get(runId))?.events.at(-1)).toMatchObject({ gaveUp: true });
    await engines.first.control.retry(runId, { by: 'api' });
    expect(await engines.shared.summary(runId)).not.toHaveProperty('gaveUp');
    expect(await engines.recordOf(runId)).not.toHaveProperty('gaveUp');
    expect(await engines.recordOf(runId)).toMatchObject({
      recoveries: 1,
      recoveriesWithoutProgress: 0,
      attempt: 2,
    });
  });

  test('is cancelled where somebody has asked for it meanwhile', async () => {
    const engines = setUp();
    const runId = await startRun(engines, step('a'), step('b', 'read', ['a']));
    engines.first.process.kill();
    const { isAccepted } = await engines.second.control.cancel(runId, { by: 'api', reason: null });
    await settle();
    expect(isAccepted).toBe(true);
    expect(await engines.recordOf(runId)).toMatchObject({
      status: 'CANCELLED',
      stepResults: [{ status: 'CANCELLED', attempts: 1 }, { status: 'SKIPPED' }],
    });
  });

  test('is cancelled once where it was asked for twice, before and after its process was gone', async () => {
    const engines = setUp();
    const { first, second, clock } = engines;
    const runId = await startRun(engines, step('a'));
    await first.control.cancel(runId, { by: 'api', reason: 'first' });
    await clock.advance(100);
    expect(await engines.typesOf(runId)).toContain('execution.cancel_requested');
    first.process.kill();
    await second.control.cancel(runId, { by: 'api', reason: 'second' });
    await settle();
    expect(await engines.recordOf(runId)).toMatchObject({ status: 'CANCELLED', error: 'cancelled: first' });
  });
});

test('the message of an agent has the same id when its step is repeated', async () => {
  const engines = setUp();
  const ids: string[] = [];
  for (const { agents } of [engines.first, engines.second]) {
    agents.register({
      name: 'ask',
      description: 'asks',
      effect: 'read',
      handle({ id }) {
        ids.push(id);
        return new Promise(() => undefined);
      },
    });
  }
  const runId = await startRun(engines, callAgent('a', 'ask'));
  engines.first.process.kill();
  await engines.second.runQueue.wake(runId);
  await settle();
  expect(ids).toEqual([`${runId}:a`, `${runId}:a`]);
});

test('a run that writes while it is written keeps the order of its events, and loses no claim to itself', async () => {
  const engines = setUp();
  const { process } = engines.first;
  // A store that takes longer than the time after which events of a layer are saved.
  process.beforeAppend = () => new Promise((resolve) => engines.clock.after(30, () => resolve()));
  const runId = await startRun(engines, step('a'), step('b'), step('c'), step('d', 'read', ['c']));
  await engines.clock.advance(50);
  for (const [index, { end }] of [...engines.calls].entries()) {
    end();
    await engines.clock.advance(10 + index * 15);
  }
  await engines.clock.advance(100);
  await engines.endAll();
  await engines.clock.advance(100);
  expect(await engines.recordOf(runId)).toMatchObject({ status: 'COMPLETED', recoveries: 0 });
  expect(engines.called()).toEqual(['first a', 'first b', 'first c', 'first d']);
});

test('a run whose append was refused by mistake is given up, so that it can be claimed', async () => {
  const engines = setUp();
  const { process } = engines.first;
  const { append } = process.log;
  const runId = await startRun(engines, step('a'), step('b', 'read', ['a']));
  Object.assign(process.log, { append: () => Promise.resolve('conflict') });
  await engines.endAll();
  Object.assign(process.log, { append });
  await engines.second.runQueue.wake(runId);
  await settle();
  await engines.endAll();
  await engines.endAll();
  expect(await engines.recordOf(runId)).toMatchObject({ status: 'COMPLETED' });
});

describe('a process that has lost its run', () => {
  test('changes nothing any more: its appends are refused, and its steps are told to stop', async () => {
    const engines = setUp();
    const { first, second, calls } = engines;
    const runId = await startRun(engines, step('a'), step('b', 'read', ['a']));
    first.process.freeze();
    await second.runQueue.wake(runId);
    await settle();
    calls[0]?.end();
    await settle();
    expect(engines.called()).toEqual(['first a', 'second a']);
    calls[1]?.end();
    await settle();
    await engines.endAll();
    const run = await engines.recordOf(runId);
    expect(run).toMatchObject({ status: 'COMPLETED', stepResults: [{ output: { by: 'second' } }, {}] });
    expect(first.recorded.events.filter(({ type }) => type === 'run.finished')).toEqual([]);
    expect(first.recorded.events).toContainEqual(
      expect.objectContaining({ type: 'run.released', runId, reason: 'lost' }),
    );
  });

  test('aborts the signals of its tools as soon as it knows', async () => {
    const engines = setUp();
    const { first, second, calls } = engines;
    const runId = await startRun(engines, step('a'));
    first.process.freeze();
    await second.runQueue.wake(runId);
    await settle();
    first.process.thaw();
    await settle();
    expect(calls[0]?.context.signal.reason).toMatchObject({ code: 'lost' });
    expect(calls[1]?.context.signal.aborted).toBe(false);
  });

  test('tells a caller who waits what the log says', async () => {
    const engines = setUp();
    const { first, second } = engines;
    const { id } = await first.define(step('a'));
    const waiting = first.workflows.run(id, {});
    await settle();
    const [run] = (await first.control.list({}, { limit: 1 })).items;
    first.process.freeze();
    await second.runQueue.wake(run?.runId ?? '');
    await settle();
    first.process.thaw();
    expect(await waiting).toMatchObject({ status: 'RUNNING', recoveries: 1 });
  });
});

describe('a shutdown', () => {
  test('hands a background run over when the steps under way have ended, and counts no recovery', async () => {
    const engines = setUp();
    const runId = await startRun(engines, step('a', 'write'), step('b', 'write', ['a']));
    const closed = engines.first.runner.close(20_000);
    await engines.clock.advance(1_000);
    engines.calls[0]?.end();
    await settle();
    await closed;
    await engines.second.runQueue.wake(runId);
    await settle();
    expect(engines.called()).toEqual(['first a', 'second b']);
    expect((await engines.recordOf(runId)).recoveries).toBe(0);
    await engines.endAll();
    const run = await engines.recordOf(runId);
    expect(run).toMatchObject({ status: 'COMPLETED', stepResults: [{ attempts: 1 }, { attempts: 1 }] });
    expect(await engines.typesOf(runId)).not.toContain('execution.failed');
  });

  test('stops steps after the grace, which act again elsewhere where they may', async () => {
    const engines = setUp({ recovery: { maxRecoveries: 0, unknownOutcome: 'fail' } });
    const runId = await startRun(engines, step('a'));
    const closed = engines.first.runner.close(2_000);
    await engines.clock.advance(2_001);
    await closed;
    expect(engines.calls[0]?.context.signal.reason).toMatchObject({ code: 'shutdown' });
    await engines.second.runQueue.wake(runId);
    await settle();
    await engines.endAll();
    expect(await engines.recordOf(runId)).toMatchObject({
      status: 'COMPLETED',
      error: null,
      stepResults: [{ attempts: 2 }],
    });
  });

  test('lets a synchronous run go on for the grace, and tells its caller that it goes on elsewhere', async () => {
    const engines = setUp();
    const { first, second, clock } = engines;
    const { id } = await first.define(step('a'), step('b', 'read', ['a']));
    const waiting = first.workflows.run(id, {});
    await settle();
    const closed = first.runner.close(2_000);
    engines.calls[0]?.end();
    await settle();
    expect(engines.called()).toEqual(['first a', 'first b']);
    await clock.advance(2_001);
    await closed;
    const { runId, status } = await waiting;
    expect(status).toBe('RUNNING');
    await second.runQueue.wake(runId);
    await settle();
    await engines.endAll();
    expect((await engines.recordOf(runId)).status).toBe('COMPLETED');
  });

  test('tells of no end that is not in the log', async () => {
    const engines = setUp();
    const { first, second, clock } = engines;
    const { id } = await first.define(step('a'));
    const waiting = first.workflows.run(id, {});
    await settle();
    first.process.beforeAppend = () => Promise.reject(unavailable('the store is away', 1));
    engines.calls[0]?.end();
    const closed = first.runner.close(2_000);
    await clock.advance(5_000);
    await closed;
    const { runId, status } = await waiting;
    expect(status).toBe('RUNNING');
    expect(first.recorded.events.map(({ type }) => type)).not.toContain('run.finished');
    await second.runQueue.wake(runId);
    await settle();
    await engines.endAll();
    expect(await engines.recordOf(runId)).toMatchObject({
      status: 'COMPLETED',
      stepResults: [{ attempts: 2 }],
    });
  });

  test('waits for a run that waited, and is being cancelled', async () => {
    const engines = setUp({ limits: { maxBackgroundRuns: 1 } });
    const { first } = engines;
    await startRun(engines, step('busy'));
    const runId = await startRun(engines, step('a'));
    let write = (): void => undefined;
    first.process.beforeAppend = () => new Promise((resolve) => (write = resolve));
    await first.control.cancel(runId, { by: 'api', reason: null });
    await settle();
    engines.calls[0]?.end();
    first.process.beforeAppend = () => Promise.resolve();
    let isClosed = false;
    const closed = first.runner.close(1_000).then(() => (isClosed = true));
    await engines.clock.advance(10);
    expect(isClosed).toBe(false);
    write();
    await closed;
    expect((await engines.recordOf(runId)).status).toBe('CANCELLED');
  });

  test('starts no run that waits, which stays in the log', async () => {
    const engines = setUp({ limits: { maxBackgroundRuns: 1 } });
    await startRun(engines, step('busy'));
    const runId = await startRun(engines, step('a'));
    const closed = engines.first.runner.close(100);
    await engines.endAll();
    await closed;
    expect(engines.called()).toEqual(['first busy']);
    expect((await engines.recordOf(runId)).status).toBe('PENDING');
    await engines.second.runQueue.wake(runId);
    await settle();
    expect(engines.called()).toEqual(['first busy', 'second a']);
  });
});

describe('control of durable runs', () => {
  test('cancels a run that waits at once', async () => {
    const engines = setUp({ limits: { maxBackgroundRuns: 1 } });
    await startRun(engines, step('busy'));
    const runId = await startRun(engines, step('a'));
    await engines.second.control.cancel(runId, { by: 'api', reason: 'not needed' });
    await settle();
    expect(await engines.recordOf(runId)).toMatchObject({
      status: 'CANCELLED',
      error: 'cancelled: not needed',
    });
    await engines.endAll();
    expect(engines.called()).toEqual(['first busy']);
  });

  test('retries a failed run in any process', async () => {
    const engines = setUp();
    const runId = await startRun(engines, step('a', 'write'), step('b', 'read', ['a']));
    engines.first.process.kill();
    await engines.second.runQueue.wake(runId);
    await settle();
    const { status, attempt } = await engines.second.control.retry(runId, { by: 'api' });
    expect([status, attempt]).toEqual(['PENDING', 2]);
    await settle();
    await engines.endAll();
    await engines.endAll();
    expect(await engines.recordOf(runId)).toMatchObject({
      status: 'COMPLETED',
      stepResults: [{ attempts: 2 }, { attempts: 1 }],
    });
  });
});
