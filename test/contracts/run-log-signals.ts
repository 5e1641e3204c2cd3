import { expect, test, vi } from 'vitest';
import type { RunSignal } from '../../src/domain/run/events.ts';
import type { RunLog } from '../../src/ports/storage/run-log.ts';
import {
  append,
  type EventDraft,
  ended,
  endOf,
  newEndedRun,
  newRun,
  running,
  stepStarted,
} from '../support/workflow/run-events.ts';
import type { RunLogUnderTest } from './run-log.ts';

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
export function runLogSignalsContract(make: () => Promise<RunLogUnderTest>): void {
  test('sends a signal to the process that runs the run', async () => {
    const { log } = await make();
    const { told } = listenTo(log);
    for (const id of ['execution-1', 'execution-2']) await log.create(newRun(id));
    await append(log, 'execution-1', 1, [stepStarted('step-0')], running());
    expect(await log.signal('execution-1', cancel)).toBe('sent');
    await vi.waitFor(() => expect(told).toContainEqual(['execution-1', cancel]), { timeout: 10_000 });
    expect(told.filter(([runId]) => runId !== 'execution-1')).toEqual([]);
  });

  test('says that a run has ended, or is unknown, instead of sending a signal', async () => {
    const { log } = await make();
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
    const { log, written } = await make();
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
    await written();
    expect(await log.signal('execution-1', cancel)).toBe('ended');
  });

  test('accepts an end that records the signal itself', async () => {
    const { log } = await make();
    listenTo(log);
    await log.create(newRun('execution-1'));
    await log.signal('execution-1', cancel);
    await log.signal('execution-1', cancel);
    const drafts = [cancelRequested, endOf('CANCELLED')];
    expect(await append(log, 'execution-1', 1, drafts, ended('CANCELLED'))).toBe('appended');
    expect(await log.summary('execution-1')).toMatchObject({ status: 'CANCELLED' });
  });

  test('answers an end with a wrong number as a conflict also while a signal waits', async () => {
    const { log } = await make();
    listenTo(log);
    await log.create(newRun('execution-1'));
    await log.signal('execution-1', cancel);
    expect(await append(log, 'execution-1', 0, [endOf()], ended())).toBe('conflict');
  });

  test('sends signals again to a run that had ended and goes on', async () => {
    const { log, written } = await make();
    const { told } = listenTo(log);
    await log.create(newEndedRun('execution-1'));
    expect(await log.signal('execution-1', cancel)).toBe('ended');
    await append(log, 'execution-1', 2, [stepStarted('step-0')], running(2));
    await written();
    expect(await log.signal('execution-1', cancel)).toBe('sent');
    await vi.waitFor(() => expect(told).toContainEqual(['execution-1', cancel]), { timeout: 10_000 });
    expect(await append(log, 'execution-1', 3, [endOf()], ended('COMPLETED', 2))).toBe('signalled');
  });
}
