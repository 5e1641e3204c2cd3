import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/domain/run/decide.ts';
import type { RunEvent } from '../../../src/domain/run/events.ts';
import { evolve, replay } from '../../../src/domain/run/evolve.ts';
import { defaultRecoveryPolicy, UNKNOWN_OUTCOME } from '../../../src/domain/run/recover.ts';
import { hasEnded, INTERRUPTED } from '../../../src/domain/run/run.ts';
import { openWaits, recordOf } from '../../../src/domain/run/state.ts';
import { itemAt } from '../../../src/lib/array.ts';
import { acyclicSteps, toolStep } from '../../support/workflow/graphs.ts';
import {
  abandon,
  type Choose,
  chooseFrom,
  decideFirst,
  definitionOf,
  noChance,
  noRules,
  requestCancel,
  retry,
  runToEnd,
  type SimulatedRun,
  simulatedRun,
  step,
  takeOver,
} from '../../support/workflow/simulated-run.ts';

/** Lets the steps under way complete, and nobody decide. */
const never: Choose = (count) => count - 1;

const policy = defaultRecoveryPolicy;
const crash = { policy, crashed: true, signal: undefined, mayRepeat: () => true };

/** A run with two steps in each of two layers, whose first layer is under way. */
function underWay(): SimulatedRun {
  const run = simulatedRun(
    definitionOf([toolStep('a'), toolStep('b'), toolStep('c', ['a', 'b']), toolStep('d', ['a'])]),
  );
  step(run, noChance);
  return run;
}

function resultsOf({ state }: SimulatedRun) {
  return state.results.map(({ stepId, status, attempts, error }) => ({ stepId, status, attempts, error }));
}

describe('a run whose process is gone', () => {
  test('keeps its results, and runs what may act twice again', () => {
    const run = underWay();
    step(run, noChance);
    const completed = run.state.results.filter(({ status }) => status === 'COMPLETED');
    expect(completed).toHaveLength(1);
    const [lost] = run.underWay;
    const events = takeOver(run, crash);
    const stepId = run.state.results[lost ?? -1]?.stepId ?? expect.fail();
    expect(events).toMatchObject([
      { type: 'execution.recovered', recoveries: 1, unknownSteps: [], steps: [stepId] },
    ]);
    runToEnd(run, noChance);
    expect(run.state).toMatchObject({ status: 'COMPLETED', recoveries: 1, recoveriesWithoutProgress: 0 });
    expect(resultsOf(run).find((result) => result.stepId === stepId)?.attempts).toBe(2);
    expect(run.state.results.find((result) => result.stepId === completed[0]?.stepId)).toEqual(completed[0]);
  });

  test('fails the steps whose effects nobody knows, where that is the policy', () => {
    const run = underWay();
    const events = takeOver(run, { ...crash, mayRepeat: (stepId) => stepId === 'b' });
    expect(events).toMatchObject([
      { type: 'execution.recovered', unknownSteps: ['a'], steps: ['b'] },
      { type: 'step.failed', stepId: 'a', error: UNKNOWN_OUTCOME, attempts: 1, durationMs: null },
    ]);
    runToEnd(run, noChance);
    expect(run.state).toMatchObject({ status: 'FAILED', error: `step "a" failed: ${UNKNOWN_OUTCOME}` });
    expect(resultsOf(run)).toMatchObject([
      { stepId: 'a', status: 'FAILED', attempts: 1 },
      { stepId: 'b', status: 'COMPLETED', attempts: 2 },
      { stepId: 'c', status: 'SKIPPED' },
      { stepId: 'd', status: 'SKIPPED' },
    ]);
  });

  test('runs them again, where that is the policy, and says which they are', () => {
    const run = underWay();
    const retry = { ...policy, unknownOutcome: 'retry' as const };
    const [recovered] = takeOver(run, { ...crash, policy: retry, mayRepeat: () => false });
    expect(recovered).toMatchObject({ unknownSteps: ['a', 'b'], steps: ['a', 'b'] });
    runToEnd(run, noChance);
    expect(run.state.status).toBe('COMPLETED');
  });

  test('is parked when it was continued too often without a step that completes', () => {
    const run = underWay();
    for (const recoveries of [1, 2, 3]) {
      expect(takeOver(run, crash)).toMatchObject([{ recoveries }]);
      step(run, noChance);
    }
    expect(takeOver(run, crash)).toMatchObject([
      { type: 'execution.recovered', recoveries: 3, steps: [] },
      { type: 'step.failed', stepId: 'a', error: UNKNOWN_OUTCOME },
      { type: 'step.failed', stepId: 'b', error: UNKNOWN_OUTCOME },
    ]);
    runToEnd(run, noChance);
    expect(run.state).toMatchObject({ status: 'FAILED', error: 'parked after 3 recoveries', recoveries: 3 });
    expect(run.history.events.at(-1)).toMatchObject({ type: 'execution.failed', gaveUp: true });
    expect(recordOf(run.state).gaveUp).toBe(true);
    expect(recordOf(replay(run.history))).toEqual(recordOf(run.state));
  });

  test('has given up no longer once it is retried, also where it fails again for another reason', () => {
    const run = underWay();
    takeOver(run, { ...crash, policy: { ...policy, maxRecoveries: 0 } });
    runToEnd(run, noChance);
    retry(run);
    run.failure = null;
    expect(recordOf(run.state)).not.toHaveProperty('gaveUp');
    step(run, noChance);
    takeOver(run, { ...crash, mayRepeat: () => false });
    runToEnd(run, noChance);
    expect(recordOf(run.state).status).toBe('FAILED');
    expect(recordOf(run.state)).not.toHaveProperty('gaveUp');
    expect(run.history.events.at(-1)).not.toHaveProperty('gaveUp');
  });

  test.each([
    { error: 'parked after 3 recoveries', gaveUp: true },
    { error: 'step "a" failed: parked after 3 recoveries', gaveUp: false },
    { error: 'parked after 3 recoveries of another one', gaveUp: false },
  ])('is known by its error where an earlier build has written its log: $error', ({ error, gaveUp }) => {
    const run = underWay();
    const end = { type: 'execution.failed', at: run.now, error, durationMs: null } as const;
    const events = [...run.history.events, { ...end, seq: run.state.seq + 1 }];
    expect(replay({ ...run.history, events })).toMatchObject({ status: 'FAILED', error, gaveUp });
  });

  test('counts all recoveries, and gives up by those since a step has completed', () => {
    const run = underWay();
    const counts = () => [run.state.recoveries, run.state.recoveriesWithoutProgress];
    for (const count of [1, 2, 3]) {
      takeOver(run, crash);
      expect(counts()).toEqual([count, count]);
      step(run, noChance);
    }
    step(run, noChance);
    expect(counts()).toEqual([3, 0]);
    takeOver(run, crash);
    expect(counts()).toEqual([4, 1]);
    runToEnd(run, noChance);
    expect(run.state).toMatchObject({ status: 'COMPLETED', recoveries: 4, recoveriesWithoutProgress: 0 });
  });

  test('is parked at once where it may not be continued', () => {
    const run = underWay();
    takeOver(run, { ...crash, policy: { ...policy, maxRecoveries: 0 } });
    runToEnd(run, noChance);
    expect(run.state.error).toBe('parked after 0 recoveries');
  });

  test('does not count a crash without a step under way, nor a hand-over', () => {
    const run = underWay();
    expect(takeOver(run, { ...crash, crashed: false })).toMatchObject([{ recoveries: 0, steps: ['a', 'b'] }]);
    expect(takeOver(run, crash)).toMatchObject([{ recoveries: 0, steps: [] }]);
    step(run, noChance);
    step(run, noChance);
    expect(takeOver(run, crash)).toMatchObject([{ recoveries: 1 }]);
    step(run, noChance);
    step(run, noChance);
    expect([run.state.recoveries, run.state.recoveriesWithoutProgress]).toEqual([1, 0]);
  });

  test('says nothing where it had not started', () => {
    const run = simulatedRun(definitionOf([toolStep('a')]));
    expect(takeOver(run, crash)).toEqual([]);
    expect(run.failure).toBeNull();
  });

  test.each([
    { isRecorded: true, isWaiting: false },
    { isRecorded: false, isWaiting: true },
    // A log refuses the end of a run while a signal waits, also a repeat.
    { isRecorded: true, isWaiting: true },
  ])('is cancelled where that was asked, before or after the crash: %o', ({ isRecorded, isWaiting }) => {
    const run = underWay();
    if (isRecorded) requestCancel(run, 'wrong customer');
    const reason = isRecorded ? 'once more' : 'wrong customer';
    const signal = isWaiting ? ({ type: 'cancel', by: 'ann', reason } as const) : undefined;
    const events = takeOver(run, { ...crash, signal });
    expect(events.map(({ type }) => type)).toEqual([
      ...(isWaiting ? ['execution.cancel_requested'] : []),
      'step.cancelled',
      'step.cancelled',
    ]);
    runToEnd(run, noChance);
    expect(run.state).toMatchObject({ status: 'CANCELLED', error: 'cancelled: wrong customer' });
  });
});

test('a step that a lost process had called counts as cancelled, even where it is not called again', () => {
  const run = underWay();
  takeOver(run, crash);
  requestCancel(run, null);
  runToEnd(run, noChance);
  expect(resultsOf(run)).toMatchObject([
    { stepId: 'a', status: 'CANCELLED', attempts: 1 },
    { stepId: 'b', status: 'CANCELLED', attempts: 1 },
    { stepId: 'c', status: 'SKIPPED', attempts: 0 },
    { stepId: 'd', status: 'SKIPPED', attempts: 0 },
  ]);
});

/** A run is taken over at its first events only: else it might be so for ever, and not end. */
const MOST_TAKE_OVERS = 200;

describe('random runs that are taken over again and again', () => {
  test('end as their logs say; no completed step runs again, and no step of unknown outcome', () => {
    let takenOver = 0;
    fc.assert(
      fc.property(
        acyclicSteps(8),
        fc.array(fc.nat({ max: 10_000 }), { minLength: 100, maxLength: 200 }),
        (steps, numbers) => {
          const choose = chooseFrom(numbers);
          const run = simulatedRun(definitionOf(steps));
          run.maxStarts = 1 + choose(4);
          const mayRepeat = (stepId: string): boolean => stepId.length % 2 === choose(2);
          for (let events = 0; !hasEnded(run.state.status); events++) {
            if (events > 500) expect.fail('the run does not end');
            if (events < MOST_TAKE_OVERS && choose(6) === 0 && run.failure === null) {
              const unknownOutcome = itemAt(['retry', 'fail', 'ask'] as const, choose(3));
              const before = run.state.recoveries;
              takeOver(run, { ...crash, policy: { maxRecoveries: 3, unknownOutcome }, mayRepeat });
              expect(run.state.recoveries).toBeLessThanOrEqual(before + 1);
              takenOver++;
            } else {
              step(run, choose);
            }
          }
          const { events } = run.history;
          expect(replay(run.history)).toEqual(run.state);
          expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
          checkSteps(events);
        },
      ),
      { numRuns: 300 },
    );
    expect(takenOver).toBeGreaterThan(300);
  });
});

/**
 * A step starts only while it has not ended; one that starts again was lost before, or is to be retried by a decision.
 */
function checkSteps(events: readonly RunEvent[]): void {
  const state = new Map<string, 'started' | 'lost' | 'waiting' | 'ended'>();
  for (const event of events) {
    if (event.type === 'execution.recovered') for (const stepId of event.steps) state.set(stepId, 'lost');
    if (event.type === 'execution.resumed') {
      expect(state.get(event.stepId)).toBe('waiting');
      if (event.outcome === 'retry') state.set(event.stepId, 'lost');
      continue;
    }
    if (!('stepId' in event)) continue;
    const { stepId, type } = event;
    const before = state.get(stepId);
    if (type === 'step.started') {
      expect([undefined, 'lost']).toContain(before);
      state.set(stepId, 'started');
    } else if (type === 'step.waiting') {
      expect(before).toBe('started');
      state.set(stepId, 'waiting');
    } else if (type !== 'step.retrying') {
      expect(before).not.toBe('ended');
      state.set(stepId, 'ended');
    }
  }
}

test('the attempts of a step that was lost while it was retried all count', () => {
  const run = underWay();
  const { seq } = run.state;
  const retrying = { type: 'step.retrying', stepId: 'a', attempt: 2, error: 'no', delayMs: 1 } as const;
  evolve(run.state, { ...retrying, seq: seq + 1, at: 0 });
  run.history.events.push({ ...retrying, seq: seq + 1, at: 0 });
  takeOver(run, { ...crash, mayRepeat: (stepId) => stepId === 'a' });
  expect(resultsOf(run)).toMatchObject([
    { stepId: 'a', status: 'PENDING', attempts: 3 },
    { stepId: 'b', status: 'FAILED', attempts: 1 },
    {},
    {},
  ]);
});

describe('a step of unknown outcome about which a person is asked', () => {
  const ask = { ...crash, policy: { ...policy, unknownOutcome: 'ask' as const } };
  const mayRepeat = (stepId: string): boolean => stepId !== 'a';

  /** A run whose step `a` waits, and whose step `b` is to run again. */
  function asked(): SimulatedRun {
    const run = underWay();
    takeOver(run, { ...ask, mayRepeat });
    return run;
  }

  /** The same when nothing is left to do. */
  function waiting(): SimulatedRun {
    const run = asked();
    for (let n = 0; n < 3; n++) step(run, never);
    expect(run.state.status).toBe('WAITING');
    return run;
  }

  test('waits with the id of its item, while the others of its layer run', () => {
    const run = underWay();
    const events = takeOver(run, { ...ask, mayRepeat });
    expect(events).toMatchObject([
      { type: 'execution.recovered', unknownSteps: ['a'], steps: ['b'] },
      { type: 'step.waiting', stepId: 'a', for: 'recovery', until: null, itemId: 'item-500', attempts: 1 },
    ]);
    expect(recordOf(run.state)).toMatchObject({
      status: 'RUNNING',
      waitingFor: [{ kind: 'recovery', stepId: 'a', itemId: 'item-500', until: null }],
    });
    step(run, never);
    expect(run.started.at(-1)).toEqual([1]);
    step(run, never);
    step(run, never);
    expect(run.history.events.at(-1)).toMatchObject({ type: 'execution.waiting', for: ['recovery'] });
    expect(resultsOf(run)).toMatchObject([
      { stepId: 'a', status: 'WAITING', attempts: 1, error: null },
      { stepId: 'b', status: 'COMPLETED', attempts: 2 },
      { stepId: 'c', status: 'PENDING' },
      { stepId: 'd', status: 'PENDING' },
    ]);
    expect(replay(run.history)).toEqual(run.state);
  });

  test('changes nothing by a crash or a hand-over while the run waits', () => {
    const run = waiting();
    const before = recordOf(run.state);
    for (const crashed of [true, false]) expect(takeOver(run, { ...ask, crashed })).toEqual([]);
    const { now } = run;
    const decision = decide(run.state, {
      now,
      elapsedMs: 0,
      failure: null,
      maxStarts: 9,
      rules: () => noRules,
    });
    expect(decision).toEqual({ events: [], steps: [], end: null, waits: true });
    expect(recordOf(run.state)).toEqual(before);
  });

  test('goes on waiting with the same item when the run crashes with another step under way', () => {
    const run = asked();
    step(run, never);
    takeOver(run, { ...ask, mayRepeat });
    expect(openWaits(run.state)).toMatchObject([{ stepId: 'a', itemId: 'item-500' }]);
    expect(run.state.recoveries).toBe(2);
  });

  test.each([
    ['completed', 'COMPLETED', 'COMPLETED', null],
    ['failed', 'FAILED', 'FAILED', 'its outcome was unknown, and "ann" decided that it has failed'],
    ['retry', 'COMPLETED', 'COMPLETED', null],
  ] as const)('is decided with %s', (outcome, status, stepStatus, error) => {
    const run = waiting();
    expect(decideFirst(run, outcome)).toBe(true);
    expect(run.state.status).toBe('RUNNING');
    expect(openWaits(run.state)).toEqual([]);
    runToEnd(run, noChance);
    expect(run.state.status).toBe(status);
    const attempts = outcome === 'retry' ? 2 : 1;
    expect(resultsOf(run)[0]).toMatchObject({ stepId: 'a', status: stepStatus, attempts, error });
    expect(replay(run.history)).toEqual(run.state);
    expect(decideFirst(run, 'failed', 'item-500')).toBe(false);
  });

  test('is decided while others of its layer are under way, once', () => {
    const run = asked();
    step(run, never);
    expect(decideFirst(run, 'completed')).toBe(true);
    expect(decideFirst(run, 'failed', 'item-500')).toBe(false);
    runToEnd(run, noChance);
    expect(run.state).toMatchObject({ status: 'COMPLETED', recoveriesWithoutProgress: 0 });
  });

  test('is cancelled with its run, and with nothing under way', () => {
    const run = waiting();
    const signal = { type: 'cancel', by: 'ann', reason: null } as const;
    const events = takeOver(run, { ...ask, signal });
    expect(events.map(({ type }) => type)).toEqual(['execution.cancel_requested', 'step.cancelled']);
    expect(decideFirst(run, 'completed', 'item-500')).toBe(false);
    runToEnd(run, noChance);
    expect(run.state.status).toBe('CANCELLED');
    expect(resultsOf(run).map(({ status }) => status)).toEqual([
      ...['CANCELLED', 'COMPLETED', 'SKIPPED', 'SKIPPED'],
    ]);
  });

  test('fails when the run is parked by the crashes of another step', () => {
    const run = asked();
    for (let time = 0; time < 3; time++) {
      step(run, never);
      takeOver(run, { ...ask, mayRepeat });
    }
    runToEnd(run, noChance);
    expect(run.state).toMatchObject({ status: 'FAILED', error: 'parked after 3 recoveries' });
    expect(resultsOf(run)[0]).toMatchObject({ status: 'FAILED', error: UNKNOWN_OUTCOME, attempts: 1 });
    expect(openWaits(run.state)).toEqual([]);
  });

  test('ends with its run where no process continues it', () => {
    const { state } = abandon(waiting(), false);
    expect(state).toMatchObject({ status: 'FAILED', error: INTERRUPTED });
    expect(state.results[0]).toMatchObject({ status: 'FAILED', error: INTERRUPTED });
    expect(openWaits(state)).toEqual([]);
  });
});
