import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { settle } from '../../support/fake-clock.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callAgent, callTool } from '../../support/workflow/engine.ts';
import { expectSoundLog } from '../../support/workflow/logs.ts';
import { waitingEngine } from '../../support/workflow/waiting-engine.ts';

const BY = { by: 'ann', reason: 'wrong customer' };
const CANCELLED = 'cancelled: wrong customer';

/** An engine with one workflow of a step that waits and a step that depends on it. */
async function setUp(options: Parameters<typeof waitingEngine>[0] = {}) {
  const engine = waitingEngine(options);
  const { id } = await engine.define(callTool('a', 'wait'), callTool('b', 'wait', {}, ['a']));
  return { ...engine, id, start: () => engine.workflows.run(id, { background: true }) };
}

describe('a request to cancel', () => {
  test('a run that waits for its turn ends it at once, and no step of it is called', async () => {
    const engine = await setUp({ limits: { maxBackgroundRuns: 1 } });
    await engine.start();
    const { runId } = await engine.start();
    const { isAccepted } = await engine.control.cancel(runId, BY);
    expect(isAccepted).toBe(true);
    await settle();
    expect(await engine.control.get(runId)).toMatchObject({
      status: 'CANCELLED',
      error: CANCELLED,
      startedAt: null,
      durationMs: 0,
      stepResults: [
        { status: 'SKIPPED', attempts: 0 },
        { status: 'SKIPPED', attempts: 0 },
      ],
    });
    expect(engine.calls).toHaveLength(1);
    await engine.release();
    await engine.release();
    expect(engine.calls).toHaveLength(2);
    await expectSoundLog(engine, runId);
  });

  test('an empty reason is no reason', async () => {
    const engine = await setUp({ limits: { maxBackgroundRuns: 1 } });
    await engine.start();
    const { runId } = await engine.start();
    await engine.control.cancel(runId, { by: 'ann', reason: '' });
    await settle();
    expect(await engine.control.get(runId)).toMatchObject({ status: 'CANCELLED', error: 'cancelled' });
  });

  test('a waiting run frees its place in the queue', async () => {
    const engine = await setUp({ limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 } });
    await engine.start();
    const { runId } = await engine.start();
    await expect(engine.start()).rejects.toMatchObject({ code: 'unavailable' });
    await engine.control.cancel(runId, BY);
    await expect(engine.start()).resolves.toMatchObject({ status: 'PENDING' });
  });

  test('a run under way is answered before the run has ended', async () => {
    const engine = await setUp();
    const { runId } = await engine.start();
    await settle();
    const { run, isAccepted } = await engine.control.cancel(runId, BY);
    expect({ isAccepted, status: run.status }).toEqual({ isAccepted: true, status: 'RUNNING' });
    await engine.release();
    expect((await engine.control.get(runId)).status).toBe('CANCELLED');
  });

  test('an ended run changes nothing, and is not accepted', async () => {
    const engine = await setUp();
    const { runId } = await engine.start();
    await engine.releaseAll();
    const before = await engine.control.get(runId);
    const { run, isAccepted } = await engine.control.cancel(runId, BY);
    expect(isAccepted).toBe(false);
    expect(run).toEqual(before);
    expect(run.status).toBe('COMPLETED');
    expect(await engine.control.get(runId)).toEqual(before);
  });

  test('an unknown run rejects', async () => {
    const engine = await setUp();
    await expect(engine.control.cancel('unknown', BY)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a run without a reason gives it the error "cancelled"', async () => {
    const engine = await setUp();
    const { runId } = await engine.start();
    await settle();
    await engine.control.cancel(runId, { by: 'ann', reason: null });
    await engine.release();
    expect((await engine.control.get(runId)).error).toBe('cancelled');
  });

  test('is recorded in the log within 50 ms, while the steps go on', async () => {
    const engine = await setUp();
    const { runId } = await engine.start();
    await settle();
    await engine.control.cancel(runId, BY);
    await engine.clock.advance(50);
    const { events } = await engine.control.events(runId).read(0, 200);
    expect(events.at(-1)).toMatchObject({ type: 'execution.cancel_requested', data: BY });
  });

  test.each([0, 50, 9_000])('may come again %i ms later, and changes nothing', async (delayMs) => {
    const engine = await setUp();
    const { runId } = await engine.start();
    await settle();
    await engine.control.cancel(runId, BY);
    await engine.clock.advance(delayMs);
    const again = await engine.control.cancel(runId, { by: 'bob', reason: 'other' });
    expect(again.isAccepted).toBe(true);
    await engine.clock.advance(delayMs);
    await engine.release();
    expect(await engine.control.get(runId)).toMatchObject({ status: 'CANCELLED', error: CANCELLED });
    expect((await engine.control.cancel(runId, BY)).isAccepted).toBe(false);
    await expectSoundLog(engine, runId);
    expect(engine.clock.pending()).toBe(0);
  });
});

describe('the steps of a cancelled run', () => {
  /** A run whose step `a` calls `tool`, cancelled while it goes on. */
  async function cancelDuring(
    execute: (signal: AbortSignal, finish: Promise<void>) => Promise<{ done: true }>,
    limits = {},
  ) {
    const engine = await setUp({ limits });
    const finish = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    engine.tool('work', (_, { signal }) => {
      signals.push(signal);
      return execute(signal, finish.promise);
    });
    const { id } = await engine.define(callTool('a', 'work'), callTool('b', 'work', {}, ['a']));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    await engine.control.cancel(runId, BY);
    await settle();
    return { engine, runId, finish: finish.resolve, signals };
  }

  /** Rejects when the signal is aborted. */
  function untilAborted(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }

  test('are CANCELLED when they honor the signal, whose reason has the code cancelled', async () => {
    const { engine, runId, signals } = await cancelDuring(untilAborted);
    expect(await engine.control.get(runId)).toMatchObject({
      status: 'CANCELLED',
      error: CANCELLED,
      stepResults: [
        { status: 'CANCELLED', error: 'cancelled', attempts: 1, output: null },
        { status: 'SKIPPED', error: null, startedAt: null },
      ],
    });
    expect(signals).toMatchObject([{ aborted: true, reason: { code: 'cancelled' } }]);
    await expectSoundLog(engine, runId);
    expect(engine.clock.pending()).toBe(0);
  });

  test('are COMPLETED when they complete within the grace', async () => {
    const { engine, runId, finish } = await cancelDuring(async (_, finish) => {
      await finish;
      return { done: true };
    });
    await engine.clock.advance(9_000);
    finish();
    await settle();
    expect(await engine.control.get(runId)).toMatchObject({
      status: 'CANCELLED',
      durationMs: 9_000,
      stepResults: [{ status: 'COMPLETED', output: { done: true } }, { status: 'SKIPPED' }],
    });
    await expectSoundLog(engine, runId);
    expect(engine.clock.pending()).toBe(0);
  });

  test('are FAILED when they fail with an error of their own, which is not retried', async () => {
    const { engine, runId, signals } = await cancelDuring(async (_, finish) => {
      await finish;
      throw new ToolError('no connection', { permanent: true });
    });
    await engine.clock.advance(9_999);
    const waiting = await engine.control.get(runId);
    expect(waiting.status).toBe('RUNNING');
    expect(signals).toHaveLength(1);
  });

  test('that fail with an error of their own keep it, and the run is CANCELLED nevertheless', async () => {
    const { engine, runId, finish } = await cancelDuring(async (_, finish) => {
      await finish;
      throw new ToolError('no connection', { permanent: true });
    });
    finish();
    await settle();
    expect(await engine.control.get(runId)).toMatchObject({
      status: 'CANCELLED',
      error: CANCELLED,
      stepResults: [{ status: 'FAILED', error: 'no connection', attempts: 1 }, { status: 'SKIPPED' }],
    });
    await expectSoundLog(engine, runId);
  });

  test('are CANCELLED after the grace when they ignore the signal, and what they return late is ignored', async () => {
    const { engine, runId, finish } = await cancelDuring(
      async (_, finish) => {
        await finish;
        return { done: true };
      },
      { cancelGraceMs: 3_000 },
    );
    await engine.clock.advance(2_999);
    expect((await engine.control.get(runId)).status).toBe('RUNNING');
    await engine.clock.advance(1);
    const ended = await engine.control.get(runId);
    expect(ended).toMatchObject({
      status: 'CANCELLED',
      durationMs: 3_000,
      stepResults: [
        { status: 'CANCELLED', error: 'cancelled', attempts: 1, output: null, durationMs: 3_000 },
        { status: 'SKIPPED' },
      ],
    });
    const events = engine.recorded.events.length;
    finish();
    await engine.clock.advance(60_000);
    expect(await engine.control.get(runId)).toEqual(ended);
    expect(engine.recorded.events.slice(events)).toEqual([]);
    await expectSoundLog(engine, runId);
    expect(engine.clock.pending()).toBe(0);
  });

  test('are told to their observers once each, also those that ignore the signal', async () => {
    const { engine, runId } = await cancelDuring(() => new Promise(() => {}), { cancelGraceMs: 3_000 });
    await engine.clock.advance(60_000);
    const finished = engine.recorded.events.filter(({ type }) => type === 'step.finished');
    expect(finished).toMatchObject([{ runId, stepId: 'a', status: 'CANCELLED', durationMs: 3_000 }]);
  });

  test('are not called again when they waited between two attempts, and end at once', async () => {
    const engine = await setUp();
    let calls = 0;
    engine.tool('fail', async () => {
      calls++;
      throw new Error('no connection');
    });
    const { id } = await engine.define(callTool('a', 'fail'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    expect(engine.clock.pending()).toBeGreaterThan(0);
    await engine.control.cancel(runId, BY);
    await settle();
    expect(await engine.control.get(runId)).toMatchObject({
      status: 'CANCELLED',
      stepResults: [{ status: 'CANCELLED', attempts: 1 }],
    });
    expect(calls).toBe(1);
    expect(engine.clock.pending()).toBe(0);
    await expectSoundLog(engine, runId);
  });

  test('count all attempts when the last one ignores the signal', async () => {
    const engine = await setUp({ limits: { cancelGraceMs: 3_000 } });
    engine.tool('fail', async (_, { attempt }) => {
      if (attempt === 1) throw new Error('no connection');
      return new Promise<never>(() => {});
    });
    const { id } = await engine.define(callTool('a', 'fail'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await engine.clock.advance(1_000);
    await engine.control.cancel(runId, BY);
    await engine.clock.advance(10_000);
    expect((await engine.control.get(runId)).stepResults).toMatchObject([
      { status: 'CANCELLED', attempts: 2 },
    ]);
  });

  test('of an agent end in the same ways', async () => {
    const engine = await setUp();
    engine.agents.register({
      name: 'honors',
      description: '',
      handle: (_, { signal }) => untilAborted(signal),
    });
    engine.agents.register({ name: 'ignores', description: '', handle: () => new Promise(() => {}) });
    const { id } = await engine.define(callAgent('a', 'honors'), callAgent('b', 'ignores'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    await engine.control.cancel(runId, BY);
    await engine.clock.advance(50);
    expect((await engine.control.get(runId)).stepResults.map(({ status }) => status)).toEqual([
      ...['CANCELLED', 'RUNNING'],
    ]);
    await engine.clock.advance(10_000);
    expect((await engine.control.get(runId)).stepResults.map(({ status }) => status)).toEqual([
      ...['CANCELLED', 'CANCELLED'],
    ]);
    await expectSoundLog(engine, runId);
  });

  test('of a wide layer that were not started are SKIPPED', async () => {
    const engine = await setUp({ limits: { maxConcurrentSteps: 2 } });
    const { id } = await engine.define(...Array.from({ length: 6 }, (_, n) => callTool(`s${n}`, 'wait')));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    await engine.release();
    await engine.control.cancel(runId, BY);
    await engine.release();
    const run = await engine.control.get(runId);
    expect(run.stepResults.map(({ status }) => status)).toEqual([
      ...['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'SKIPPED', 'SKIPPED'],
    ]);
    expect(run.stepResults.slice(4)).toMatchObject([
      { attempts: 0, startedAt: null, completedAt: null, durationMs: null },
      { attempts: 0, startedAt: null, completedAt: null, durationMs: null },
    ]);
    expect(engine.calls).toHaveLength(4);
    await expectSoundLog(engine, runId);
  });
});

describe('the reason of the signal of a step', () => {
  test.each([
    ['timed_out', async (engine: ReturnType<typeof waitingEngine>) => engine.clock.advance(10_000)],
    [
      'shutdown',
      async (engine: ReturnType<typeof waitingEngine>) => {
        const closing = engine.runner.close(0);
        await engine.clock.advance(0);
        await closing;
      },
    ],
  ])('has the code %s', async (code, act) => {
    const engine = waitingEngine();
    const signals: AbortSignal[] = [];
    engine.tool('work', (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    const { id } = await engine.define(callTool('a', 'work'));
    await engine.workflows.run(id, { background: true });
    await settle();
    await act(engine);
    expect(signals[0]).toMatchObject({ aborted: true, reason: { code } });
  });

  test('has the code lost when another process has written to the log', async () => {
    const store = memoryRunLog({ maxRows: 100 });
    let isLost = false;
    const runs: RunLog = {
      ...store,
      append: (runId, expectedSeq, events, change) =>
        store.append(runId, isLost ? 1 : expectedSeq, events, change),
    };
    const engine = waitingEngine({ ports: { runs } });
    const signals: AbortSignal[] = [];
    engine.tool('work', (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    const { id } = await engine.define(callTool('a', 'work'), callTool('b', 'wait'));
    await engine.workflows.run(id, { background: true });
    await settle();
    isLost = true;
    await engine.release();
    await engine.clock.advance(50);
    expect(signals[0]).toMatchObject({ aborted: true, reason: { code: 'lost' } });
  });
});

describe('a cancel together with', () => {
  test('a synchronous call ends the call with the CANCELLED run', async () => {
    const engine = await setUp();
    const running = engine.workflows.run(engine.id);
    await settle();
    const { items } = await engine.control.list({}, { limit: 1 });
    await engine.control.cancel(items[0]?.runId ?? expect.fail(), BY);
    await engine.release();
    const run = await running;
    expect(run).toMatchObject({
      status: 'CANCELLED',
      error: CANCELLED,
      stepResults: [{ status: 'COMPLETED' }, { status: 'SKIPPED' }],
    });
    expect(await engine.control.get(run.runId)).toEqual(run);
    expect(engine.recorded.events).toContainEqual(
      expect.objectContaining({ type: 'run.finished', status: 'CANCELLED', error: CANCELLED }),
    );
  });

  test('a shutdown during the grace ends the run at once as CANCELLED', async () => {
    const engine = await setUp();
    const { runId } = await engine.start();
    await settle();
    await engine.control.cancel(runId, BY);
    await engine.clock.advance(1_000);
    const closing = engine.runner.close(2_000);
    await engine.clock.advance(2_000);
    await closing;
    expect(await engine.control.get(runId)).toMatchObject({
      status: 'CANCELLED',
      error: CANCELLED,
      durationMs: 3_000,
      stepResults: [{ status: 'CANCELLED', durationMs: 3_000 }, { status: 'SKIPPED' }],
    });
    await expectSoundLog(engine, runId);
  });

  test('a shutdown that has begun still ends the run as CANCELLED', async () => {
    const engine = await setUp();
    const { runId } = await engine.start();
    await settle();
    const closing = engine.runner.close(20_000);
    await engine.control.cancel(runId, BY);
    await engine.release();
    await closing;
    expect((await engine.control.get(runId)).status).toBe('CANCELLED');
  });

  test('the creation of a run in a slow store loses nothing', async () => {
    const store = memoryRunLog({ maxRows: 100 });
    const answer = Promise.withResolvers<void>();
    const runs: RunLog = {
      ...store,
      async create(run) {
        const isNew = await store.create(run);
        await answer.promise;
        return isNew;
      },
    };
    const engine = await setUp({ ports: { runs } });
    const running = engine.workflows.run(engine.id, { runId: 'run' });
    await settle();
    await engine.control.cancel('run', BY);
    answer.resolve();
    expect(await running).toMatchObject({ status: 'CANCELLED', stepResults: [{ status: 'SKIPPED' }, {}] });
    expect(engine.calls).toHaveLength(0);
    await expectSoundLog(engine, 'run');
  });

  test('an append that is under way ends the run as CANCELLED', async () => {
    const store = memoryRunLog({ maxRows: 100 });
    const held = Promise.withResolvers<void>();
    let appends = 0;
    const runs: RunLog = {
      ...store,
      async append(runId, expectedSeq, events, change) {
        appends++;
        await held.promise;
        return store.append(runId, expectedSeq, events, change);
      },
    };
    const engine = waitingEngine({ ports: { runs } });
    const { id } = await engine.define(callTool('a', 'wait'));
    const running = engine.workflows.run(id, { runId: 'run' });
    await engine.releaseAll();
    expect(appends).toBe(1);
    expect((await engine.control.cancel('run', BY)).isAccepted).toBe(true);
    held.resolve();
    expect(await running).toMatchObject({
      status: 'CANCELLED',
      error: CANCELLED,
      stepResults: [{ status: 'COMPLETED' }],
    });
    await expectSoundLog(engine, 'run');
  });
});
