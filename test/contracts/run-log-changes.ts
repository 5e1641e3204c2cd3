import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunLog } from '../../src/ports/storage/run-log.ts';
import {
  append,
  ended,
  endOf,
  newEndedRun,
  newRun,
  running,
  stepStarted,
} from '../support/workflow/run-events.ts';
import type { RunLogUnderTest } from './run-log.ts';

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
export function runLogChangesContract(make: () => Promise<RunLogUnderTest>): void {
  test('does not wait where there is nothing to wait for', async () => {
    const { log } = await make();
    await log.create(newRun('active'));
    await log.create(newEndedRun('ended'));
    await log.changed('active', 0, never());
    await log.changed('ended', 2, never());
    await log.changed('unknown', 0, never());
    await log.changed('active', 1, AbortSignal.abort());
    await log.changed('unknown', 1, AbortSignal.abort());
  });

  test('wakes every waiter at the next event, and only those of that run', async () => {
    const { log } = await make();
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
    const { log } = await make();
    await log.create(newRun('execution-1'));
    for (const after of [1, 2, 3]) {
      const { done } = waitFor(log, 'execution-1', after);
      await append(log, 'execution-1', after, [stepStarted(`step-${after}`)], running());
      await done;
      expect((await log.read('execution-1', after, 10))?.events).toHaveLength(1);
    }
  });

  test('wakes at the end of a run, whatever number is waited for', async () => {
    const { log } = await make();
    await log.create(newRun('execution-1'));
    const waiters = [1, 2, 1_000].map((after) => waitFor(log, 'execution-1', after));
    await append(log, 'execution-1', 1, [endOf()], ended());
    await Promise.all(waiters.map(({ done }) => done));
    expect(await log.read('execution-1', 1, 10)).toMatchObject({ lastSeq: 2, ended: true });
  });

  test('waits again once a run that had ended goes on', async () => {
    const { log, written } = await make();
    await log.create(newEndedRun('execution-1'));
    await append(log, 'execution-1', 2, [stepStarted('step-0')], running(2));
    await written();
    const waiter = waitFor(log, 'execution-1', 3);
    await sleep(QUIET_MS);
    expect(waiter.state.woken).toBe(false);
    await append(log, 'execution-1', 3, [endOf()], ended('COMPLETED', 2));
    await waiter.done;
  });

  test('stops waiting when the signal is aborted, and only then', async () => {
    const { log } = await make();
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
