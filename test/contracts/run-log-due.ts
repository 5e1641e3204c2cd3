import { expect, test, vi } from 'vitest';
import type { ResolveSignal, RunSignal } from '../../src/domain/run/events.ts';
import type { RunSummary, Wait } from '../../src/domain/run/run.ts';
import type { RunChange } from '../../src/domain/run/state.ts';
import type { RunLog } from '../../src/ports/storage/run-log.ts';
import {
  append,
  CREATED_AT,
  changedSummary,
  type EventDraft,
  ended,
  endOf,
  newEndedRun,
  newRun,
  oddJson,
  running,
  stepCompleted,
} from '../support/workflow/run-events.ts';

const wait: Wait = {
  kind: 'wait',
  stepId: 'step-0',
  itemId: 'item-1',
  until: new Date(CREATED_AT + 100).toISOString(),
};
const stepWaits: EventDraft = {
  type: 'step.waiting',
  stepId: 'step-0',
  for: 'wait',
  until: wait.until,
  itemId: 'item-1',
  attempts: 0,
};
const runWaits: EventDraft = { type: 'execution.waiting', for: ['wait'] };
const decision: ResolveSignal = {
  type: 'resolve',
  itemId: 'item-1',
  outcome: 'approved',
  by: 'ann',
  note: null,
  output: null,
  data: oddJson(),
};
const cancel: RunSignal = { type: 'cancel', by: 'api', reason: null };

const waits = (wakeAt: number | null): RunChange => ({
  ...running(),
  status: 'WAITING',
  waitingFor: [wait],
  wakeAt,
});
const endedAt = (wakeAt: number | null): RunChange => ({ ...ended(), wakeAt });

/** Starts a run and parks it. Its log has three events. */
async function park(log: RunLog, runId: string, wakeAt: number | null): Promise<void> {
  await log.create(newRun(runId));
  expect(await append(log, runId, 1, [stepWaits, runWaits], waits(wakeAt))).toBe('appended');
}

/** Ends a run with a time at which somebody must look at it. Its log has two events. */
async function end(log: RunLog, runId: string, wakeAt: number | null): Promise<void> {
  await log.create(newRun(runId, { parentRunId: 'parent' }));
  expect(await append(log, runId, 1, [endOf()], endedAt(wakeAt))).toBe('appended');
}

async function dueIds(log: RunLog, before = CREATED_AT + 1_000, limit = 100): Promise<string[]> {
  return (await log.due(before, limit)).map(({ runId }) => runId);
}

/** The promises of every run log about runs that are due. */
export function runLogDueContract(make: () => Promise<RunLog>): void {
  parking(make);
  finding(make);
  test('reads the output, the parent and the time of a run as they were appended', async () => {
    const log = await make();
    const output = { ...oddJson(), text: 'x'.repeat(300_000), '"wakeAt":1}': '"wakeAt":1}' };
    for (const [runId, end] of [['a', ended()] as const, ['b', ended('FAILED')] as const]) {
      const run = newRun(runId, { parentRunId: 'execution "0" ☃', input: { text: ',"wakeAt":5}' } });
      await log.create(run);
      expect(await log.summary(runId)).toStrictEqual(run.summary);
      const change = { ...end, output: runId === 'a' ? output : null, wakeAt: CREATED_AT + 5 };
      await append(log, runId, 1, [endOf(runId === 'a' ? 'COMPLETED' : 'FAILED')], change);
      const summary = changedSummary(run.summary, change);
      expect(await log.summary(runId)).toStrictEqual(summary);
      expect((await log.listAll({}, { limit: 10 })).items[0]).toStrictEqual(summary);
      await log.clearWake(runId);
      expect(await log.summary(runId)).toStrictEqual({ ...summary, wakeAt: null });
    }
    const { items } = await log.list('workflow-1', {}, { limit: 10, offset: 0 });
    expect(items.map((run) => [run.wakeAt, run.output])).toEqual([
      [null, null],
      [null, output],
    ]);
  });

  test('keeps the output and the time of a run that has ended when it is created, until it goes on', async () => {
    const log = await make();
    const run = newEndedRun('a', {
      ...ended('FAILED'),
      output: { a: 1 },
      wakeAt: CREATED_AT,
      parentRunId: 'p',
    });
    await log.create(run);
    expect(await log.summary('a')).toStrictEqual(run.summary);
    expect(await log.due(CREATED_AT + 1, 10)).toEqual([{ runId: 'a', wakeAt: CREATED_AT }]);
    await append(log, 'a', 2, [stepCompleted('step-0')], running(2));
    expect(await log.summary('a')).toStrictEqual(changedSummary(run.summary, running(2)));
    expect(await dueIds(log)).toEqual([]);
    await append(log, 'a', 3, [endOf()], { ...endedAt(CREATED_AT), output: { b: 2 } });
    expect(await log.summary('a')).toMatchObject({ output: { b: 2 }, wakeAt: CREATED_AT, parentRunId: 'p' });
    await log.clearWake('a');
    expect(await dueIds(log)).toEqual([]);
  });
}

function finding(make: () => Promise<RunLog>): void {
  test('shows nothing while nothing waits', async () => {
    const log = await make();
    expect(await log.due(CREATED_AT, 10)).toEqual([]);
    await log.create(newRun('created'));
    await log.create({ ...newRun('unclaimed'), isUnclaimed: true });
    await log.create(newEndedRun('ended'));
    await log.create(newRun('running'));
    await append(log, 'running', 1, [stepWaits], { ...running(), waitingFor: [wait] });
    expect(await log.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  test('shows the runs whose time is before another, earliest first, up to a limit', async () => {
    const log = await make();
    const times = [40, 10, 30, 50, 20];
    for (const time of times) await park(log, `waits-${time}`, CREATED_AT + time);
    await end(log, 'ended-25', CREATED_AT + 25);
    await park(log, 'forever', null);
    expect(await log.due(CREATED_AT + 10, 10)).toEqual([]);
    expect(await log.due(CREATED_AT + 11, 10)).toEqual([{ runId: 'waits-10', wakeAt: CREATED_AT + 10 }]);
    const first = ['waits-10', 'waits-20', 'ended-25'];
    expect(await dueIds(log, CREATED_AT + 1_000, 3)).toEqual(first);
    expect(await dueIds(log)).toEqual([...first, 'waits-30', 'waits-40', 'waits-50']);
  });

  test('shows a run no more that is claimed, deleted, or handled, and again when it is given up', async () => {
    const log = await make();
    for (const id of ['a', 'b', 'c']) await park(log, id, CREATED_AT + 1);
    await end(log, 'd', CREATED_AT + 2);
    await end(log, 'e', CREATED_AT + 3);
    expect(await log.claim('b')).toBeDefined();
    expect(await dueIds(log)).toEqual(['a', 'c', 'd', 'e']);
    expect(await dueIds(log, CREATED_AT + 1_000, 2)).toEqual(['a', 'c']);
    await log.release('b');
    expect(await dueIds(log)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await log.claim('a')).toBeDefined();
    await append(log, 'a', 3, [stepCompleted('step-0')], running());
    await log.delete('d');
    await log.clearWake('e');
    for (const id of ['a', 'b', 'unknown']) await log.clearWake(id);
    expect(await dueIds(log)).toEqual(['b', 'c']);
    expect(await log.summary('b')).toMatchObject({ wakeAt: CREATED_AT + 1 });
    await append(log, 'a', 4, [stepWaits, runWaits], waits(CREATED_AT + 9));
    expect(await dueIds(log)).toEqual(['b', 'c', 'a']);
    expect(await log.claim('c')).toBeDefined();
    await append(log, 'c', 3, [runWaits], waits(null));
    expect(await dueIds(log)).toEqual(['b', 'a']);
    await log.claim('b');
    await append(log, 'b', 3, [endOf('FAILED')], { ...endedAt(CREATED_AT + 20), status: 'FAILED' });
    expect(await dueIds(log)).toEqual(['a', 'b']);
  });
}

function parking(make: () => Promise<RunLog>): void {
  test('has written everything once a run waits, and gives it to one claim', async () => {
    const log = await make();
    await log.create(newRun('a'));
    for (const seq of [1, 2, 3]) {
      expect(await append(log, 'a', seq, [stepCompleted('step-0', { seq })], running())).toBe('appended');
    }
    expect(await append(log, 'a', 4, [stepWaits, runWaits], waits(null))).toBe('appended');
    expect(await log.summary('a')).toMatchObject({ status: 'WAITING', waitingFor: [wait] });
    const claims = await Promise.all(Array.from({ length: 10 }, () => log.claim('a')));
    const [claimed, ...others] = claims.filter((claim) => claim !== undefined);
    expect(others).toEqual([]);
    expect(claimed).toMatchObject({ crashed: false, signals: [] });
    expect(claimed?.run.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await log.claim('a')).toBeUndefined();
  });

  test('appends nothing to a run that waits before somebody has claimed it', async () => {
    const log = await make();
    await park(log, 'a', null);
    expect(await append(log, 'a', 3, [stepCompleted('step-0')], running())).toBe('conflict');
    expect(await append(log, 'a', 3, [endOf('FAILED')], ended('FAILED'))).toBe('conflict');
    expect(await log.read('a', 0, 10)).toMatchObject({ lastSeq: 3, ended: false });
    await log.claim('a');
    expect(await append(log, 'a', 3, [stepCompleted('step-0')], running())).toBe('appended');
    expect(await append(log, 'a', 4, [endOf()], ended())).toBe('appended');
  });

  test('tells of signals for a run that waits, and gives them with the claim', async () => {
    const log = await make();
    const signals: [string, RunSignal][] = [];
    const abandoned: string[] = [];
    log.listen({
      onSignal: (runId, signal) => signals.push([runId, signal]),
      onAbandoned: async (runId) => void abandoned.push(runId),
      onLost: () => undefined,
    });
    for (const [runId, signal] of [['a', decision] as const, ['b', cancel] as const]) {
      await park(log, runId, null);
      expect(await log.signal(runId, signal)).toBe('sent');
      await vi.waitFor(() => expect(signals).toContainEqual([runId, signal]), { timeout: 10_000 });
      expect(await log.claim(runId)).toMatchObject({ signals: [signal] });
    }
    expect(await log.signal('a', { ...decision, by: 'bob' })).toBe('refused');
    expect(await append(log, 'a', 3, [runWaits], waits(null))).toBe('signalled');
    expect(abandoned).toEqual([]);
  });

  test('lets a run wait again and again, with other times', async () => {
    const log = await make();
    await park(log, 'a', CREATED_AT);
    for (const round of [1, 2, 3]) {
      const before = (await log.claim('a'))?.run.events.length ?? expect.fail();
      expect(await append(log, 'a', before, [stepCompleted('step-0')], running())).toBe('appended');
      const change = waits(CREATED_AT + round);
      expect(await append(log, 'a', before + 1, [stepWaits, runWaits], change)).toBe('appended');
      expect(await log.due(CREATED_AT + 100, 10)).toEqual([{ runId: 'a', wakeAt: CREATED_AT + round }]);
      const { waitingFor, wakeAt } = (await log.summary('a')) as RunSummary;
      expect({ waitingFor, wakeAt }).toEqual({ waitingFor: [wait], wakeAt: CREATED_AT + round });
    }
    expect(await log.delete('a')).toBe(false);
  });
}
