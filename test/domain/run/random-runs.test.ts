import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evolve, replay } from '../../../src/domain/run/evolve.ts';
import { hasEnded, INTERRUPTED } from '../../../src/domain/run/run.ts';
import { changeAtEnd, changeOf, type RunState, recordOf } from '../../../src/domain/run/state.ts';
import { itemAt } from '../../../src/lib/array.ts';
import { runsOf } from '../../support/extent.ts';
import { acyclicSteps, oracle } from '../../support/workflow/graphs.ts';
import { expectSoundEvents } from '../../support/workflow/logs.ts';
import {
  abandon,
  chooseFrom,
  definitionOf,
  noChance,
  requestCancel,
  retry,
  runToEnd,
  type SimulatedRun,
  simulatedRun,
  step,
} from '../../support/workflow/simulated-run.ts';

const choices = fc.array(fc.nat({ max: 10_000 }), { minLength: 100, maxLength: 200 });

function statusesOf({ results }: RunState): string[] {
  return results.map(({ status }) => status);
}

function expectNoTimes({ results }: RunState): void {
  for (const { status, startedAt, completedAt, durationMs, output, error } of results) {
    if (status !== 'SKIPPED') continue;
    expect([startedAt, completedAt, durationMs, output, error]).toEqual([null, null, null, null, null]);
  }
}

/** Expects that every step that was started last had completed dependencies only. */
function expectCompletedDependencies({ state, started }: SimulatedRun): void {
  const { byId } = oracle(state.shape.definition.steps);
  const { steps } = state.shape.definition;
  for (const index of started.at(-1) ?? []) {
    for (const dependency of itemAt(steps, index).dependsOn) {
      const found = steps.indexOf(byId.get(dependency) ?? expect.fail());
      expect(itemAt(state.results, found).status).toBe('COMPLETED');
    }
  }
}

describe('a run that the pure functions drive, with random outcomes, cancels and interrupts', () => {
  test('ends with a sound log, starts steps after their dependencies, and replays to its state', () => {
    fc.assert(
      fc.property(acyclicSteps(16), choices, (steps, numbers) => {
        const choose = chooseFrom(numbers);
        const run = simulatedRun(definitionOf(steps));
        let isCancelled = false;
        while (!hasEnded(run.state.status)) {
          const decisions = run.started.length;
          const mustStop = run.interrupted || run.state.cancel !== null;
          step(run, choose);
          if (mustStop) expect(run.started).toHaveLength(decisions);
          if (run.started.length > decisions) expectCompletedDependencies(run);
          isCancelled ||= run.state.cancel !== null;
          if (choose(10) === 0) expect(recordOf(replay(run.history))).toEqual(recordOf(run.state));
          if (run.history.events.length > 2_000) expect.fail('the run does not end');
        }
        expect(recordOf(replay(run.history))).toEqual(recordOf(run.state));
        expectSoundEvents(
          run.history.events,
          steps.map(({ id }) => id),
        );
        expectNoTimes(run.state);
        const { status } = run.state;
        expect(status === 'CANCELLED').toBe(isCancelled);
        const statuses = statusesOf(run.state);
        if (status === 'COMPLETED') expect(new Set(statuses)).toEqual(new Set(['COMPLETED']));
        expect(statuses).not.toContain('PENDING');
        expect(statuses).not.toContain('RUNNING');
        if (status !== 'CANCELLED') expect(statuses).not.toContain('CANCELLED');
      }),
      { numRuns: runsOf(200, 600) },
    );
  });

  test('never runs a completed step again in a retry, keeps its output, and counts attempts', () => {
    fc.assert(
      fc.property(acyclicSteps(12), choices, (steps, numbers) => {
        const choose = chooseFrom(numbers);
        const run = simulatedRun(definitionOf(steps));
        runToEnd(run, choose);
        for (let attempt = 2; attempt < 5 && run.state.status !== 'COMPLETED'; attempt++) {
          const before = recordOf(run.state);
          run.started.splice(0);
          retry(run);
          const { state } = run;
          expect(recordOf(state)).toMatchObject({
            status: 'PENDING',
            attempt,
            error: null,
            completedAt: null,
          });
          expect(state.cancel).toBeNull();
          runToEnd(run, choose);
          const again = new Set(run.started.flat());
          for (const [index, result] of before.stepResults.entries()) {
            const after = itemAt(state.results, index);
            if (result.status === 'COMPLETED') {
              expect(again.has(index)).toBe(false);
              expect(after).toEqual(result);
            }
            expect(after.attempts).toBeGreaterThanOrEqual(result.attempts);
            if (after.status === 'FAILED') expect(after.attempts).toBeGreaterThan(result.attempts);
          }
          expect(again.size).toBe(run.started.flat().length);
          expect(recordOf(replay(run.history))).toEqual(recordOf(state));
          expect(state.startedAt === null || state.startedAt >= state.createdAt).toBe(true);
          if (before.startedAt !== null) expect(recordOf(state).startedAt).toBe(before.startedAt);
        }
        expectSoundEvents(
          run.history.events,
          steps.map(({ id }) => id),
        );
      }),
      { numRuns: runsOf(100, 300) },
    );
  });

  test('can be ended by another process at any moment, and that replays', () => {
    fc.assert(
      fc.property(acyclicSteps(10), choices, fc.boolean(), (steps, numbers, isSignalled) => {
        const choose = chooseFrom(numbers);
        const run = simulatedRun(definitionOf(steps));
        const moments = choose(40);
        for (let n = 0; n < moments && !hasEnded(run.state.status); n++) step(run, choose);
        if (hasEnded(run.state.status)) return;
        const before = recordOf(run.state);
        const isCancelled = run.state.cancel !== null || isSignalled;
        const { state, events } = abandon(run, isSignalled);
        expect(state.status).toBe(isCancelled ? 'CANCELLED' : 'FAILED');
        if (!isCancelled) expect(state.error).toBe(INTERRUPTED);
        const expected = before.stepResults.map(({ status }) => {
          if (status === 'PENDING') return 'SKIPPED';
          return status === 'RUNNING' ? (isCancelled ? 'CANCELLED' : 'FAILED') : status;
        });
        expect(statusesOf(state)).toEqual(expected);
        const history = { ...run.history, events: [...run.history.events, ...events] };
        expect(recordOf(replay(history))).toEqual(recordOf(state));
        expectSoundEvents(
          history.events,
          steps.map(({ id }) => id),
        );
        expectNoTimes(state);
        expect(state.durationMs).toBeNull();
      }),
      { numRuns: runsOf(200, 600) },
    );
  });

  test('has the changes at its end that its state has after the end', () => {
    fc.assert(
      fc.property(acyclicSteps(8), choices, (steps, numbers) => {
        const run = simulatedRun(definitionOf(steps));
        runToEnd(run, chooseFrom(numbers));
        const { events } = run.history;
        const end = events.at(-1) ?? expect.fail();
        const before = replay({ ...run.history, events: events.slice(0, -1) });
        if (!('durationMs' in end) || 'stepId' in end) return expect.fail('the last event is not an end');
        const change = changeAtEnd(before, end);
        evolve(before, end);
        expect(change).toEqual(changeOf(before));
      }),
    );
  });

  test('keeps the first of several requests to cancel it', () => {
    const run = simulatedRun(definitionOf([{ ...base, id: 'a' }]));
    requestCancel(run, 'first');
    requestCancel(run, 'second');
    runToEnd(run, noChance);
    expect(run.state.error).toBe('cancelled: first');
  });
});

const base = { kind: 'tool', toolName: 'tool', dependsOn: [], staticInput: {} } as const;
