import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { LogFields, Logger } from '../../../src/ports/logger.ts';
import { settle } from '../../support/fake-clock.ts';
import { noTelemetry, recordLogs } from '../../support/fakes.ts';
import { callTool, gate, type RigOptions, workflowRig } from '../../support/workflow/rig.ts';

const page = { limit: 200, offset: 0 };

/** An engine with a tool that waits until it is let go, and notes the order in which it was called. */
function setUp(options: RigOptions = {}) {
  const rig = workflowRig(options);
  const begun: JsonObject[] = [];
  const gates: (() => void)[] = [];
  let open = false;
  rig.tool('wait', (input) => {
    begun.push(input);
    if (open) return {};
    const { promise, resolve } = gate();
    gates.push(resolve);
    return promise.then(() => ({}));
  });
  return {
    ...rig,
    begun,
    /** Lets go whoever waits now. */
    letGo: async () => {
      for (const release of gates.splice(0)) release();
      await settle();
    },
    /** Lets everybody go from now on. */
    openUp: async () => {
      open = true;
      for (const release of gates.splice(0)) release();
      await settle();
    },
    defineWait: (steps = 1) =>
      rig.define(
        callTool('a', 'wait', { n: '$input.n' }),
        ...Array.from({ length: steps - 1 }, (_, n) => callTool(`s${n}`, 'wait', {}, ['a'])),
      ),
  };
}

describe('a background run', () => {
  test('answers at once as PENDING, can be read from then on, and completes by itself', async () => {
    const rig = setUp();
    const { id } = await rig.defineWait();
    const pending = await rig.workflows.run(id, { background: true, input: { n: 1 } });
    expect(pending).toMatchObject({
      ...{ status: 'PENDING', background: true, input: { n: 1 }, error: null },
      ...{ startedAt: null, completedAt: null, durationMs: null },
    });
    expect(pending.stepResults).toMatchObject([{ stepId: 'a', status: 'PENDING', layer: 0, attempts: 0 }]);
    await settle();
    const running = await rig.workflows.getRun(id, pending.runId);
    expect(running).toMatchObject({ status: 'RUNNING', stepResults: [{ status: 'RUNNING' }] });
    await rig.letGo();
    const completed = await rig.workflows.getRun(id, pending.runId);
    expect(completed).toMatchObject({ status: 'COMPLETED', stepResults: [{ status: 'COMPLETED' }] });
    expect(pending.status).toBe('PENDING');
  });

  test('keeps its definition when that is deleted', async () => {
    const rig = setUp({ limits: { maxBackgroundRuns: 1 } });
    const { id } = await rig.defineWait(2);
    const runs = [];
    for (const n of [1, 2]) runs.push(await rig.workflows.run(id, { background: true, input: { n } }));
    await rig.workflows.delete(id);
    await rig.openUp();
    for (const { runId } of runs) {
      expect((await rig.workflows.getRun(id, runId)).status).toBe('COMPLETED');
    }
  });

  test('that ends in something unforeseen is logged and recorded', async () => {
    let broken = false;
    const rig = setUp({
      telemetry: {
        ...noTelemetry,
        async span(name, attributes, work) {
          if (broken && name === 'workflow.run') throw new Error('broken');
          return noTelemetry.span(name, attributes, work);
        },
      },
    });
    const { id } = await rig.defineWait();
    broken = true;
    const { runId } = await rig.workflows.run(id, { background: true, input: { n: 1 } });
    await rig.clock.advance(2_000);
    expect(rig.logger.lines).toMatchObject([
      { level: 'error', message: 'a background run failed unexpectedly' },
    ]);
    expect(await rig.workflows.getRun(id, runId)).toMatchObject({
      ...{ status: 'FAILED', error: 'the run failed unexpectedly' },
      stepResults: [{ status: 'SKIPPED' }],
    });
  });

  test('whose layer breaks unforeseen ends with what is known of its steps', async () => {
    const rig = setUp({
      events(event) {
        if (event.type === 'step.finished') throw new Error('broken');
      },
    });
    const { id } = await rig.defineWait(3);
    const { runId } = await rig.workflows.run(id, { background: true, input: { n: 1 } });
    await rig.openUp();
    const execution = await rig.workflows.getRun(id, runId);
    expect(execution).toMatchObject({ status: 'FAILED', error: 'the run failed unexpectedly' });
    expect(execution.stepResults.map(({ status }) => status)).toEqual(['COMPLETED', 'SKIPPED', 'SKIPPED']);
  });
});

describe('the log lines of a run', () => {
  test('bear its own execution id, also when it waited for another to end', async () => {
    const bound = new AsyncLocalStorage<LogFields>();
    const logs = recordLogs();
    const logger: Logger = {
      ...logs,
      warn: (message, fields) => logs.warn(message, { ...bound.getStore(), ...fields }),
      bind: (fields, work) => bound.run({ ...bound.getStore(), ...fields }, work),
    };
    const rig = setUp({ logger, limits: { maxBackgroundRuns: 1, maxConcurrentSteps: 1 } });
    rig.tool('complain', async ({ n }) => {
      await settle();
      throw new ToolError(`complaint ${n}`, { permanent: true });
    });
    const { id } = await rig.define(
      ...['a', 'b'].map((step) => callTool(step, 'complain', { n: '$input.n' })),
    );
    const expected: unknown[] = [];
    for (const n of [1, 2, 3]) {
      const work = () => rig.workflows.run(id, { background: true, input: { n } });
      const { runId } = await logger.bind({ request_id: `request ${n}` }, work);
      const line = { request_id: `request ${n}`, execution_id: runId, reason: `complaint ${n}` };
      expected.push(line, line);
    }
    await rig.runner.close(1_000);
    expect(logs.lines).toMatchObject(expected);
  });
});

describe('a flood of background runs', () => {
  test('runs as many at a time as it may, the others in their order, and drops none', async () => {
    const rig = setUp({ limits: { maxBackgroundRuns: 3, maxWaitingRuns: 100 } });
    const { id } = await rig.defineWait();
    const runs = [];
    for (let n = 0; n < 20; n++) runs.push(await rig.workflows.run(id, { background: true, input: { n } }));
    await settle();
    for (let released = 3; released < 20; released += 3) {
      expect(rig.begun).toHaveLength(released);
      await rig.letGo();
    }
    await rig.openUp();
    expect(rig.begun).toEqual(runs.map(({ input }) => input));
    for (const { runId } of runs) {
      expect((await rig.workflows.getRun(id, runId)).status).toBe('COMPLETED');
    }
  });

  test('refuses what it has no room for, and never what it has accepted', async () => {
    const rig = setUp({ limits: { maxBackgroundRuns: 8, maxWaitingRuns: 50 } });
    const { id } = await rig.defineWait();
    const answers = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, n) => rig.workflows.run(id, { background: true, input: { n } })),
    );
    const accepted = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    expect(accepted).toHaveLength(58);
    for (const reason of refused) {
      expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    }
    expect((await rig.workflows.listRuns(id, page)).total).toBe(58);
    await rig.openUp();
    for (const { runId } of accepted) {
      expect((await rig.workflows.getRun(id, runId)).status).toBe('COMPLETED');
    }
    await rig.workflows.run(id, { background: true, input: { n: 1 } });
  });

  test('counts large definitions and large inputs for more than one of those that wait', async () => {
    const rig = setUp({ limits: { maxBackgroundRuns: 1, maxWaitingRuns: 10 } });
    const { id: small } = await rig.defineWait();
    const { id: large } = await rig.defineWait(450);
    const start = (id: string, n: string) => rig.workflows.run(id, { background: true, input: { n } });
    await start(large, 'runs at once');
    await start(large, 'takes 5');
    await start(small, 'x'.repeat(70_000));
    await expect(start(small, 'takes 1')).rejects.toMatchObject({ code: 'unavailable' });
    await rig.openUp();
    expect(rig.begun.length).toBe(450 + 450 + 1);
  });

  test('gives the place of a run back that could not be recorded', async () => {
    const store = createMemoryRunStore({ maxRecords: 100 });
    let away = false;
    const rig = setUp({
      limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 },
      runs: {
        ...store,
        async create(execution) {
          if (away) throw unavailable('the store cannot be reached');
          await store.create(execution);
        },
      },
    });
    const { id } = await rig.defineWait();
    const start = () => rig.workflows.run(id, { background: true, input: { n: 1 } });
    away = true;
    for (let times = 0; times < 5; times++) {
      await expect(start()).rejects.toThrow('the store cannot be reached');
    }
    away = false;
    await start();
    away = true;
    await expect(start()).rejects.toThrow('the store cannot be reached');
    away = false;
    await start();
    await expect(start()).rejects.toThrow('too many background runs are waiting');
    await rig.openUp();
    expect(rig.begun).toHaveLength(2);
  });
});

describe('the end of the service', () => {
  test('waits for the runs under way and those that wait', async () => {
    const rig = setUp({ limits: { maxBackgroundRuns: 1 } });
    const { id } = await rig.defineWait();
    const runs = [];
    for (const n of [1, 2]) runs.push(await rig.workflows.run(id, { background: true, input: { n } }));
    const foreground = rig.workflows.run(id, { input: { n: 3 } });
    await settle();
    const closing = rig.runner.close(20_000);
    await expect(rig.workflows.run(id, { background: true, input: { n: 4 } })).rejects.toMatchObject({
      ...{ code: 'unavailable', message: 'the service is shutting down' },
    });
    await rig.openUp();
    await closing;
    expect((await foreground).status).toBe('COMPLETED');
    for (const { runId } of runs) {
      expect((await rig.workflows.getRun(id, runId)).status).toBe('COMPLETED');
    }
    await expect(rig.workflows.run(id, { input: { n: 5 } })).rejects.toThrow('the service is shutting down');
    expect(rig.clock.pending()).toBe(0);
  });

  test('interrupts and records what is left when its grace is over', async () => {
    const rig = setUp({ limits: { maxBackgroundRuns: 1 } });
    const { id } = await rig.defineWait(3);
    const runs = [];
    for (const n of [1, 2]) runs.push(await rig.workflows.run(id, { background: true, input: { n } }));
    const foreground = rig.workflows.run(id, { input: { n: 3 } });
    await settle();
    const closing = rig.runner.close(5_000);
    await rig.clock.advance(5_000);
    await closing;
    const [running, waiting] = await Promise.all(runs.map(({ runId }) => rig.workflows.getRun(id, runId)));
    const later = '2026-01-01T00:00:05.000Z';
    for (const execution of [running, await foreground]) {
      expect(execution).toMatchObject({
        ...{ status: 'FAILED', error: 'interrupted', completedAt: later, durationMs: 5_000 },
        stepResults: [
          { status: 'FAILED', error: 'interrupted', completedAt: later },
          { status: 'SKIPPED', error: null },
          { status: 'SKIPPED', error: null },
        ],
      });
    }
    expect(waiting).toMatchObject({
      ...{ status: 'FAILED', error: 'interrupted', startedAt: null, completedAt: later, durationMs: 0 },
      stepResults: [{ status: 'SKIPPED' }, { status: 'SKIPPED' }, { status: 'SKIPPED' }],
    });
    expect(rig.told.events.filter(({ type }) => type === 'run.finished')).toHaveLength(3);
    expect(rig.clock.pending()).toBe(0);
  });

  test('begins no further step of a layer that it interrupts', async () => {
    const rig = setUp({ limits: { maxConcurrentSteps: 2 } });
    const { id } = await rig.define(...Array.from({ length: 5 }, (_, n) => callTool(`s${n}`, 'wait')));
    const running = rig.workflows.run(id);
    await settle();
    const closing = rig.runner.close(0);
    await rig.clock.advance(0);
    await closing;
    const execution = await running;
    expect(execution.stepResults.map(({ status }) => status)).toEqual([
      ...['FAILED', 'FAILED', 'SKIPPED', 'SKIPPED', 'SKIPPED'],
    ]);
    expect(rig.begun).toHaveLength(2);
    expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
  });

  test('does not begin the next layer when it comes between two', async () => {
    const store = createMemoryRunStore({ maxRecords: 100 });
    const saving = gate();
    const rig = setUp({
      runs: {
        ...store,
        async save(runId, change) {
          await saving.promise;
          return store.save(runId, change);
        },
      },
    });
    const { id } = await rig.defineWait(3);
    const running = rig.workflows.run(id, { input: { n: 1 } });
    await rig.openUp();
    const closing = rig.runner.close(0);
    await rig.clock.advance(0);
    saving.resolve();
    await closing;
    const execution = await running;
    expect(execution).toMatchObject({ status: 'FAILED', error: 'interrupted' });
    expect(execution.stepResults.map(({ status }) => status)).toEqual(['COMPLETED', 'SKIPPED', 'SKIPPED']);
    expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
    expect(rig.begun).toHaveLength(1);
  });

  test('does not begin a run that was still being recorded', async () => {
    const store = createMemoryRunStore({ maxRecords: 100 });
    const creating = gate();
    const rig = setUp({
      runs: {
        ...store,
        async create(execution) {
          await creating.promise;
          await store.create(execution);
        },
      },
    });
    const { id } = await rig.defineWait();
    const answers = [true, false].map((background) => rig.workflows.run(id, { background, input: { n: 1 } }));
    await settle();
    const closing = rig.runner.close(0);
    await rig.clock.advance(0);
    creating.resolve();
    await closing;
    for (const answer of answers) {
      expect(await rig.workflows.getRun(id, (await answer).runId)).toMatchObject({
        ...{ status: 'FAILED', error: 'interrupted' },
        stepResults: [{ status: 'SKIPPED' }],
      });
    }
    const [background] = await Promise.all(answers);
    expect(await rig.workflows.getRun(id, background?.runId ?? '')).toMatchObject({ startedAt: null });
    expect(rig.begun).toEqual([]);
  });

  test('with nothing under way comes at once', async () => {
    const rig = setUp();
    await rig.runner.close(20_000);
    expect(rig.clock.pending()).toBe(0);
  });
});
