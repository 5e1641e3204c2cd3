import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { settle } from '../../support/fake-clock.ts';
import { noTelemetry } from '../../support/fakes.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callTool, createTestEngine } from '../../support/workflow/engine.ts';
import { expectSoundLog } from '../../support/workflow/logs.ts';
import { waitingEngine } from '../../support/workflow/waiting-engine.ts';

const REQUEST = { by: 'ann', reason: null };

async function setUp() {
  const engine = waitingEngine();
  const { id } = await engine.define(callTool('a', 'wait'), callTool('b', 'wait', {}, ['a']));
  const { runId } = await engine.workflows.run(id, { background: true });
  await settle();
  return { ...engine, id, runId };
}

describe('the deletion of a run', () => {
  test('is a conflict until it has ended, and then removes it with its events', async () => {
    const engine = await setUp();
    const { runId } = engine;
    await expect(engine.control.delete(runId)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('RUNNING'),
    });
    await engine.releaseAll();
    await engine.control.delete(runId);
    const code = 'not_found';
    await expect(engine.control.delete(runId)).rejects.toMatchObject({ code });
    await expect(engine.control.get(runId)).rejects.toMatchObject({ code });
    await expect(engine.control.retry(runId, { by: 'ann' })).rejects.toMatchObject({ code });
    await expect(engine.control.cancel(runId, REQUEST)).rejects.toMatchObject({ code });
    await expect(engine.control.events(runId).read(0, 10)).rejects.toMatchObject({ code });
    expect((await engine.control.list({}, { limit: 10 })).items).toEqual([]);
  });
});

describe('the events of a run', () => {
  test('come in pages, oldest first, and say when they have ended', async () => {
    const engine = await setUp();
    const foreign = engine.control.events(engine.runId, 'another workflow');
    await expect(foreign.read(0, 10)).rejects.toMatchObject({ code: 'not_found' });
    const source = engine.control.events(engine.runId, engine.id);
    expect(await source.read(0, 200)).toMatchObject({ lastSeq: 4, ended: false });
    await engine.releaseAll();
    const types: string[] = [];
    for (let after = 0; after < 9; after += 3) {
      const page = await source.read(after, 3);
      expect(page).toMatchObject({ lastSeq: 9, ended: true });
      expect(page.events.map(({ seq }) => seq)).toEqual(
        [after + 1, after + 2, after + 3].filter((n) => n < 10),
      );
      types.push(...page.events.map(({ type }) => type));
    }
    expect(types).toEqual([
      ...['execution.created', 'execution.started', 'layer.started', 'step.started', 'step.completed'],
      ...['layer.started', 'step.started', 'step.completed', 'execution.completed'],
    ]);
  });

  test('have the workflow of their run as a part of their subject', async () => {
    const engine = await setUp();
    const { events } = await engine.control.events(engine.runId).read(0, 1);
    const subject = { kind: 'execution', id: engine.runId, workflowId: engine.id };
    expect(events[0]?.subject).toEqual(subject);
  });

  test('wake who waits for a change, at each append and at the end', async () => {
    const engine = await setUp();
    const source = engine.control.events(engine.runId);
    const never = new AbortController().signal;
    let woken = 0;
    const wait = (after: number) => void source.changed(after, never).then(() => woken++);
    wait(3);
    await settle();
    expect(woken).toBe(1);
    wait(4);
    wait(1_000);
    await settle();
    expect(woken).toBe(1);
    await engine.release();
    expect(woken).toBe(2);
    await engine.release();
    expect(woken).toBe(3);
    wait(1_000);
    await settle();
    expect(woken).toBe(4);
  });

  test('of a layer with a concurrency limit of one can be read while it goes on', async () => {
    const engine = waitingEngine({ limits: { maxConcurrentSteps: 1 } });
    const { id } = await engine.define(callTool('a', 'wait'), callTool('b', 'wait'), callTool('c', 'wait'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    await engine.release();
    await engine.clock.advance(50);
    expect((await engine.control.get(runId)).stepResults.map(({ status }) => status)).toEqual([
      ...['COMPLETED', 'RUNNING', 'RUNNING'],
    ]);
    await engine.releaseAll();
    await expectSoundLog(engine, runId);
    expect(engine.clock.pending()).toBe(0);
  });
});

describe('a cancel that comes while other events are being saved', () => {
  test('is saved soon after them', async () => {
    const store = memoryRunLog({ maxRows: 100 });
    const saved = Promise.withResolvers<void>();
    const runs: RunLog = {
      ...store,
      async append(runId, expectedSeq, events, change) {
        if (events.some(({ type }) => type === 'step.completed')) await saved.promise;
        return store.append(runId, expectedSeq, events, change);
      },
    };
    const engine = waitingEngine({ ports: { runs } });
    engine.tool('ignore', () => new Promise(() => {}));
    const { id } = await engine.define(callTool('a', 'wait'), callTool('b', 'ignore'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    await engine.release();
    await engine.clock.advance(50);
    await engine.control.cancel(runId, REQUEST);
    saved.resolve();
    await engine.clock.advance(50);
    const { events } = await engine.control.events(runId).read(0, 200);
    expect(events.at(-1)?.type).toBe('execution.cancel_requested');
    await engine.clock.advance(10_000);
    expect((await expectSoundLog(engine, runId)).status).toBe('CANCELLED');
    expect(engine.clock.pending()).toBe(0);
  });
});

describe('a run whose end cannot be saved', () => {
  test.each([false, true])(
    'and that is cancelled once (again: %s) is CANCELLED with its results',
    async (again) => {
      const store = memoryRunLog({ maxRows: 100 });
      let isDown = false;
      const runs: RunLog = {
        ...store,
        async append(runId, expectedSeq, events, change) {
          if (isDown) throw unavailable('the store cannot be reached');
          return store.append(runId, expectedSeq, events, change);
        },
      };
      const engine = waitingEngine({ ports: { runs } });
      const { id } = await engine.define(callTool('a', 'wait', { n: 1 }), callTool('b', 'wait', {}, ['a']));
      const running = engine.workflows.run(id, { runId: 'run' });
      await settle();
      await engine.release();
      isDown = true;
      await engine.releaseAll();
      await engine.clock.advance(10_500);
      expect((await running).status).toBe('COMPLETED');
      isDown = false;
      expect((await engine.control.cancel('run', REQUEST)).isAccepted).toBe(true);
      if (again)
        expect((await engine.control.cancel('run', { by: 'bob', reason: 'x' })).isAccepted).toBe(true);
      await engine.clock.advance(2_000);
      expect(await expectSoundLog(engine, 'run')).toMatchObject({
        status: 'CANCELLED',
        error: again ? 'cancelled: x' : 'cancelled',
        stepResults: [{ status: 'COMPLETED', output: { n: 1 } }, { status: 'COMPLETED' }],
      });
      await engine.runner.close(0);
      expect(engine.clock.pending()).toBe(0);
    },
  );
});

describe('a run that fails unexpectedly', () => {
  test('starts no more of its steps, and its log ends', async () => {
    const calls: string[] = [];
    const engine = createTestEngine({
      limits: { maxConcurrentSteps: 2 },
      ports: {
        telemetry: {
          ...noTelemetry,
          async span(name, attributes, work) {
            if (attributes['step_id'] === 'b') throw new Error('broken');
            return noTelemetry.span(name, attributes, work);
          },
        },
      },
    });
    engine.tool('work', async ({ id = null }) => {
      calls.push(String(id));
      await new Promise<void>((resolve) => engine.clock.after(100, resolve));
      return {};
    });
    const { id } = await engine.define(
      ...['a', 'b', 'c', 'd'].map((step) => callTool(step, 'work', { id: step })),
    );
    const run = await engine.workflows.run(id);
    await engine.clock.advance(1_000);
    expect(run).toMatchObject({ status: 'FAILED', error: 'the run failed unexpectedly' });
    expect(calls).toEqual(['a']);
    expect(await expectSoundLog(engine, run.runId)).toEqual(run);
    expect(engine.clock.pending()).toBe(0);
  });

  test('after its end keeps it', async () => {
    const engine = createTestEngine({
      ports: {
        telemetry: {
          ...noTelemetry,
          async span(name, attributes, work) {
            const result = await noTelemetry.span(name, attributes, work);
            if (name === 'workflow.run') throw new Error('broken');
            return result;
          },
        },
      },
    });
    engine.tool('work', async () => ({}));
    const { id } = await engine.define(callTool('a', 'work'));
    const { runId } = await engine.workflows.run(id, { background: true });
    await settle();
    expect(await expectSoundLog(engine, runId)).toMatchObject({ status: 'COMPLETED', error: null });
  });
});
