import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { LogFields, Logger } from '../../../src/ports/logger.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import type { Telemetry } from '../../../src/ports/telemetry.ts';
import { settle } from '../../support/fake-clock.ts';
import { noTelemetry, recordLogs } from '../../support/fakes.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callTool, createTestEngine, type TestEngineOptions } from '../../support/workflow/engine.ts';

const page = { limit: 200, offset: 0 };

/** An engine with a tool that waits until it is released, and records its inputs in order. */
function setUp(options: TestEngineOptions = {}) {
  const engine = createTestEngine(options);
  const started: JsonObject[] = [];
  const waiting: (() => void)[] = [];
  let released = false;
  engine.tool('wait', async (input) => {
    started.push(input);
    if (released) return {};
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    await promise;
    return {};
  });
  return {
    ...engine,
    started,
    /** Releases the waiting calls. */
    release: async () => {
      for (const resolve of waiting.splice(0)) resolve();
      await settle();
    },
    /** Releases the waiting calls and all later ones. */
    releaseAll: async () => {
      released = true;
      for (const resolve of waiting.splice(0)) resolve();
      await settle();
    },
    defineWait: (steps = 1) =>
      engine.define(
        callTool('a', 'wait', { n: '$input.n' }),
        ...Array.from({ length: steps - 1 }, (_, n) => callTool(`s${n}`, 'wait', {}, ['a'])),
      ),
  };
}

describe('a background run', () => {
  test('is returned as PENDING, can be read from then on, and completes in the background', async () => {
    const engine = setUp();
    const { id } = await engine.defineWait();
    const pending = await engine.workflows.run(id, { background: true, input: { n: 1 } });
    expect(pending).toMatchObject({
      status: 'PENDING',
      background: true,
      input: { n: 1 },
      error: null,
      startedAt: null,
      completedAt: null,
      durationMs: null,
    });
    expect(pending.stepResults).toMatchObject([{ stepId: 'a', status: 'PENDING', layer: 0, attempts: 0 }]);
    await settle();
    const running = await engine.workflows.getRun(id, pending.runId);
    expect(running).toMatchObject({ status: 'RUNNING', stepResults: [{ status: 'RUNNING' }] });
    await engine.release();
    const completed = await engine.workflows.getRun(id, pending.runId);
    expect(completed).toMatchObject({ status: 'COMPLETED', stepResults: [{ status: 'COMPLETED' }] });
    expect(pending.status).toBe('PENDING');
  });

  test('completes even if its definition is deleted', async () => {
    const engine = setUp({ limits: { maxBackgroundRuns: 1 } });
    const { id } = await engine.defineWait(2);
    const runs = [];
    for (const n of [1, 2]) runs.push(await engine.workflows.run(id, { background: true, input: { n } }));
    await engine.workflows.delete(id);
    await engine.releaseAll();
    for (const { runId } of runs) {
      expect((await engine.workflows.getRun(id, runId)).status).toBe('COMPLETED');
    }
  });

  test('that fails unexpectedly is logged and saved as FAILED', async () => {
    let broken = false;
    const telemetry: Telemetry = {
      ...noTelemetry,
      async span(name, attributes, work) {
        if (broken && name === 'workflow.run') throw new Error('broken');
        return noTelemetry.span(name, attributes, work);
      },
    };
    const engine = setUp({ ports: { telemetry } });
    const { id } = await engine.defineWait();
    broken = true;
    const { runId } = await engine.workflows.run(id, { background: true, input: { n: 1 } });
    await engine.clock.advance(2_000);
    expect(engine.logger.lines).toMatchObject([
      { level: 'error', message: 'a background run failed unexpectedly' },
    ]);
    expect(await engine.workflows.getRun(id, runId)).toMatchObject({
      status: 'FAILED',
      error: 'the run failed unexpectedly',
      stepResults: [{ status: 'SKIPPED' }],
    });
  });

  test('that fails unexpectedly in a layer keeps the results of its completed steps', async () => {
    const engine = setUp({
      ports: {
        events(event) {
          if (event.type === 'step.finished') throw new Error('broken');
        },
      },
    });
    const { id } = await engine.defineWait(3);
    const { runId } = await engine.workflows.run(id, { background: true, input: { n: 1 } });
    await engine.releaseAll();
    const run = await engine.workflows.getRun(id, runId);
    expect(run).toMatchObject({ status: 'FAILED', error: 'the run failed unexpectedly' });
    expect(run.stepResults.map(({ status }) => status)).toEqual(['COMPLETED', 'SKIPPED', 'SKIPPED']);
  });
});

describe('the log lines of a run', () => {
  test('have its own execution id, also when it waited for another run to end', async () => {
    const bound = new AsyncLocalStorage<LogFields>();
    const logs = recordLogs();
    const logger: Logger = {
      ...logs,
      warn: (message, fields) => logs.warn(message, { ...bound.getStore(), ...fields }),
      bind: (fields, work) => bound.run({ ...bound.getStore(), ...fields }, work),
    };
    const engine = setUp({ ports: { logger }, limits: { maxBackgroundRuns: 1, maxConcurrentSteps: 1 } });
    engine.tool('complain', async ({ n }) => {
      await settle();
      throw new ToolError(`complaint ${n}`, { permanent: true });
    });
    const { id } = await engine.define(
      ...['a', 'b'].map((step) => callTool(step, 'complain', { n: '$input.n' })),
    );
    const expected: unknown[] = [];
    for (const n of [1, 2, 3]) {
      const work = () => engine.workflows.run(id, { background: true, input: { n } });
      const { runId } = await logger.bind({ request_id: `request ${n}` }, work);
      const line = { request_id: `request ${n}`, execution_id: runId, reason: `complaint ${n}` };
      expected.push(line, line);
    }
    await engine.runner.close(1_000);
    expect(logs.lines).toMatchObject(expected);
  });
});

describe('many background runs', () => {
  test('run concurrently up to the limit, start in order, and all complete', async () => {
    const engine = setUp({ limits: { maxBackgroundRuns: 3, maxWaitingRuns: 100 } });
    const { id } = await engine.defineWait();
    const runs = [];
    for (let n = 0; n < 20; n++)
      runs.push(await engine.workflows.run(id, { background: true, input: { n } }));
    await settle();
    for (let count = 3; count < 20; count += 3) {
      expect(engine.started).toHaveLength(count);
      await engine.release();
    }
    await engine.releaseAll();
    // Three run at a time: which of them is called first is open.
    for (let first = 0; first < 20; first += 3) {
      const inputs = runs.slice(first, first + 3).map(({ input }) => input);
      expect(new Set(engine.started.slice(first, first + 3))).toEqual(new Set(inputs));
    }
    for (const { runId } of runs) {
      expect((await engine.workflows.getRun(id, runId)).status).toBe('COMPLETED');
    }
  });

  test('are rejected when the queue is full, and complete once accepted', async () => {
    const engine = setUp({ limits: { maxBackgroundRuns: 8, maxWaitingRuns: 50 } });
    const { id } = await engine.defineWait();
    const answers = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, n) => engine.workflows.run(id, { background: true, input: { n } })),
    );
    const accepted = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const rejected = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    expect(accepted).toHaveLength(58);
    for (const reason of rejected) {
      expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    }
    expect((await engine.workflows.listRuns(id, page)).total).toBe(58);
    await engine.releaseAll();
    for (const { runId } of accepted) {
      expect((await engine.workflows.getRun(id, runId)).status).toBe('COMPLETED');
    }
    await engine.workflows.run(id, { background: true, input: { n: 1 } });
  });

  test('take more than one place in the queue if their definition or input is large', async () => {
    const engine = setUp({ limits: { maxBackgroundRuns: 1, maxWaitingRuns: 10 } });
    const { id: small } = await engine.defineWait();
    const { id: large } = await engine.defineWait(450);
    const start = (id: string, n: string) => engine.workflows.run(id, { background: true, input: { n } });
    await start(large, 'runs at once');
    await start(large, 'takes 5');
    await start(small, 'x'.repeat(70_000));
    await expect(start(small, 'takes 1')).rejects.toMatchObject({ code: 'unavailable' });
    await engine.releaseAll();
    await expect.poll(() => engine.started).toHaveLength(450 + 450 + 1);
  });

  test('take no place in the queue if they cannot be saved', async () => {
    const store = memoryRunLog({ maxRows: 100 });
    let isUnavailable = false;
    const runs: RunLog = {
      ...store,
      async create(run) {
        if (isUnavailable) throw unavailable('the store cannot be reached');
        return store.create(run);
      },
    };
    const engine = setUp({
      limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 },
      ports: { runs },
    });
    const { id } = await engine.defineWait();
    const start = () => engine.workflows.run(id, { background: true, input: { n: 1 } });
    isUnavailable = true;
    for (let times = 0; times < 5; times++) {
      await expect(start()).rejects.toThrow('the store cannot be reached');
    }
    isUnavailable = false;
    await start();
    isUnavailable = true;
    await expect(start()).rejects.toThrow('the store cannot be reached');
    isUnavailable = false;
    await start();
    await expect(start()).rejects.toThrow('too many background runs are waiting');
    await engine.releaseAll();
    expect(engine.started).toHaveLength(2);
  });
});

describe('a shutdown', () => {
  test('waits for active and waiting runs', async () => {
    const engine = setUp({ limits: { maxBackgroundRuns: 1 } });
    const { id } = await engine.defineWait();
    const runs = [];
    for (const n of [1, 2]) runs.push(await engine.workflows.run(id, { background: true, input: { n } }));
    const foreground = engine.workflows.run(id, { input: { n: 3 } });
    await settle();
    const closing = engine.runner.close(20_000);
    await expect(engine.workflows.run(id, { background: true, input: { n: 4 } })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the service is shutting down',
    });
    await engine.releaseAll();
    await closing;
    expect((await foreground).status).toBe('COMPLETED');
    for (const { runId } of runs) {
      expect((await engine.workflows.getRun(id, runId)).status).toBe('COMPLETED');
    }
    await expect(engine.workflows.run(id, { input: { n: 5 } })).rejects.toThrow(
      'the service is shutting down',
    );
    expect(engine.clock.pending()).toBe(0);
  });

  test('interrupts and saves the remaining runs after the grace period', async () => {
    const engine = setUp({ limits: { maxBackgroundRuns: 1 } });
    const { id } = await engine.defineWait(3);
    const runs = [];
    for (const n of [1, 2]) runs.push(await engine.workflows.run(id, { background: true, input: { n } }));
    const foreground = engine.workflows.run(id, { input: { n: 3 } });
    await settle();
    const closing = engine.runner.close(5_000);
    await engine.clock.advance(5_000);
    await closing;
    const [running, waiting] = await Promise.all(runs.map(({ runId }) => engine.workflows.getRun(id, runId)));
    const later = '2026-01-01T00:00:05.000Z';
    for (const run of [running, await foreground]) {
      expect(run).toMatchObject({
        status: 'FAILED',
        error: 'interrupted',
        completedAt: later,
        durationMs: 5_000,
        stepResults: [
          { status: 'FAILED', error: 'interrupted', completedAt: later },
          { status: 'SKIPPED', error: null },
          { status: 'SKIPPED', error: null },
        ],
      });
    }
    expect(waiting).toMatchObject({
      status: 'FAILED',
      error: 'interrupted',
      startedAt: null,
      completedAt: later,
      durationMs: 0,
      stepResults: [{ status: 'SKIPPED' }, { status: 'SKIPPED' }, { status: 'SKIPPED' }],
    });
    expect(engine.recorded.events.filter(({ type }) => type === 'run.finished')).toHaveLength(3);
    expect(engine.clock.pending()).toBe(0);
  });

  test('starts no further step of a layer that it interrupts', async () => {
    const engine = setUp({ limits: { maxConcurrentSteps: 2 } });
    const { id } = await engine.define(...Array.from({ length: 5 }, (_, n) => callTool(`s${n}`, 'wait')));
    const running = engine.workflows.run(id);
    await settle();
    const closing = engine.runner.close(0);
    await engine.clock.advance(0);
    await closing;
    const run = await running;
    expect(run.stepResults.map(({ status }) => status)).toEqual([
      ...['FAILED', 'FAILED', 'SKIPPED', 'SKIPPED', 'SKIPPED'],
    ]);
    expect(engine.started).toHaveLength(2);
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
  });

  test('between two layers prevents the next one', async () => {
    const store = memoryRunLog({ maxRows: 100 });
    const saving = Promise.withResolvers<void>();
    const runs: RunLog = {
      ...store,
      async append(runId, expectedSeq, events, change) {
        await saving.promise;
        return store.append(runId, expectedSeq, events, change);
      },
    };
    const engine = setUp({ ports: { runs } });
    const { id } = await engine.defineWait(3);
    const running = engine.workflows.run(id, { input: { n: 1 } });
    await engine.releaseAll();
    const closing = engine.runner.close(0);
    await engine.clock.advance(0);
    saving.resolve();
    await closing;
    const run = await running;
    expect(run).toMatchObject({ status: 'FAILED', error: 'interrupted' });
    expect(run.stepResults.map(({ status }) => status)).toEqual(['COMPLETED', 'SKIPPED', 'SKIPPED']);
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
    expect(engine.started).toHaveLength(1);
  });

  test('prevents a run that is still being created', async () => {
    const store = memoryRunLog({ maxRows: 100 });
    const creating = Promise.withResolvers<void>();
    const runs: RunLog = {
      ...store,
      async create(run) {
        await creating.promise;
        return store.create(run);
      },
    };
    const engine = setUp({ ports: { runs } });
    const { id } = await engine.defineWait();
    const answers = [true, false].map((background) =>
      engine.workflows.run(id, { background, input: { n: 1 } }),
    );
    await settle();
    const closing = engine.runner.close(0);
    await engine.clock.advance(0);
    creating.resolve();
    await closing;
    for (const answer of answers) {
      expect(await engine.workflows.getRun(id, (await answer).runId)).toMatchObject({
        status: 'FAILED',
        error: 'interrupted',
        stepResults: [{ status: 'SKIPPED' }],
      });
    }
    const [background] = await Promise.all(answers);
    expect(await engine.workflows.getRun(id, background?.runId ?? '')).toMatchObject({ startedAt: null });
    expect(engine.started).toEqual([]);
  });

  test('without active runs ends at once', async () => {
    const engine = setUp();
    await engine.runner.close(20_000);
    expect(engine.clock.pending()).toBe(0);
  });
});
