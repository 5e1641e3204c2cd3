import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { ResolveSignal, RunSignal } from '../../src/domain/run/events.ts';
import type { Wait } from '../../src/domain/run/run.ts';
import type { RunChange } from '../../src/domain/run/state.ts';
import type { RunLog } from '../../src/ports/storage/run-log.ts';
import {
  append,
  type EventDraft,
  ended,
  endOf,
  newRun,
  oddJson,
  running,
  stepCompleted,
  stepStarted,
} from '../support/workflow/run-events.ts';

const cancel: RunSignal = { type: 'cancel', by: 'api', reason: null };
const cancelRequested: EventDraft = { type: 'execution.cancel_requested', by: 'api', reason: null };

/** Item ids are those of some `newId`: any text. */
const itemOf = (name: string): string => `item "${name}" ☃ %:/`;

const waitFor = (name: string): Wait => {
  return { kind: 'recovery', stepId: name, itemId: itemOf(name), until: null };
};

const waiting = (name: string): EventDraft => ({
  type: 'step.waiting',
  stepId: name,
  for: 'recovery',
  until: null,
  itemId: itemOf(name),
  attempts: 1,
});

const runWaits: EventDraft = { type: 'execution.waiting', for: ['recovery'] };

const goesOn = (...names: readonly string[]): RunChange => ({
  ...running(),
  waitingFor: names.map(waitFor),
});

const waits = (...names: readonly string[]): RunChange => ({ ...goesOn(...names), status: 'WAITING' });

const decision = (name: string, by = 'ann'): ResolveSignal => ({
  type: 'resolve',
  itemId: itemOf(name),
  outcome: 'completed',
  by,
  note: 'odd "note" \ud800',
  output: oddJson(),
});

/** Listens to a log, and records what it is told. */
function listenTo(log: RunLog) {
  const signals: [string, RunSignal][] = [];
  const others: string[] = [];
  log.listen({
    onSignal: (runId, signal) => signals.push([runId, signal]),
    onLost: (runId) => others.push(runId),
    onAbandoned: async (runId) => void others.push(runId),
  });
  return { signals, others };
}

/** A run that this process runs, whose steps `a` and `b` wait. Its log has three events. */
async function runningWithWaits(log: RunLog): Promise<void> {
  await log.create({ ...newRun('execution-1'), isUnclaimed: true });
  await log.claim('execution-1');
  const drafts = [waiting('a'), waiting('b')];
  expect(await append(log, 'execution-1', 1, drafts, goesOn('a', 'b'))).toBe('appended');
}

/** The same, parked: its log has four events. */
async function parked(log: RunLog): Promise<void> {
  await runningWithWaits(log);
  expect(await append(log, 'execution-1', 3, [runWaits], waits('a', 'b'))).toBe('appended');
}

/** The promises of every run log about runs that wait. */
export function runLogWaitsContract(make: () => Promise<RunLog>): void {
  test('shows what a run waits for, while it goes on and while it waits', async () => {
    const log = await make();
    await runningWithWaits(log);
    const waitingFor = [waitFor('a'), waitFor('b')];
    expect(await log.summary('execution-1')).toMatchObject({ status: 'RUNNING', waitingFor });
    await append(log, 'execution-1', 3, [runWaits], waits('a', 'b'));
    expect(await log.summary('execution-1')).toMatchObject({ status: 'WAITING', waitingFor });
    const { items } = await log.listAll({ statuses: ['WAITING'] }, { limit: 10 });
    expect(items).toMatchObject([{ runId: 'execution-1', status: 'WAITING', waitingFor }]);
    const page = await log.list('workflow-1', { statuses: ['WAITING'] }, { limit: 10, offset: 0 });
    expect(page).toMatchObject({ total: 1, items: [{ waitingFor }] });
    expect((await log.listAll({ statuses: ['RUNNING'] }, { limit: 10 })).items).toEqual([]);
    expect(await log.delete('execution-1')).toBe(false);
  });

  test('lets a run that waits be claimed, once, and by a late claim released it goes on waiting', async () => {
    const log = await make();
    const { others } = listenTo(log);
    await parked(log);
    for (let time = 0; time < 3; time++) {
      const claims = await Promise.all(Array.from({ length: 10 }, () => log.claim('execution-1')));
      expect(claims.filter((claim) => claim !== undefined)).toMatchObject([{ crashed: false, signals: [] }]);
      await log.release('execution-1');
    }
    await sleep(100);
    expect(others).toEqual([]);
    expect(await log.summary('execution-1')).toMatchObject({ status: 'WAITING' });
  });

  test('appends nothing of a process that has parked the run, without a claim', async () => {
    const log = await make();
    await parked(log);
    expect(await append(log, 'execution-1', 3, [stepStarted('step-0')], running())).toBe('conflict');
    expect((await log.claim('execution-1'))?.run.events).toHaveLength(4);
    expect(await append(log, 'execution-1', 4, [stepCompleted('a')], goesOn('b'))).toBe('appended');
    expect(await log.summary('execution-1')).toMatchObject({ status: 'RUNNING', waitingFor: [waitFor('b')] });
  });

  test('tells of a decision about a run that waits, and gives it whole with the claim', async () => {
    const log = await make();
    const { signals } = listenTo(log);
    await parked(log);
    expect(await log.signal('execution-1', decision('a'))).toBe('sent');
    await vi.waitFor(() => expect(signals).toContainEqual(['execution-1', decision('a')]), {
      timeout: 10_000,
    });
    expect((await log.claim('execution-1'))?.signals).toEqual([decision('a')]);
    await log.release('execution-1');
    expect((await log.claim('execution-1'))?.signals).toEqual([decision('a')]);
  });

  test('takes the first decision about each wait, and none about what does not wait', async () => {
    const log = await make();
    listenTo(log);
    await runningWithWaits(log);
    const sent = await Promise.all(
      ['ann', 'bob', 'cem', 'dan'].map((by) => log.signal('execution-1', decision('a', by))),
    );
    expect(sent.filter((outcome) => outcome === 'sent')).toHaveLength(1);
    expect(sent.filter((outcome) => outcome === 'refused')).toHaveLength(3);
    expect(await log.signal('execution-1', decision('b'))).toBe('sent');
    expect(await log.signal('execution-1', decision('unknown'))).toBe('refused');
    expect(await log.signal('unknown', decision('a'))).toBeUndefined();
    await append(log, 'execution-1', 3, [endOf('FAILED')], ended('FAILED'));
    expect(await log.signal('execution-1', decision('a'))).toBe('ended');
  });

  test('keeps a decision and a cancel beside each other, until each is handled', async () => {
    const log = await make();
    const { signals } = listenTo(log);
    await runningWithWaits(log);
    for (const signal of [decision('a'), cancel, decision('b'), cancel]) {
      expect(await log.signal('execution-1', signal)).toBe('sent');
    }
    await vi.waitFor(
      () => {
        for (const signal of [decision('a'), cancel, decision('b')]) {
          expect(signals).toContainEqual(['execution-1', signal]);
        }
      },
      { timeout: 10_000 },
    );
    expect(await append(log, 'execution-1', 3, [runWaits], waits('a', 'b'))).toBe('signalled');
    expect(await append(log, 'execution-1', 3, [stepCompleted('a')], goesOn('b'))).toBe('appended');
    expect(await append(log, 'execution-1', 4, [endOf()], ended())).toBe('signalled');
    await log.release('execution-1');
    expect((await log.claim('execution-1'))?.signals).toEqual([cancel, decision('b')]);
    expect(await append(log, 'execution-1', 4, [cancelRequested], goesOn('b'))).toBe('appended');
    expect(await append(log, 'execution-1', 5, [runWaits], waits('b'))).toBe('signalled');
    expect(await append(log, 'execution-1', 5, [endOf('CANCELLED')], ended('CANCELLED'))).toBe('appended');
  });

  test('lets a run wait again once the decisions are handled', async () => {
    const log = await make();
    listenTo(log);
    await parked(log);
    await log.signal('execution-1', decision('a'));
    await log.claim('execution-1');
    expect(await append(log, 'execution-1', 4, [stepCompleted('a')], goesOn('b'))).toBe('appended');
    expect(await append(log, 'execution-1', 5, [runWaits], waits('b'))).toBe('appended');
    expect(await log.signal('execution-1', decision('a'))).toBe('refused');
    expect((await log.claim('execution-1'))?.signals).toEqual([]);
  });

  test('forgets the decisions of a run that has ended, also when it is run again', async () => {
    const log = await make();
    listenTo(log);
    await runningWithWaits(log);
    await log.signal('execution-1', decision('a'));
    await append(log, 'execution-1', 3, [endOf('FAILED')], ended('FAILED'));
    const retried: EventDraft = { type: 'execution.retried', by: 'api', attempt: 2, steps: ['step-0'] };
    expect(await append(log, 'execution-1', 4, [retried], running(2))).toBe('appended');
    await log.release('execution-1');
    expect((await log.claim('execution-1'))?.signals).toEqual([]);
    expect(await log.signal('execution-1', decision('a'))).toBe('refused');
  });
}
