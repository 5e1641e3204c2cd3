import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { RunEvent, RunSignal } from '../../src/domain/run/events.ts';
import type { ClaimedRun, NewRun, RunLog } from '../../src/ports/storage/run-log.ts';
import {
  append,
  type EventDraft,
  ended,
  endOf,
  newEndedRun,
  newRun,
  numbered,
  running,
  stepCompleted,
  stepStarted,
} from '../support/workflow/run-events.ts';

const cancel: RunSignal = { type: 'cancel', by: 'api', reason: 'no longer "needed" \ud800' };
const cancelRequested: EventDraft = { type: 'execution.cancel_requested', by: 'api', reason: null };

/** Long enough for a wrong call of the listener to show where it comes at once. */
const QUIET_MS = 100;

/** A new run that nobody runs. */
const unclaimed = (runId: string): NewRun => ({ ...newRun(runId), isUnclaimed: true });

/** The claim of a run whose log has these events besides the first ones of `run`. */
function claimed(
  { summary, definition, events }: NewRun,
  added: readonly RunEvent[] = [],
  ...signals: readonly RunSignal[]
): ClaimedRun {
  const { runId, workflowId } = summary;
  return { run: { runId, workflowId, definition, events: [...events, ...added] }, crashed: false, signals };
}

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

/** Claims a run 20 times at once. Returns the claims that succeeded. */
async function claimOften(log: RunLog, runId: string): Promise<readonly ClaimedRun[]> {
  const claims = await Promise.all(Array.from({ length: 20 }, () => log.claim(runId)));
  return claims.filter((claim) => claim !== undefined);
}

/** The promises of every run log about claims. */
export function runLogClaimsContract(make: () => Promise<RunLog>): void {
  claiming(make);
  releasing(make);
  signalling(make);
}

function claiming(make: () => Promise<RunLog>): void {
  test('gives an unclaimed run with its events and definition to the first claim alone', async () => {
    const log = await make();
    const run = unclaimed('execution-1');
    await log.create(run);
    await log.create(unclaimed('execution-2'));
    expect(await claimOften(log, 'execution-1')).toStrictEqual([claimed(run)]);
    expect(await log.claim('execution-1')).toBeUndefined();
    expect(await claimOften(log, 'execution-2')).toHaveLength(1);
  });

  test('shows an unclaimed run everywhere like any other', async () => {
    const log = await make();
    const run = unclaimed('execution-1');
    await log.create(run);
    expect(await log.summary('execution-1')).toEqual(run.summary);
    expect((await log.listAll({}, { limit: 50 })).items).toEqual([run.summary]);
    expect(await log.read('execution-1', 0, 10)).toMatchObject({ lastSeq: 1, ended: false });
    expect(await log.get('execution-1')).toEqual(claimed(run).run);
    expect(await log.delete('execution-1')).toBe(false);
  });

  test('refuses a claim of a run that a process runs, has ended, or is unknown', async () => {
    const log = await make();
    await log.create(newRun('running'));
    await log.create(newEndedRun('ended'));
    await log.create({ ...newEndedRun('ended-unclaimed'), isUnclaimed: true });
    await log.create(unclaimed('ended-later'));
    expect(await log.claim('ended-later')).toBeDefined();
    await append(log, 'ended-later', 1, [endOf()], ended());
    for (const id of ['running', 'ended', 'ended-unclaimed', 'ended-later', 'unknown']) {
      expect(await claimOften(log, id), id).toEqual([]);
    }
  });

  test('appends to a claimed run up to its end', async () => {
    const log = await make();
    await log.create(unclaimed('execution-1'));
    await log.claim('execution-1');
    expect(await append(log, 'execution-1', 1, [stepStarted('step-0')], running())).toBe('appended');
    expect(await append(log, 'execution-1', 1, [stepStarted('step-0')], running())).toBe('conflict');
    expect(await log.claim('execution-1')).toBeUndefined();
    const end = [stepCompleted('step-0'), endOf()];
    expect(await append(log, 'execution-1', 2, end, ended())).toBe('appended');
    expect(await log.summary('execution-1')).toMatchObject({ status: 'COMPLETED' });
    expect(await log.delete('execution-1')).toBe(true);
  });

  test('leaves the claim of a run as it is when the run is created again', async () => {
    const log = await make();
    await log.create(newRun('running'));
    await log.create(unclaimed('running'));
    expect(await log.claim('running')).toBeUndefined();
    await log.create(unclaimed('waiting'));
    await log.create(newRun('waiting'));
    expect(await claimOften(log, 'waiting')).toHaveLength(1);
    await log.create(unclaimed('waiting'));
    expect(await log.claim('waiting')).toBeUndefined();
  });

  test('gives a run that was deleted and created again', async () => {
    const log = await make();
    await log.create(unclaimed('execution-1'));
    await log.claim('execution-1');
    await append(log, 'execution-1', 1, [endOf()], ended());
    await log.delete('execution-1');
    expect(await log.claim('execution-1')).toBeUndefined();
    await log.create(unclaimed('execution-1'));
    expect(await log.claim('execution-1')).toStrictEqual(claimed(unclaimed('execution-1')));
  });

  test('reads a long log with large outputs in a claim', async () => {
    const log = await make();
    await log.create(unclaimed('execution-1'));
    await log.claim('execution-1');
    const many = Array.from({ length: 3_000 }, (_, index) => stepStarted(`step-${index}`, index));
    const large = [0, 1].map((index) => stepCompleted(`step-${index}`, { text: 'x'.repeat(1_048_560) }));
    await append(log, 'execution-1', 1, many, running());
    await append(log, 'execution-1', 3_001, large, running());
    await log.release('execution-1');
    const added = numbered(2, [...many, ...large]);
    expect(await log.claim('execution-1')).toEqual(claimed(unclaimed('execution-1'), added));
  });
}

function releasing(make: () => Promise<RunLog>): void {
  test('gives a released run to the next claim alone, with everything that was appended', async () => {
    const log = await make();
    const run = newRun('execution-1');
    await log.create(run);
    const drafts: EventDraft[] = [];
    for (const round of [1, 2, 3]) {
      const added = [stepStarted(`step-${round}`), stepCompleted(`step-${round}`, { round })];
      await append(log, 'execution-1', 1 + drafts.length, added, running());
      drafts.push(...added);
      await log.release('execution-1');
      expect(await claimOften(log, 'execution-1')).toEqual([claimed(run, numbered(2, drafts))]);
    }
    expect(await append(log, 'execution-1', 7, [endOf()], ended())).toBe('appended');
    expect(await log.claim('execution-1')).toBeUndefined();
  });

  test('gives a run that was claimed and released without an append', async () => {
    const log = await make();
    await log.create(unclaimed('execution-1'));
    for (let time = 0; time < 3; time++) {
      expect(await claimOften(log, 'execution-1')).toStrictEqual([claimed(unclaimed('execution-1'))]);
      await log.release('execution-1');
    }
  });

  test('ignores a release of a run that nobody runs, has ended, or is unknown', async () => {
    const log = await make();
    await log.create(unclaimed('waiting'));
    await log.create(newRun('ended'));
    await append(log, 'ended', 1, [endOf('FAILED')], ended('FAILED'));
    for (const id of ['waiting', 'waiting', 'ended', 'unknown']) await log.release(id);
    expect(await claimOften(log, 'waiting')).toStrictEqual([claimed(unclaimed('waiting'))]);
    expect(await log.claim('ended')).toBeUndefined();
    expect(await log.claim('unknown')).toBeUndefined();
    expect(await log.summary('ended')).toMatchObject({ status: 'FAILED' });
    await append(log, 'ended', 2, [stepStarted('step-0')], running(2));
    expect(await log.claim('ended')).toBeUndefined();
  });

  test('runs a run again that had ended, until it is released', async () => {
    const log = await make();
    const run = unclaimed('execution-1');
    await log.create(run);
    await log.claim('execution-1');
    await append(log, 'execution-1', 1, [endOf('FAILED')], ended('FAILED'));
    const retried: EventDraft = { type: 'execution.retried', by: 'api', attempt: 2, steps: ['step-0'] };
    expect(await append(log, 'execution-1', 2, [retried], running(2))).toBe('appended');
    expect(await claimOften(log, 'execution-1')).toEqual([]);
    await log.release('execution-1');
    const added = numbered(2, [endOf('FAILED'), retried]);
    expect(await claimOften(log, 'execution-1')).toEqual([claimed(run, added)]);
    expect(await append(log, 'execution-1', 3, [endOf()], ended('COMPLETED', 2))).toBe('appended');
    expect(await log.claim('execution-1')).toBeUndefined();
  });
}

function signalling(make: () => Promise<RunLog>): void {
  test('sends a signal of a claimed run to the process that claimed it, and refuses an end without it', async () => {
    const log = await make();
    const { signals } = listenTo(log);
    await log.create(unclaimed('execution-1'));
    expect((await log.claim('execution-1'))?.signals).toEqual([]);
    expect(await log.signal('execution-1', cancel)).toBe('sent');
    await vi.waitFor(() => expect(signals).toContainEqual(['execution-1', cancel]), { timeout: 10_000 });
    expect(await append(log, 'execution-1', 1, [endOf()], ended())).toBe('signalled');
    expect(await append(log, 'execution-1', 1, [cancelRequested], running())).toBe('appended');
    await log.release('execution-1');
    expect((await log.claim('execution-1'))?.signals).toEqual([]);
    expect(await append(log, 'execution-1', 2, [endOf('CANCELLED')], ended('CANCELLED'))).toBe('appended');
  });

  test('tells of a signal of an unclaimed run, and gives it with the claim', async () => {
    const log = await make();
    const { signals } = listenTo(log);
    const run = unclaimed('execution-1');
    await log.create(run);
    expect(await log.signal('execution-1', cancel)).toBe('sent');
    await vi.waitFor(() => expect(signals).toContainEqual(['execution-1', cancel]), { timeout: 10_000 });
    expect(await log.claim('execution-1')).toStrictEqual(claimed(run, [], cancel));
    const drafts = [cancelRequested, endOf('CANCELLED')];
    expect(await append(log, 'execution-1', 1, drafts, ended('CANCELLED'))).toBe('appended');
    expect(await log.signal('execution-1', cancel)).toBe('ended');
  });

  test('keeps a signal over a release', async () => {
    const log = await make();
    listenTo(log);
    await log.create(newRun('execution-1'));
    await log.signal('execution-1', cancel);
    for (let time = 0; time < 2; time++) {
      await log.release('execution-1');
      expect(await log.claim('execution-1')).toStrictEqual(claimed(newRun('execution-1'), [], cancel));
      expect(await append(log, 'execution-1', 1, [endOf()], ended())).toBe('signalled');
    }
  });

  test('calls no run abandoned or lost that this process runs', async () => {
    const log = await make();
    const { others } = listenTo(log);
    await log.create(newRun('created'));
    await log.create(unclaimed('claimed'));
    await log.claim('claimed');
    await append(log, 'claimed', 1, [stepStarted('step-0')], running());
    await log.release('claimed');
    await log.claim('claimed');
    await sleep(QUIET_MS);
    expect(others).toEqual([]);
  });
}
