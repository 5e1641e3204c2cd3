import { describe, expect, test } from 'vitest';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import type { Run, RunChange } from '../../../src/domain/run/run.ts';
import type { RunStore } from '../../../src/ports/run-store.ts';
import { settle } from '../../support/fake-clock.ts';
import { callTool, createTestEngine } from '../../support/workflow/engine.ts';

/** A memory store that records its calls, and can become unavailable. */
function recordingStore() {
  const store = createMemoryRunStore({ maxRecords: 1_000 });
  const created: Run[] = [];
  const changes: RunChange[] = [];
  const control = {
    unavailable: false,
    rejected: 0,
    beforeSave: async (_change: RunChange): Promise<void> => {},
    /** Makes the store unavailable from the next save on. */
    failFromNextSave: (): void => {
      control.beforeSave = async () => {
        control.unavailable = true;
      };
    },
    recover: (): void => {
      control.unavailable = false;
      control.beforeSave = async () => {};
    },
  };
  const check = (): void => {
    if (!control.unavailable) return;
    control.rejected++;
    throw unavailable('the store cannot be reached');
  };
  const runs: RunStore = {
    ...store,
    async create(run) {
      check();
      created.push(structuredClone(run));
      await store.create(run);
    },
    async save(runId, change) {
      check();
      await control.beforeSave(change);
      check();
      changes.push(structuredClone(change));
      return store.save(runId, change);
    },
  };
  return { runs, created, changes, control };
}

function setUp(width = 1) {
  const { runs, ...store } = recordingStore();
  const engine = createTestEngine({ ports: { runs } });
  const ran: string[] = [];
  engine.tool('work', (_, { idempotencyKey }) => {
    ran.push(idempotencyKey.split(':')[1] ?? '');
    return {};
  });
  const chain = (length: number) =>
    engine.define(
      ...Array.from({ length: length * width }, (_, n) =>
        callTool(`s${n}`, 'work', {}, n < width ? [] : [`s${n - width}`]),
      ),
    );
  return { ...store, engine, ran, chain };
}

describe('the record of a run', () => {
  test('is created before the first step, and saved after each layer, the last time with the end of the run', async () => {
    const { created, changes, engine, chain } = setUp();
    const { id } = await chain(3);
    await engine.workflows.run(id);
    const resultsOf = ({ stepResults }: RunChange) =>
      stepResults.map(({ index, result }) => `${index} ${result.status}`);
    expect(
      created.map(({ status, stepResults }) => [status, ...stepResults.map((step) => step.status)]),
    ).toEqual([['RUNNING', 'RUNNING', 'PENDING', 'PENDING']]);
    expect(changes.map((change) => [change.status, ...resultsOf(change)])).toEqual([
      ['RUNNING', '0 COMPLETED', '1 RUNNING'],
      ['RUNNING', '1 COMPLETED', '2 RUNNING'],
      ['COMPLETED', '2 COMPLETED'],
    ]);
  });

  test('of a background run is PENDING first and RUNNING before any step runs', async () => {
    const { created, changes, ran, control, engine, chain } = setUp();
    const { id } = await chain(2);
    control.beforeSave = async ({ status }) => {
      if (changes.length === 0) expect([status, ran.length]).toEqual(['RUNNING', 0]);
    };
    await engine.workflows.run(id, { background: true });
    await settle();
    expect(created.map(({ status, startedAt }) => [status, startedAt])).toEqual([['PENDING', null]]);
    expect(changes.map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING', 'COMPLETED']);
  });

  test('is saved with only the changed results of each layer', async () => {
    const { changes, engine, chain } = setUp();
    const { id } = await chain(1_000);
    await engine.workflows.run(id);
    expect(changes).toHaveLength(1_000);
    expect(changes.flatMap(({ stepResults }) => stepResults)).toHaveLength(1_999);
    const bytes = changes.map((change) => JSON.stringify(change).length);
    expect(Math.max(...bytes)).toBeLessThan(1_000);
  });

  test('has each step at most once in a change, also when a failure skips later steps', async () => {
    const { changes, engine } = setUp();
    const { id } = await engine.define(
      ...['a', 'b'].map((step) => callTool(step, 'missing')),
      callTool('c', 'work', {}, ['a']),
    );
    await engine.workflows.run(id);
    expect(changes.map(({ stepResults }) => stepResults.map(({ index }) => index))).toEqual([[0, 1, 2]]);
  });

  test('with large outputs is saved in several changes of limited size', async () => {
    const { changes, engine } = setUp();
    engine.tool('big', () => ({ x: 'x'.repeat(1_000_000) }));
    const { id } = await engine.define(
      ...Array.from({ length: 10 }, (_, n) => callTool(`s${n}`, 'big')),
      callTool('last', 'work', {}, ['s0']),
    );
    const run = await engine.workflows.run(id);
    expect(run.status).toBe('COMPLETED');
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
    expect(changes.length).toBeGreaterThan(3);
    for (const change of changes) expect(JSON.stringify(change).length).toBeLessThan(5_000_000);
  });

  test('is saved before the next layer starts', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(2);
    const saving = Promise.withResolvers<void>();
    control.beforeSave = () => saving.promise;
    const running = engine.workflows.run(id);
    await settle();
    expect(ran).toEqual(['s0']);
    saving.resolve();
    await running;
    expect(ran).toEqual(['s0', 's1']);
  });
});

describe('a run that another process has ended', () => {
  const interrupted: RunChange = {
    ...{ status: 'FAILED', error: 'interrupted', startedAt: null, completedAt: null, durationMs: null },
    stepResults: [],
  };

  test('stops, and does not change the record', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(3);
    let done = false;
    control.beforeSave = async () => {
      if (done || ran.length !== 2) return;
      done = true;
      const { items } = await engine.workflows.listRuns(id, { limit: 1, offset: 0 });
      await engine.runs.save(items[0]?.runId ?? '', interrupted);
    };
    const run = await engine.workflows.run(id);
    expect(run).toMatchObject({ status: 'FAILED', error: 'interrupted' });
    expect(ran).toEqual(['s0', 's1']);
    expect(engine.clock.pending()).toBeLessThanOrEqual(1);
  });

  test('while it was waiting does not start', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(3);
    let done = false;
    control.beforeSave = async () => {
      if (done) return;
      done = true;
      const { items } = await engine.workflows.listRuns(id, { limit: 1, offset: 0 });
      await engine.runs.save(items[0]?.runId ?? '', interrupted);
    };
    await engine.workflows.run(id, { background: true });
    await settle();
    expect(ran).toEqual([]);
  });
});

describe('an unavailable store', () => {
  test('rejects a run before its first step', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(2);
    control.unavailable = true;
    for (const background of [false, true]) {
      await expect(engine.workflows.run(id, { background })).rejects.toMatchObject({ code: 'unavailable' });
    }
    control.unavailable = false;
    await settle();
    expect(ran).toEqual([]);
    expect((await engine.workflows.listRuns(id, { limit: 10, offset: 0 })).total).toBe(0);
  });

  test.each([0, 1, 2, 3])(
    'delays a run for three seconds after layer %i, and no step runs twice',
    async (layer) => {
      const { control, ran, engine, chain } = setUp(2);
      const { id } = await chain(4);
      control.beforeSave = async () => {
        if (ran.length === (layer + 1) * 2 && control.rejected === 0) control.unavailable = true;
      };
      const running = engine.workflows.run(id);
      await engine.clock.advance(3_000);
      expect(control.rejected).toBeGreaterThan(2);
      control.unavailable = false;
      await engine.clock.advance(3_000);
      const run = await running;
      expect(run.status).toBe('COMPLETED');
      expect(ran).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7']);
      expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
    },
  );

  test('fails a run after ten seconds, and the end is saved when the store is available again', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(3);
    control.failFromNextSave();
    const running = engine.workflows.run(id);
    await engine.clock.advance(10_000);
    const run = await running;
    expect(run).toMatchObject({ status: 'FAILED', error: 'the results could not be saved' });
    expect(run.stepResults.map(({ status }) => status)).toEqual(['COMPLETED', 'SKIPPED', 'SKIPPED']);
    expect(ran).toEqual(['s0']);
    expect((await engine.workflows.getRun(id, run.runId)).status).toBe('RUNNING');
    await engine.clock.advance(60_000);
    control.recover();
    await engine.clock.advance(2_000);
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
    expect(engine.clock.pending()).toBe(0);
  });

  test('does not change the result of a run after its last step', async () => {
    const { control, engine, chain } = setUp();
    const { id } = await chain(1);
    control.failFromNextSave();
    const running = engine.workflows.run(id);
    await engine.clock.advance(10_000);
    const run = await running;
    expect(run.status).toBe('COMPLETED');
    control.recover();
    await engine.clock.advance(2_000);
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
  });

  test('fails a background run that is about to start, without running a step', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(2);
    control.failFromNextSave();
    const { runId } = await engine.workflows.run(id, { background: true });
    await engine.clock.advance(60_000);
    control.recover();
    await engine.clock.advance(2_000);
    const run = await engine.workflows.getRun(id, runId);
    expect(run).toMatchObject({ status: 'FAILED', error: 'the results could not be saved' });
    expect(run.stepResults.map(({ status }) => status)).toEqual(['SKIPPED', 'SKIPPED']);
    expect(ran).toEqual([]);
  });

  test('is tried once more at shutdown, and a lost record is logged', async () => {
    const { control, engine, chain } = setUp();
    const { id } = await chain(1);
    control.failFromNextSave();
    const running = engine.workflows.run(id);
    await engine.clock.advance(10_000);
    const { runId } = await running;
    const rejectedBefore = control.rejected;
    await engine.runner.close(0);
    expect(control.rejected).toBe(rejectedBefore + 1);
    expect(engine.logger.lines.at(-1)).toEqual({
      level: 'error',
      message: 'the end of a workflow run was dropped: it could not be saved',
      execution_id: runId,
    });
    expect(engine.clock.pending()).toBe(0);
  });

  test('does not delay a run that a shutdown interrupts', async () => {
    const { control, engine, chain } = setUp();
    const { id } = await chain(2);
    control.failFromNextSave();
    const running = engine.workflows.run(id);
    await settle();
    const closing = engine.runner.close(0);
    await engine.clock.advance(0);
    await closing;
    expect((await running).status).toBe('FAILED');
  });

  test('drops and logs the oldest of more than a thousand unsaved records', async () => {
    const { control, engine, chain } = setUp();
    const { id } = await chain(1);
    control.failFromNextSave();
    const running = Array.from({ length: 1_002 }, () => engine.workflows.run(id));
    await engine.clock.advance(10_000);
    await Promise.all(running);
    expect(engine.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });
});
