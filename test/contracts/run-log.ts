import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { RunEvent, RunSignal } from '../../src/domain/run/events.ts';
import type { RunChange } from '../../src/domain/run/state.ts';
import type { NewRun, RunLog, StoredRun } from '../../src/ports/storage/run-log.ts';
import {
  append,
  changedSummary,
  deepJson,
  type EventDraft,
  ended,
  endOf,
  everyEvent,
  newEndedRun,
  newRun,
  numbered,
  oddJson,
  running,
  sampleDefinition,
  stepCompleted,
  stepStarted,
} from '../support/workflow/run-events.ts';
import { runLogClaimsContract } from './run-log-claims.ts';
import { runLogDueContract } from './run-log-due.ts';
import { runLogListingsContract } from './run-log-listings.ts';
import { runLogWaitsContract } from './run-log-waits.ts';

/**
 * The promises of every run log. `make` creates an empty log with room for at least 300 runs; the tests of its adapter
 * clean up. Nobody has called its `listen`.
 */
export function runLogContract(name: string, make: () => Promise<RunLog>): void {
  describe(`${name} as a run log`, () => {
    creating(make);
    appending(make);
    reading(make);
    deleting(make);
    runLogChangesContract(make);
    runLogListingsContract(make);
    runLogSignalsContract(make);
    runLogDueContract(make);
    runLogClaimsContract(make);
    runLogWaitsContract(make);
  });
}

/** The record of a run with these events. */
function storedRun({ summary, definition }: NewRun, events: readonly RunEvent[]): StoredRun {
  return { runId: summary.runId, workflowId: summary.workflowId, definition, events };
}

const firstPage = { limit: 50, offset: 0 };

function creating(make: () => Promise<RunLog>): void {
  test('finds nothing while it is empty', async () => {
    const log = await make();
    expect(await log.get('execution-1')).toBeUndefined();
    expect(await log.read('execution-1', 0, 10)).toBeUndefined();
    expect(await log.summary('execution-1')).toBeUndefined();
    expect(await log.delete('execution-1')).toBe(false);
    expect(await log.list('workflow-1', {}, firstPage)).toEqual({ total: 0, ...firstPage, items: [] });
    expect(await log.listAll({}, { limit: 50 })).toEqual({ items: [], nextCursor: null });
  });

  test('finds a run everywhere as soon as it is created', async () => {
    const log = await make();
    for (const run of [newRun('active'), newEndedRun('ended', { workflowId: 'workflow-2' })]) {
      const { summary, events } = run;
      const { runId, workflowId } = summary;
      await log.create(run);
      expect(await log.get(runId)).toEqual(storedRun(run, events));
      expect(await log.read(runId, 0, 10)).toEqual({
        events,
        lastSeq: events.length,
        ended: summary.status === 'COMPLETED',
      });
      expect(await log.summary(runId)).toEqual(summary);
      expect(await log.list(workflowId, {}, firstPage)).toEqual({ total: 1, ...firstPage, items: [summary] });
      expect((await log.listAll({}, { limit: 50 })).items[0]).toEqual(summary);
    }
  });

  test('ignores a run that is stored already', async () => {
    const log = await make();
    const first = newRun('execution-1');
    expect(await log.create(first)).toBe(true);
    await append(log, 'execution-1', 1, [endOf()], ended());
    const other = newRun('execution-1', { workflowName: 'other', workflowId: 'workflow-2' });
    expect(await log.create(other)).toBe(false);
    expect(await log.create(first)).toBe(false);
    expect(await log.summary('execution-1')).toEqual(changedSummary(first.summary, ended()));
    const events = [...first.events, ...numbered(2, [endOf()])];
    expect(await log.get('execution-1')).toEqual(storedRun(first, events));
    expect((await log.list('workflow-2', {}, firstPage)).total).toBe(0);
    expect((await log.listAll({}, { limit: 50 })).items).toHaveLength(1);
  });

  test('keeps the definition of each run, also where several have the same id and version', async () => {
    const log = await make();
    const [first, second] = [sampleDefinition('workflow-1', 2), sampleDefinition('workflow-1', 3)];
    await log.create(newRun('of-first', {}, first));
    await log.create(newRun('of-second', {}, second));
    await log.create(newRun('of-first-again', {}, structuredClone(first)));
    const definitionOf = async (runId: string) => (await log.get(runId))?.definition;
    expect(await definitionOf('of-first')).toEqual(first);
    expect(await definitionOf('of-second')).toEqual(second);
    for (const runId of ['of-first', 'of-first-again']) await append(log, runId, 1, [endOf()], ended());
    await log.delete('of-first');
    expect(await definitionOf('of-second')).toEqual(second);
    expect(await definitionOf('of-first-again')).toEqual(first);
  });
}

function appending(make: () => Promise<RunLog>): void {
  test('follows a run through its appends', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    const events = [...run.events];
    const appends: [EventDraft[], RunChange][] = [
      [[{ type: 'execution.started', attempt: 1 }, stepStarted('step-0')], running()],
      [[stepCompleted('step-0', oddJson()), stepStarted('step-1')], running()],
      [[stepCompleted('step-1', { list: [1, null, 'x'] }), stepStarted('step-2')], running()],
      [[stepCompleted('step-2'), endOf('FAILED')], ended('FAILED')],
    ];
    for (const [drafts, change] of appends) {
      expect(await append(log, 'execution-1', events.length, drafts, change)).toBe('appended');
      events.push(...numbered(events.length + 1, drafts));
      expect(await log.get('execution-1')).toEqual(storedRun(run, events));
      const summary = changedSummary(run.summary, change);
      expect(await log.summary('execution-1')).toEqual(summary);
      expect((await log.list('workflow-1', {}, firstPage)).items).toEqual([summary]);
      expect((await log.listAll({}, { limit: 50 })).items).toEqual([summary]);
    }
  });

  test('has written the end of a run when the append of it resolves', async () => {
    const log = await make();
    await log.create(newRun('execution-1'));
    await append(log, 'execution-1', 1, [stepStarted('step-0')], running());
    await append(log, 'execution-1', 2, [stepCompleted('step-0'), endOf()], ended());
    expect(await log.summary('execution-1')).toMatchObject({ status: 'COMPLETED' });
    expect(await log.read('execution-1', 3, 10)).toMatchObject({ lastSeq: 4, ended: true });
    expect((await log.listAll({ statuses: ['COMPLETED'] }, { limit: 50 })).items).toHaveLength(1);
  });

  test('refuses an append that does not expect the last event, and writes nothing of it', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    await append(log, 'execution-1', 1, [stepStarted('step-0')], running());
    for (const after of [0, 1, 3, 100]) {
      expect(await append(log, 'execution-1', after, [endOf()], ended())).toBe('conflict');
    }
    expect(await log.summary('execution-1')).toEqual(changedSummary(run.summary, running()));
    expect((await log.get('execution-1'))?.events).toEqual([
      ...run.events,
      ...numbered(2, [stepStarted('step-0')]),
    ]);
  });

  test('lets exactly one of two writers end a run', async () => {
    const log = await make();
    await log.create(newRun('execution-1'));
    const statuses = ['COMPLETED', 'FAILED'] as const;
    const outcomes = await Promise.all(
      statuses.map((status) => append(log, 'execution-1', 1, [endOf(status)], ended(status))),
    );
    expect(outcomes.toSorted()).toEqual(['appended', 'conflict']);
    const winner = statuses[outcomes.indexOf('appended')] ?? expect.fail();
    expect(await log.summary('execution-1')).toMatchObject({ status: winner });
    expect((await log.get('execution-1'))?.events.slice(1)).toEqual(numbered(2, [endOf(winner)]));
  });

  test('does nothing without events', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    expect(await log.append('execution-1', 1, [], ended())).toBe('appended');
    expect(await log.append('execution-1', 7, [], running())).toBe('appended');
    expect(await log.summary('execution-1')).toEqual(run.summary);
    expect(await log.read('execution-1', 0, 10)).toEqual({ events: run.events, lastSeq: 1, ended: false });
  });

  test('ignores appends to unknown runs', async () => {
    const log = await make();
    expect(await append(log, 'execution-1', 3, [stepStarted('step-0')], running())).toBe('appended');
    expect(await append(log, 'execution-1', 4, [endOf()], ended())).toBe('appended');
    expect(await log.get('execution-1')).toBeUndefined();
    expect(await log.summary('execution-1')).toBeUndefined();
    expect((await log.listAll({}, { limit: 50 })).items).toEqual([]);
  });

  test('keeps the counts of recoveries, also where one of them is 0 again', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    for (const [index, recoveriesWithoutProgress] of [2, 0].entries()) {
      const change = { ...running(), recoveries: 3, recoveriesWithoutProgress };
      await append(log, 'execution-1', index + 1, [stepStarted(`step-${index}`)], change);
      expect(await log.summary('execution-1')).toEqual(changedSummary(run.summary, change));
      expect((await log.listAll({}, { limit: 50 })).items).toEqual([changedSummary(run.summary, change)]);
    }
  });

  test('keeps that a run gave up, until it is opened again', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    const gaveUp = { ...ended('FAILED'), gaveUp: true } as const;
    const end: EventDraft = { type: 'execution.failed', error: 'crashed', durationMs: 1, gaveUp: true };
    await append(log, 'execution-1', 1, [end], gaveUp);
    expect(await log.summary('execution-1')).toEqual(changedSummary(run.summary, gaveUp));
    expect((await log.listAll({}, { limit: 50 })).items).toEqual([changedSummary(run.summary, gaveUp)]);
    expect((await log.get('execution-1'))?.events.at(-1)).toMatchObject({ ...end, seq: 2 });
    const retried: EventDraft = { type: 'execution.retried', by: 'api', attempt: 2, steps: ['step-0'] };
    await append(log, 'execution-1', 2, [retried], running(2));
    expect(await log.summary('execution-1')).toEqual(changedSummary(run.summary, running(2)));
    expect((await log.listAll({}, { limit: 50 })).items).toEqual([changedSummary(run.summary, running(2))]);
  });

  test('opens a run that had ended', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    await append(log, 'execution-1', 1, [endOf('FAILED')], ended('FAILED'));
    const retried: EventDraft = { type: 'execution.retried', by: 'api', attempt: 2, steps: ['step-0'] };
    expect(await append(log, 'execution-1', 2, [retried], running(2))).toBe('appended');
    expect(await log.summary('execution-1')).toEqual(changedSummary(run.summary, running(2)));
    expect(await log.read('execution-1', 2, 10)).toMatchObject({ lastSeq: 3, ended: false });
    expect((await log.listAll({ statuses: ['FAILED'] }, { limit: 50 })).items).toEqual([]);
    expect(await log.delete('execution-1')).toBe(false);
    expect(await append(log, 'execution-1', 3, [endOf()], ended('COMPLETED', 2))).toBe('appended');
    expect(await log.summary('execution-1')).toEqual(changedSummary(run.summary, ended('COMPLETED', 2)));
  });

  test('keeps concurrent runs apart', async () => {
    const log = await make();
    const ids = Array.from({ length: 30 }, (_, index) => `execution-${index}`);
    await Promise.all(
      ids.map(async (id, number) => {
        await log.create(newRun(id));
        for (const step of [0, 1, 2]) {
          await append(log, id, 1 + step, [stepCompleted(`step-${step}`, { number })], running());
        }
        await append(log, id, 4, [endOf()], ended());
      }),
    );
    for (const [number, id] of ids.entries()) {
      const drafts = [0, 1, 2].map((step) => stepCompleted(`step-${step}`, { number }));
      const events = [...newRun(id).events, ...numbered(2, [...drafts, endOf()])];
      expect((await log.get(id))?.events).toEqual(events);
    }
  });
}

function reading(make: () => Promise<RunLog>): void {
  test('reads every type of event as it was written', async () => {
    const log = await make();
    const run = newRun('execution-1');
    const drafts = everyEvent();
    await log.create(run);
    await log.append('execution-1', 1, numbered(2, drafts.slice(0, 5)), running());
    await log.append('execution-1', 6, numbered(7, drafts.slice(5, -1)), running());
    await log.append('execution-1', drafts.length, numbered(drafts.length + 1, drafts.slice(-1)), ended());
    const expected = [...run.events, ...numbered(2, drafts)];
    const found = (await log.get('execution-1'))?.events;
    expect(found).toStrictEqual(expected);
    expect(JSON.stringify(found?.map((event) => Object.entries(event).toSorted()))).toBe(
      JSON.stringify(expected.map((event) => Object.entries(event).toSorted())),
    );
    expect((await log.read('execution-1', 0, 200))?.events).toStrictEqual(expected);
  });

  test('reads a log in pages', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    const drafts = Array.from({ length: 24 }, (_, index) => stepCompleted(`step-${index}`, { index }));
    await append(log, 'execution-1', 1, [...drafts, endOf()], ended());
    const events = [...run.events, ...numbered(2, [...drafts, endOf()])];
    for (const [after, limit] of [
      ...[0, 10, 20].map((after) => [after, 10] as const),
      ...[[0, 26] as const, [25, 200] as const, [26, 10] as const, [1_000, 10] as const],
    ]) {
      expect(await log.read('execution-1', after, limit)).toEqual({
        events: events.slice(after, after + limit),
        lastSeq: 26,
        ended: true,
      });
    }
  });

  test('reads a long log of all types of events from any event on', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    const drafts = everyEvent().slice(0, -1);
    const events = [...run.events];
    for (let count = 0; events.length < 300; count++) {
      const part = [...drafts.slice(count), ...drafts.slice(0, count)];
      await append(log, 'execution-1', events.length, part, running());
      events.push(...numbered(events.length + 1, part));
    }
    for (let after = 0; after <= events.length; after += 9) {
      const page = await log.read('execution-1', after, 20);
      expect(page?.events).toStrictEqual(events.slice(after, after + 20));
    }
  });

  test('keeps outputs of 1 MiB and of 64 levels, and an append of three thousand events', async () => {
    const log = await make();
    const run = newRun('execution-1', { input: deepJson(64) });
    await log.create(run);
    const large = [
      stepCompleted('step-0', { text: 'x'.repeat(1_048_560) }),
      stepCompleted('step-1', deepJson(64)),
    ];
    const many = Array.from({ length: 3_000 }, (_, index) => stepStarted(`step-${index}`, index));
    await append(log, 'execution-1', 1, large, running());
    await append(log, 'execution-1', 3, many, running());
    await append(log, 'execution-1', 3_003, [endOf()], ended());
    const events = [...run.events, ...numbered(2, [...large, ...many, endOf()])];
    expect((await log.get('execution-1'))?.events).toEqual(events);
    expect((await log.summary('execution-1'))?.input).toEqual(deepJson(64));
  });

  test('shares no object with what was given or read', async () => {
    const log = await make();
    const run = newRun('execution-1');
    const expected = structuredClone(run);
    const creating = log.create(run);
    spoil(run);
    await creating;
    const events = numbered(2, everyEvent());
    const expectedEvents = [...expected.events, ...structuredClone(events)];
    const change = running();
    const appending = log.append('execution-1', 1, events, change);
    spoil(events);
    Object.assign(change, { status: 'FAILED' });
    await appending;
    for (let time = 0; time < 2; time++) {
      const found = await log.get('execution-1');
      const page = await log.read('execution-1', 0, 200);
      const summary = await log.summary('execution-1');
      const listed = await log.list('workflow-1', {}, firstPage);
      expect(found).toEqual(storedRun(expected, expectedEvents));
      expect(page?.events).toEqual(expectedEvents);
      expect(summary).toEqual(changedSummary(expected.summary, running()));
      expect(listed.items).toEqual([changedSummary(expected.summary, running())]);
      for (const read of [found, page, summary, listed]) spoil(read);
    }
  });
}

/** Changes every object in a value. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) spoil(member);
  if (Array.isArray(value)) value.push('spoiled');
  else Object.assign(value, { type: 'spoiled', stepId: 'spoiled', seq: 0, status: 'spoiled', spoiled: true });
}

function deleting(make: () => Promise<RunLog>): void {
  test('deletes runs that have ended, and no others', async () => {
    const log = await make();
    for (const id of ['active', 'ended', 'other']) await log.create(newRun(id));
    await append(log, 'active', 1, [stepStarted('step-0')], running());
    for (const id of ['ended', 'other']) await append(log, id, 1, [endOf()], ended());
    expect(await log.delete('active')).toBe(false);
    expect(await log.delete('ended')).toBe(true);
    expect(await log.delete('ended')).toBe(false);
    expect(await log.get('ended')).toBeUndefined();
    expect(await log.read('ended', 0, 10)).toBeUndefined();
    expect(await log.summary('ended')).toBeUndefined();
    expect(await append(log, 'ended', 2, [stepStarted('step-0')], running())).toBe('appended');
    const listed = await log.list('workflow-1', {}, firstPage);
    expect(listed.total).toBe(2);
    expect(listed.items.map(({ runId }) => runId)).toEqual(['other', 'active']);
    expect((await log.listAll({}, { limit: 50 })).items.map(({ runId }) => runId)).toEqual([
      'other',
      'active',
    ]);
    expect(await log.get('other')).toMatchObject({ definition: sampleDefinition() });
  });

  test('keeps the definition of each run, as it was when the run was created', async () => {
    const log = await make();
    const versions = [1, 2].map((version) => sampleDefinition('workflow-1', version));
    for (const [index, definition] of versions.entries()) {
      for (const id of ['a', 'b']) {
        await log.create(newRun(`${id}${index}`, { ...ended(), version: index + 1 }, definition));
      }
    }
    await log.delete('a0');
    for (const id of ['a1', 'b1']) await log.delete(id);
    expect(await log.get('b0')).toMatchObject({ definition: versions[0] });
    await log.create(newRun('c1', { version: 2 }, versions[1]));
    expect(await log.get('c1')).toMatchObject({ definition: versions[1] });
    await log.delete('b0');
    expect(await log.get('c1')).toMatchObject({ definition: versions[1] });
  });
}

/** A signal that is never aborted. */
const never = () => new AbortController().signal;

/** Long enough for a wrong wake to show. */
const QUIET_MS = 100;

/** Waits for a change, and tells whether it has come. */
function waitFor(log: RunLog, runId: string, after: number, signal = never()) {
  const state = { woken: false };
  const done = log.changed(runId, after, signal).then(() => {
    state.woken = true;
  });
  return { state, done };
}

/** The promises of every run log about `changed`. */
function runLogChangesContract(make: () => Promise<RunLog>): void {
  test('does not wait where there is nothing to wait for', async () => {
    const log = await make();
    await log.create(newRun('active'));
    await log.create(newEndedRun('ended'));
    await log.changed('active', 0, never());
    await log.changed('ended', 2, never());
    await log.changed('unknown', 0, never());
    await log.changed('active', 1, AbortSignal.abort());
    await log.changed('unknown', 1, AbortSignal.abort());
  });

  test('wakes every waiter at the next event, and only those of that run', async () => {
    const log = await make();
    for (const id of ['execution-1', 'execution-2']) await log.create(newRun(id));
    const stop = new AbortController();
    const waiters = Array.from({ length: 50 }, () => waitFor(log, 'execution-1', 1));
    const other = waitFor(log, 'execution-2', 1, stop.signal);
    const later = waitFor(log, 'execution-1', 2, stop.signal);
    await sleep(QUIET_MS);
    expect(waiters.map(({ state }) => state.woken)).not.toContain(true);
    await append(log, 'execution-1', 1, [stepStarted('step-0')], running());
    await Promise.all(waiters.map(({ done }) => done));
    await sleep(QUIET_MS);
    expect([other.state.woken, later.state.woken]).toEqual([false, false]);
    stop.abort();
    await Promise.all([other.done, later.done]);
  });

  test('wakes a waiter at every append in turn', async () => {
    const log = await make();
    await log.create(newRun('execution-1'));
    for (const after of [1, 2, 3]) {
      const { done } = waitFor(log, 'execution-1', after);
      await append(log, 'execution-1', after, [stepStarted(`step-${after}`)], running());
      await done;
      expect((await log.read('execution-1', after, 10))?.events).toHaveLength(1);
    }
  });

  test('wakes at the end of a run, whatever number is waited for', async () => {
    const log = await make();
    await log.create(newRun('execution-1'));
    const waiters = [1, 2, 1_000].map((after) => waitFor(log, 'execution-1', after));
    await append(log, 'execution-1', 1, [endOf()], ended());
    await Promise.all(waiters.map(({ done }) => done));
    expect(await log.read('execution-1', 1, 10)).toMatchObject({ lastSeq: 2, ended: true });
  });

  test('waits again once a run that had ended goes on', async () => {
    const log = await make();
    await log.create(newEndedRun('execution-1'));
    await append(log, 'execution-1', 2, [stepStarted('step-0')], running(2));
    const waiter = waitFor(log, 'execution-1', 3);
    await sleep(QUIET_MS);
    expect(waiter.state.woken).toBe(false);
    await append(log, 'execution-1', 3, [endOf()], ended('COMPLETED', 2));
    await waiter.done;
  });

  test('stops waiting when the signal is aborted, and only then', async () => {
    const log = await make();
    await log.create(newRun('execution-1'));
    const stops = [new AbortController(), new AbortController()];
    const [first, second] = stops.map(({ signal }) => waitFor(log, 'execution-1', 1, signal));
    stops[0]?.abort();
    await first?.done;
    await sleep(QUIET_MS);
    expect(second?.state.woken).toBe(false);
    await append(log, 'execution-1', 1, [stepStarted('step-0')], running());
    await second?.done;
  });
}

const cancel: RunSignal = { type: 'cancel', by: 'api', reason: 'no longer "needed" \ud800' };
const cancelRequested: EventDraft = { type: 'execution.cancel_requested', by: 'api', reason: null };

/** Listens to a log, and records what it is told. */
function listenTo(log: RunLog): { readonly told: readonly (readonly [string, RunSignal])[] } {
  const told: [string, RunSignal][] = [];
  log.listen({
    onSignal: (runId, signal) => told.push([runId, signal]),
    onLost: () => undefined,
    onAbandoned: () => Promise.resolve(),
  });
  return { told };
}

/** The promises of every run log about signals. */
function runLogSignalsContract(make: () => Promise<RunLog>): void {
  test('sends a signal to the process that runs the run', async () => {
    const log = await make();
    const { told } = listenTo(log);
    for (const id of ['execution-1', 'execution-2']) await log.create(newRun(id));
    await append(log, 'execution-1', 1, [stepStarted('step-0')], running());
    expect(await log.signal('execution-1', cancel)).toBe('sent');
    await vi.waitFor(() => expect(told).toContainEqual(['execution-1', cancel]), { timeout: 10_000 });
    expect(told.filter(([runId]) => runId !== 'execution-1')).toEqual([]);
  });

  test('says that a run has ended, or is unknown, instead of sending a signal', async () => {
    const log = await make();
    const { told } = listenTo(log);
    await log.create(newEndedRun('execution-1'));
    await log.create(newRun('execution-2'));
    await append(log, 'execution-2', 1, [endOf()], ended());
    expect(await log.signal('execution-1', cancel)).toBe('ended');
    expect(await log.signal('execution-2', cancel)).toBe('ended');
    expect(await log.signal('unknown', cancel)).toBeUndefined();
    expect(told).toEqual([]);
  });

  test('refuses the end of a run while a signal waits, until the run has recorded it', async () => {
    const log = await make();
    const { told } = listenTo(log);
    await log.create(newRun('execution-1'));
    expect(await log.signal('execution-1', cancel)).toBe('sent');
    const before = await log.summary('execution-1');
    for (let time = 0; time < 2; time++) {
      expect(await append(log, 'execution-1', 1, [endOf()], ended())).toBe('signalled');
    }
    await vi.waitFor(() => expect(told).toContainEqual(['execution-1', cancel]), { timeout: 10_000 });
    expect(await log.summary('execution-1')).toEqual(before);
    expect(await log.read('execution-1', 0, 10)).toMatchObject({ lastSeq: 1, ended: false });
    expect(await append(log, 'execution-1', 1, [stepStarted('step-0')], running())).toBe('appended');
    expect(await append(log, 'execution-1', 2, [endOf()], ended())).toBe('signalled');
    expect(await append(log, 'execution-1', 2, [cancelRequested], running())).toBe('appended');
    expect(await append(log, 'execution-1', 3, [endOf('CANCELLED')], ended('CANCELLED'))).toBe('appended');
    expect(await log.signal('execution-1', cancel)).toBe('ended');
  });

  test('accepts an end that records the signal itself', async () => {
    const log = await make();
    listenTo(log);
    await log.create(newRun('execution-1'));
    await log.signal('execution-1', cancel);
    await log.signal('execution-1', cancel);
    const drafts = [cancelRequested, endOf('CANCELLED')];
    expect(await append(log, 'execution-1', 1, drafts, ended('CANCELLED'))).toBe('appended');
    expect(await log.summary('execution-1')).toMatchObject({ status: 'CANCELLED' });
  });

  test('answers an end with a wrong number as a conflict also while a signal waits', async () => {
    const log = await make();
    listenTo(log);
    await log.create(newRun('execution-1'));
    await log.signal('execution-1', cancel);
    expect(await append(log, 'execution-1', 0, [endOf()], ended())).toBe('conflict');
  });

  test('sends signals again to a run that had ended and goes on', async () => {
    const log = await make();
    const { told } = listenTo(log);
    await log.create(newEndedRun('execution-1'));
    expect(await log.signal('execution-1', cancel)).toBe('ended');
    await append(log, 'execution-1', 2, [stepStarted('step-0')], running(2));
    expect(await log.signal('execution-1', cancel)).toBe('sent');
    await vi.waitFor(() => expect(told).toContainEqual(['execution-1', cancel]), { timeout: 10_000 });
    expect(await append(log, 'execution-1', 3, [endOf()], ended('COMPLETED', 2))).toBe('signalled');
  });
}
