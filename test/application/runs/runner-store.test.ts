import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import type { RunEvent } from '../../../src/domain/run/events.ts';
import { replay } from '../../../src/domain/run/evolve.ts';
import { type RunChange, recordOf } from '../../../src/domain/run/state.ts';
import type { NewRun, RunLog } from '../../../src/ports/storage/run-log.ts';
import { settle } from '../../support/fake-clock.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callTool, createTestEngine } from '../../support/workflow/engine.ts';

interface Append {
  readonly events: readonly RunEvent[];
  readonly change: RunChange;
}

/** A memory log that records its calls, and can become unavailable. */
function recordingLog() {
  const log = memoryRunLog({ maxRows: 1_000 });
  const created: NewRun[] = [];
  const appends: Append[] = [];
  const control = {
    unavailable: false,
    rejected: 0,
    /** The number of next reads that fail. */
    failingReads: 0,
    beforeAppend: async (_change: RunChange): Promise<void> => {},
    /** Makes the store unavailable from the next append on. */
    failFromNextAppend: (): void => {
      control.beforeAppend = async () => {
        control.unavailable = true;
      };
    },
    recover: (): void => {
      control.unavailable = false;
      control.beforeAppend = async () => {};
    },
  };
  const check = (): void => {
    if (!control.unavailable) return;
    control.rejected++;
    throw unavailable('the store cannot be reached');
  };
  const runs: RunLog = {
    ...log,
    async create(run) {
      check();
      created.push(structuredClone(run));
      return log.create(run);
    },
    async get(runId) {
      if (control.failingReads-- > 0) throw unavailable('the store cannot be reached');
      return log.get(runId);
    },
    async append(runId, expectedSeq, events, change) {
      check();
      await control.beforeAppend(change);
      check();
      appends.push(structuredClone({ events, change }));
      return log.append(runId, expectedSeq, events, change);
    },
  };
  return { runs, created, appends, control };
}

function setUp(width = 1) {
  const { runs, ...log } = recordingLog();
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
  return { ...log, engine, ran, chain };
}

/** An event as `type step`. */
function textOf(event: RunEvent): string {
  return 'stepId' in event ? `${event.type} ${event.stepId}` : event.type;
}

describe('the log of a run', () => {
  test('is created with the start of the first layer, and has one append for each layer, the last with the end', async () => {
    const { created, appends, engine, chain } = setUp();
    const { id } = await chain(3);
    await engine.workflows.run(id);
    expect(created.map(({ summary, events }) => [summary.status, ...events.map(textOf)])).toEqual([
      ['RUNNING', 'execution.created', 'execution.started', 'layer.started', 'step.started s0'],
    ]);
    expect(appends.map(({ change, events }) => [change.status, ...events.map(textOf)])).toEqual([
      ['RUNNING', 'step.completed s0', 'layer.started', 'step.started s1'],
      ['RUNNING', 'step.completed s1', 'layer.started', 'step.started s2'],
      ['COMPLETED', 'step.completed s2', 'execution.completed'],
    ]);
  });

  test('of a background run is PENDING first and RUNNING before any step runs', async () => {
    const { created, appends, ran, control, engine, chain } = setUp();
    const { id } = await chain(2);
    control.beforeAppend = async ({ status }) => {
      if (appends.length === 0) expect([status, ran.length]).toEqual(['RUNNING', 0]);
    };
    await engine.workflows.run(id, { background: true });
    await settle();
    expect(created.map(({ summary, events }) => [summary.status, ...events.map(textOf)])).toEqual([
      ['PENDING', 'execution.created'],
    ]);
    expect(appends.map(({ change }) => change.status)).toEqual(['RUNNING', 'RUNNING', 'COMPLETED']);
  });

  test('numbers its events without gaps, and each append is small', async () => {
    const { created, appends, engine, chain } = setUp();
    const { id } = await chain(1_000);
    await engine.workflows.run(id);
    expect(appends).toHaveLength(1_000);
    const events = [...created, ...appends].flatMap((part) => part.events);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const bytes = appends.map((append) => JSON.stringify(append).length);
    expect(Math.max(...bytes)).toBeLessThan(1_000);
  });

  test('has one event for the end of each step, also when a failure skips later steps', async () => {
    const { appends, engine } = setUp();
    const { id } = await engine.define(
      ...['a', 'b'].map((step) => callTool(step, 'missing')),
      callTool('c', 'work', {}, ['a']),
    );
    await engine.workflows.run(id);
    expect(appends.map(({ events }) => events.map(textOf))).toEqual([
      ['step.failed a', 'step.failed b', 'step.skipped c', 'execution.failed'],
    ]);
  });

  test('gets the ends of steps while a slow one of their layer goes on, several together', async () => {
    const { appends, engine } = setUp();
    const slow = Promise.withResolvers<void>();
    engine.tool('slow', async () => {
      await slow.promise;
      return {};
    });
    const { id } = await engine.define(
      callTool('slow', 'slow'),
      callTool('a', 'work'),
      callTool('b', 'work'),
    );
    const running = engine.workflows.run(id);
    await settle();
    expect(appends).toEqual([]);
    await engine.clock.advance(50);
    expect(appends.map(({ events }) => events.map(textOf))).toEqual([
      ['step.completed a', 'step.completed b'],
    ]);
    slow.resolve();
    const run = await running;
    expect(appends).toHaveLength(2);
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
    expect(engine.clock.pending()).toBe(0);
  });

  test('with large outputs is saved in several changes of limited size', async () => {
    const { appends, engine } = setUp();
    engine.tool('big', () => ({ x: 'x'.repeat(1_000_000) }));
    const { id } = await engine.define(
      ...Array.from({ length: 10 }, (_, n) => callTool(`s${n}`, 'big')),
      callTool('last', 'work', {}, ['s0']),
    );
    const run = await engine.workflows.run(id);
    expect(run.status).toBe('COMPLETED');
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
    expect(appends.length).toBeGreaterThan(3);
    for (const append of appends) expect(JSON.stringify(append).length).toBeLessThan(5_000_000);
  });

  test('is saved before the next layer starts', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(2);
    const saving = Promise.withResolvers<void>();
    control.beforeAppend = () => saving.promise;
    const running = engine.workflows.run(id);
    await settle();
    expect(ran).toEqual(['s0']);
    saving.resolve();
    await running;
    expect(ran).toEqual(['s0', 's1']);
  });
});

describe('a run whose last events are saved in parts', () => {
  /** A run with large outputs, whose definition has an output: its last events are more than one append takes. */
  async function setUpLarge(fails: boolean) {
    const large = setUp();
    large.engine.tool('big', () => ({ x: 'x'.repeat(600_000) }));
    const steps = ['a', 'b', 'c'].map((step) => callTool(step, 'big'));
    const definition = await large.engine.workflows.create({
      name: 'large',
      description: '',
      steps: fails ? [...steps, callTool('d', 'missing')] : steps,
      output: { made: '${{ size(steps.a.x) }}' },
    });
    return { ...large, id: definition.id };
  }

  /** The appends that are written, of which only the last may bear the end. */
  function expectEndInLast(appends: readonly Append[], end: Partial<RunChange>): void {
    const goesOn = {
      status: 'RUNNING',
      error: null,
      output: null,
      waitingFor: [],
      startedAt: expect.any(String),
      completedAt: null,
      durationMs: null,
      wakeAt: null,
    };
    expect(appends.length).toBeGreaterThan(1);
    for (const { change } of appends.slice(0, -1)) expect(change).toMatchObject(goesOn);
    const last = appends.at(-1) ?? expect.fail();
    expect(last.change).toMatchObject({ completedAt: expect.any(String), ...end });
    const ends = appends
      .flatMap(({ events }) => events.map(textOf))
      .filter((text) => /^execution\./.test(text));
    expect(ends).toHaveLength(1);
    expect(last.events.at(-1)?.type).toBe(ends[0]);
  }

  const completed = { status: 'COMPLETED', error: null, output: { made: 600_000 } } as const;
  const failed = {
    status: 'FAILED',
    error: 'step "d" failed: no tool "missing" is registered',
    output: null,
  } as const;

  describe.each([
    { fails: false, end: completed },
    { fails: true, end: failed },
  ])('and that ends $end.status', ({ fails, end }) => {
    test('goes on in the store until the last part', async () => {
      const { appends, engine, id } = await setUpLarge(fails);
      const run = await engine.workflows.run(id);
      expectEndInLast(appends, end);
      expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
    });

    test('goes on until the last part where the store was unavailable when it ended', async () => {
      const { appends, control, engine, id } = await setUpLarge(fails);
      control.failFromNextAppend();
      const running = engine.workflows.run(id);
      await engine.clock.advance(10_000);
      const run = await running;
      expect(run.status).toBe(end.status);
      expect(appends).toEqual([]);
      control.recover();
      await engine.clock.advance(2_000);
      expectEndInLast(appends, end);
      expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
    });
  });

  test('goes on until the last part where it ended because it could not be saved', async () => {
    const { appends, control, engine } = setUp();
    engine.tool('big', () => ({ x: 'x'.repeat(600_000) }));
    const { id } = await engine.define(
      ...['a', 'b', 'c'].map((step) => callTool(step, 'big')),
      callTool('later', 'work', {}, ['a']),
    );
    control.failFromNextAppend();
    const running = engine.workflows.run(id);
    await engine.clock.advance(10_000);
    const run = await running;
    control.recover();
    await engine.clock.advance(2_000);
    expectEndInLast(appends, { status: 'FAILED', error: 'the results could not be saved' });
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
  });

  test('is one that goes on for whoever finds it after its first part', async () => {
    const { appends, control, engine, id } = await setUpLarge(false);
    control.beforeAppend = async () => {
      if (appends.length === 1) control.unavailable = true;
    };
    const running = engine.workflows.run(id);
    await engine.clock.advance(12_000);
    const { runId } = await running;
    expect(appends).toHaveLength(1);
    const stored = (await engine.runs.get(runId)) ?? expect.fail();
    // Should the process die now, the next one has a run to end or to continue.
    expect(await engine.runs.summary(runId)).toMatchObject({ status: 'RUNNING', error: null, output: null });
    expect(recordOf(replay(stored))).toMatchObject({ status: 'RUNNING', error: null, completedAt: null });
    control.recover();
    await engine.clock.advance(2_000);
    expect(await engine.workflows.getRun(id, runId)).toMatchObject(completed);
  });
});

describe('a run that another process has ended', () => {
  /** Ends the newest run of a workflow, as another process does. */
  async function endElsewhere({ runs, workflows }: ReturnType<typeof createTestEngine>, id: string) {
    const { items } = await workflows.listRuns(id, { limit: 1, offset: 0 });
    const { runId, attempt } = items[0] ?? expect.fail();
    const lastSeq = (await runs.read(runId, 0, 1))?.lastSeq ?? expect.fail();
    const end = { type: 'execution.failed', at: 0, error: 'interrupted', durationMs: null } as const;
    const times = { startedAt: null, completedAt: null, durationMs: null };
    await runs.append(runId, lastSeq, [{ seq: lastSeq + 1, ...end }], {
      status: 'FAILED',
      error: 'interrupted',
      attempt,
      recoveries: 0,
      recoveriesWithoutProgress: 0,
      waitingFor: [],
      output: null,
      wakeAt: null,
      ...times,
    });
    return runId;
  }

  test('stops, and does not change the record', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(3);
    let done = false;
    control.beforeAppend = async () => {
      if (done || ran.length !== 2) return;
      done = true;
      await endElsewhere(engine, id);
    };
    const run = await engine.workflows.run(id);
    expect(run).toMatchObject({ status: 'FAILED', error: 'interrupted' });
    expect(ran).toEqual(['s0', 's1']);
    const events = (await engine.runs.read(run.runId, 0, 200))?.events ?? [];
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['step.started', 'execution.failed']);
    expect(engine.clock.pending()).toBe(0);
  });

  test('while it was waiting does not start', async () => {
    const { control, ran, engine, chain } = setUp();
    const { id } = await chain(3);
    let done = false;
    control.beforeAppend = async () => {
      if (done) return;
      done = true;
      await endElsewhere(engine, id);
    };
    await engine.workflows.run(id, { background: true });
    await settle();
    expect(ran).toEqual([]);
  });

  test('tells the steps under way why they are to stop', async () => {
    const { engine } = setUp();
    const reasons: unknown[] = [];
    engine.tool('slow', (_, { signal }) => {
      const { promise, resolve } = Promise.withResolvers<Record<string, never>>();
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason?.code);
        resolve({});
      });
      return promise;
    });
    const { id } = await engine.define(callTool('slow', 'slow'), callTool('quick', 'work'));
    const running = engine.workflows.run(id);
    await settle();
    await endElsewhere(engine, id);
    await engine.clock.advance(50);
    expect(await running).toMatchObject({ status: 'FAILED', error: 'interrupted' });
    expect(reasons).toEqual(['lost']);
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
      control.beforeAppend = async () => {
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
    control.failFromNextAppend();
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
    control.failFromNextAppend();
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
    control.failFromNextAppend();
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
    control.failFromNextAppend();
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

  test.each([true, false])(
    'is awaited at shutdown while a retry is under way (saved: %s)',
    async (isSaved) => {
      const { control, engine, chain } = setUp();
      const { id } = await chain(1);
      control.failFromNextAppend();
      const running = engine.workflows.run(id);
      await engine.clock.advance(10_000);
      const run = await running;
      const answer = Promise.withResolvers<void>();
      control.recover();
      control.beforeAppend = () => answer.promise;
      await engine.clock.advance(2_000);
      const closing = engine.runner.close(0);
      await settle();
      control.unavailable = !isSaved;
      answer.resolve();
      await closing;
      const dropped = engine.logger.lines.filter(({ level }) => level === 'error');
      expect(dropped).toHaveLength(isSaved ? 0 : 1);
      control.recover();
      const { status } = await engine.workflows.getRun(id, run.runId);
      expect(status).toBe(isSaved ? 'COMPLETED' : 'RUNNING');
      expect(engine.clock.pending()).toBe(0);
    },
  );

  test('is recorded as CANCELLED after a cancel, also when the store fails once more', async () => {
    const { control, engine, chain } = setUp();
    const { id } = await chain(1);
    control.failFromNextAppend();
    const running = engine.workflows.run(id);
    await engine.clock.advance(10_000);
    const { runId } = await running;
    expect((await engine.control.cancel(runId, { by: 'ann', reason: null })).isAccepted).toBe(true);
    control.recover();
    control.failingReads = 1;
    await engine.clock.advance(2_000);
    expect((await engine.workflows.getRun(id, runId)).status).toBe('RUNNING');
    await engine.clock.advance(2_000);
    expect((await engine.workflows.getRun(id, runId)).status).toBe('CANCELLED');
    expect(engine.clock.pending()).toBe(0);
  });

  test('does not delay a run that a shutdown interrupts', async () => {
    const { control, engine, chain } = setUp();
    const { id } = await chain(2);
    control.failFromNextAppend();
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
    // The store fails when all runs are at their first append.
    const { promise: allAppend, resolve } = Promise.withResolvers<void>();
    let appending = 0;
    control.beforeAppend = async () => {
      if (++appending === 1_002) resolve();
      await allAppend;
      control.unavailable = true;
    };
    const running = Array.from({ length: 1_002 }, () => engine.workflows.run(id));
    await allAppend;
    await engine.clock.advance(10_000);
    await Promise.all(running);
    expect(engine.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });
});
