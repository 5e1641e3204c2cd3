import { describe, expect, test } from 'vitest';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import type { Run, RunChange } from '../../../src/domain/run/run.ts';
import type { RunStore } from '../../../src/ports/run-store.ts';
import { settle } from '../../support/fake-clock.ts';
import { callTool, gate, workflowRig } from '../../support/workflow/rig.ts';

/** A store in memory that remembers what it was told, and can be cut off. */
function watchedStore() {
  const store = createMemoryRunStore({ maxRecords: 1_000 });
  const created: Run[] = [];
  const changes: RunChange[] = [];
  const control = { away: false, refused: 0, before: async (_change: RunChange): Promise<void> => {} };
  const check = (): void => {
    if (!control.away) return;
    control.refused++;
    throw unavailable('the store cannot be reached');
  };
  const watched: RunStore = {
    ...store,
    async create(execution) {
      check();
      created.push(structuredClone(execution));
      await store.create(execution);
    },
    async save(runId, change) {
      check();
      await control.before(change);
      check();
      changes.push(structuredClone(change));
      return store.save(runId, change);
    },
  };
  return { watched, created, changes, control };
}

function setUp(width = 1) {
  const { watched, ...store } = watchedStore();
  const rig = workflowRig({ runs: watched });
  const ran: string[] = [];
  rig.tool('work', (_, { idempotencyKey }) => {
    ran.push(idempotencyKey.split(':')[1] ?? '');
    return {};
  });
  const chain = (length: number) =>
    rig.define(
      ...Array.from({ length: length * width }, (_, n) =>
        callTool(`s${n}`, 'work', {}, n < width ? [] : [`s${n - width}`]),
      ),
    );
  return { ...store, rig, ran, chain };
}

describe('the record of a run', () => {
  test('is written before the first step, after each layer, and with the end in the last of them', async () => {
    const { created, changes, rig, chain } = setUp();
    const { id } = await chain(3);
    await rig.workflows.run(id);
    const marks = ({ stepResults }: RunChange) =>
      stepResults.map(({ index, result }) => `${index} ${result.status}`);
    expect(
      created.map(({ status, stepResults }) => [status, ...stepResults.map((step) => step.status)]),
    ).toEqual([['RUNNING', 'RUNNING', 'PENDING', 'PENDING']]);
    expect(changes.map((change) => [change.status, ...marks(change)])).toEqual([
      ['RUNNING', '0 COMPLETED', '1 RUNNING'],
      ['RUNNING', '1 COMPLETED', '2 RUNNING'],
      ['COMPLETED', '2 COMPLETED'],
    ]);
  });

  test('of a background run is PENDING first and RUNNING before any step runs', async () => {
    const { created, changes, ran, control, rig, chain } = setUp();
    const { id } = await chain(2);
    control.before = async ({ status }) => {
      if (changes.length === 0) expect([status, ran.length]).toEqual(['RUNNING', 0]);
    };
    await rig.workflows.run(id, { background: true });
    await settle();
    expect(created.map(({ status, startedAt }) => [status, startedAt])).toEqual([['PENDING', null]]);
    expect(changes.map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING', 'COMPLETED']);
  });

  test('is written in an amount that grows with the steps, not with their square', async () => {
    const { changes, rig, chain } = setUp();
    const { id } = await chain(1_000);
    await rig.workflows.run(id);
    expect(changes).toHaveLength(1_000);
    expect(changes.flatMap(({ stepResults }) => stepResults)).toHaveLength(1_999);
    const bytes = changes.map((change) => JSON.stringify(change).length);
    expect(Math.max(...bytes)).toBeLessThan(1_000);
  });

  test('names each step once in a change, also where a failure skips the rest of its layer', async () => {
    const { changes, rig } = setUp();
    const { id } = await rig.define(
      ...['a', 'b'].map((step) => callTool(step, 'missing')),
      callTool('c', 'work', {}, ['a']),
    );
    await rig.workflows.run(id);
    expect(changes.map(({ stepResults }) => stepResults.map(({ index }) => index))).toEqual([[0, 1, 2]]);
  });

  test('with large outputs is written in parts, none of them huge', async () => {
    const { changes, rig } = setUp();
    rig.tool('big', () => ({ x: 'x'.repeat(1_000_000) }));
    const { id } = await rig.define(
      ...Array.from({ length: 10 }, (_, n) => callTool(`s${n}`, 'big')),
      callTool('last', 'work', {}, ['s0']),
    );
    const execution = await rig.workflows.run(id);
    expect(execution.status).toBe('COMPLETED');
    expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
    expect(changes.length).toBeGreaterThan(3);
    for (const change of changes) expect(JSON.stringify(change).length).toBeLessThan(5_000_000);
  });

  test('is complete before the next layer begins', async () => {
    const { control, ran, rig, chain } = setUp();
    const { id } = await chain(2);
    const saving = gate();
    control.before = () => saving.promise;
    const running = rig.workflows.run(id);
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

  test('goes no further, and leaves the record alone', async () => {
    const { control, ran, rig, chain } = setUp();
    const { id } = await chain(3);
    let done = false;
    control.before = async () => {
      if (done || ran.length !== 2) return;
      done = true;
      const { items } = await rig.workflows.listRuns(id, { limit: 1, offset: 0 });
      await rig.runs.save(items[0]?.runId ?? '', interrupted);
    };
    const execution = await rig.workflows.run(id);
    expect(execution).toMatchObject({ status: 'FAILED', error: 'interrupted' });
    expect(ran).toEqual(['s0', 's1']);
    expect(rig.clock.pending()).toBeLessThanOrEqual(1);
  });

  test('while it waited does not begin', async () => {
    const { control, ran, rig, chain } = setUp();
    const { id } = await chain(3);
    let done = false;
    control.before = async () => {
      if (done) return;
      done = true;
      const { items } = await rig.workflows.listRuns(id, { limit: 1, offset: 0 });
      await rig.runs.save(items[0]?.runId ?? '', interrupted);
    };
    await rig.workflows.run(id, { background: true });
    await settle();
    expect(ran).toEqual([]);
  });
});

describe('a store that is out of reach', () => {
  test('at the start refuses the run before any step has run', async () => {
    const { control, ran, rig, chain } = setUp();
    const { id } = await chain(2);
    control.away = true;
    for (const background of [false, true]) {
      await expect(rig.workflows.run(id, { background })).rejects.toMatchObject({ code: 'unavailable' });
    }
    control.away = false;
    await settle();
    expect(ran).toEqual([]);
    expect((await rig.workflows.listRuns(id, { limit: 10, offset: 0 })).total).toBe(0);
  });

  test.each([0, 1, 2, 3])(
    'for three seconds after layer %i delays the run, and no step runs twice',
    async (layer) => {
      const { control, ran, rig, chain } = setUp(2);
      const { id } = await chain(4);
      control.before = async () => {
        if (ran.length === (layer + 1) * 2 && control.refused === 0) control.away = true;
      };
      const running = rig.workflows.run(id);
      await rig.clock.advance(3_000);
      expect(control.refused).toBeGreaterThan(2);
      control.away = false;
      await rig.clock.advance(3_000);
      const execution = await running;
      expect(execution.status).toBe('COMPLETED');
      expect(ran).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7']);
      expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
    },
  );

  test('for ten seconds in the middle ends the run, whose record follows when the store is back', async () => {
    const { control, ran, rig, chain } = setUp();
    const { id } = await chain(3);
    control.before = async () => {
      control.away = true;
    };
    const running = rig.workflows.run(id);
    await rig.clock.advance(10_000);
    const execution = await running;
    expect(execution).toMatchObject({ status: 'FAILED', error: 'the results could not be saved' });
    expect(execution.stepResults.map(({ status }) => status)).toEqual(['COMPLETED', 'SKIPPED', 'SKIPPED']);
    expect(ran).toEqual(['s0']);
    expect((await rig.workflows.getRun(id, execution.runId)).status).toBe('RUNNING');
    await rig.clock.advance(60_000);
    control.away = false;
    control.before = async () => {};
    await rig.clock.advance(2_000);
    expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
    expect(rig.clock.pending()).toBe(0);
  });

  test('at the end does not change what became of the run', async () => {
    const { control, rig, chain } = setUp();
    const { id } = await chain(1);
    control.before = async () => {
      control.away = true;
    };
    const running = rig.workflows.run(id);
    await rig.clock.advance(10_000);
    const execution = await running;
    expect(execution.status).toBe('COMPLETED');
    control.away = false;
    control.before = async () => {};
    await rig.clock.advance(2_000);
    expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
  });

  test('when a background run is to begin ends it without a step', async () => {
    const { control, ran, rig, chain } = setUp();
    const { id } = await chain(2);
    control.before = async () => {
      control.away = true;
    };
    const { runId } = await rig.workflows.run(id, { background: true });
    await rig.clock.advance(60_000);
    control.away = false;
    control.before = async () => {};
    await rig.clock.advance(2_000);
    const execution = await rig.workflows.getRun(id, runId);
    expect(execution).toMatchObject({ status: 'FAILED', error: 'the results could not be saved' });
    expect(execution.stepResults.map(({ status }) => status)).toEqual(['SKIPPED', 'SKIPPED']);
    expect(ran).toEqual([]);
  });

  test('is tried once more at a shutdown, and what is lost is logged', async () => {
    const { control, rig, chain } = setUp();
    const { id } = await chain(1);
    control.before = async () => {
      control.away = true;
    };
    const running = rig.workflows.run(id);
    await rig.clock.advance(10_000);
    const { runId } = await running;
    const before = control.refused;
    await rig.runner.close(0);
    expect(control.refused).toBe(before + 1);
    expect(rig.logger.lines.at(-1)).toEqual({
      level: 'error',
      message: 'the end of a workflow run was dropped: it could not be saved',
      execution_id: runId,
    });
    expect(rig.clock.pending()).toBe(0);
  });

  test('stops delaying a run that a shutdown interrupts', async () => {
    const { control, rig, chain } = setUp();
    const { id } = await chain(2);
    control.before = async () => {
      control.away = true;
    };
    const running = rig.workflows.run(id);
    await settle();
    const closing = rig.runner.close(0);
    await rig.clock.advance(0);
    await closing;
    expect((await running).status).toBe('FAILED');
  });

  test('is given up for the oldest of more than a thousand records', async () => {
    const { control, rig, chain } = setUp();
    const { id } = await chain(1);
    control.before = async () => {
      control.away = true;
    };
    const running = Array.from({ length: 1_002 }, () => rig.workflows.run(id));
    await rig.clock.advance(10_000);
    await Promise.all(running);
    expect(rig.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });
});
