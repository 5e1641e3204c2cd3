import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent, RunEventType } from '../../../src/domain/run/events.ts';
import { evolve, replay } from '../../../src/domain/run/evolve.ts';
import { toSubjectEvent } from '../../../src/domain/run/subject-events.ts';
import { acyclicSteps, toolStep } from '../../support/workflow/graphs.ts';
import {
  chooseFrom,
  definitionOf,
  retry,
  runToEnd,
  simulatedRun,
} from '../../support/workflow/simulated-run.ts';

const end = { stepId: 'a', attempts: 1, durationMs: 5 } as const;

/** An event of each type, and what clients see of it. */
const samples: { readonly [T in RunEventType]: readonly [Omit<RunEvent<T>, 'seq' | 'type' | 'at'>, object] } =
  {
    'execution.created': [
      {
        workflowName: 'sample',
        version: 1,
        background: true,
        origin: 'api',
        input: { secret: 1 },
        rerunOf: 'other',
      },
      { workflowName: 'sample', version: 1, background: true, origin: 'api' },
    ],
    'execution.started': [{ attempt: 1 }, { attempt: 1 }],
    'layer.started': [
      { layer: 0, steps: ['a'] },
      { layer: 0, steps: ['a'] },
    ],
    'step.started': [
      { stepId: 'a', kind: 'tool', layer: 0, attempt: 1 },
      { stepId: 'a', kind: 'tool', layer: 0, attempt: 1 },
    ],
    'step.retrying': [
      { stepId: 'a', attempt: 1, error: 'no connection', delayMs: 10 },
      { stepId: 'a', attempt: 1, error: 'no connection', delayMs: 10 },
    ],
    'step.waiting': [
      { stepId: 'a', for: 'recovery', until: null, itemId: 'secret', attempts: 1 },
      { stepId: 'a', for: 'recovery', until: null },
    ],
    'step.progress': [
      {
        stepId: 'a',
        done: 1,
        failed: 0,
        total: 3,
        mark: 2,
        ends: [{ index: 0, output: { secret: 4 }, error: null, attempts: 1 }],
      },
      { stepId: 'a', done: 1, failed: 0, total: 3 },
    ],
    'step.completed': [
      { ...end, output: { secret: 2 }, startedAt: 7, copied: true },
      { ...end, copied: true },
    ],
    'step.failed': [
      { ...end, error: 'fails', startedAt: 7 },
      { ...end, error: 'fails' },
    ],
    'step.skipped': [
      { stepId: 'a', why: 'failed_before' },
      { stepId: 'a', why: 'failed_before' },
    ],
    'step.cancelled': [
      { ...end, why: 'cancelled', startedAt: 7 },
      { ...end, why: 'cancelled' },
    ],
    'execution.waiting': [{ for: ['recovery'] }, { for: ['recovery'] }],
    'execution.resumed': [
      { by: 'ann', stepId: 'a', itemId: 'secret', outcome: 'retry', note: 'secret' },
      { by: 'ann' },
    ],
    'execution.cancel_requested': [
      { by: 'ann', reason: null },
      { by: 'ann', reason: null },
    ],
    'execution.retried': [
      { by: 'ann', attempt: 2, steps: ['a'] },
      { by: 'ann', attempt: 2, steps: ['a'] },
    ],
    'execution.recovered': [
      { recoveries: 2, recoveriesWithoutProgress: 1, unknownSteps: ['b'], steps: ['a'] },
      { recoveries: 2, recoveriesWithoutProgress: 1, unknownSteps: ['b'] },
    ],
    'execution.completed': [
      { error: null, durationMs: 5 },
      { error: null, durationMs: 5 },
    ],
    'execution.failed': [
      { error: 'fails', durationMs: null, gaveUp: true },
      { error: 'fails', durationMs: null },
    ],
    'execution.cancelled': [
      { error: 'cancelled', durationMs: 5 },
      { error: 'cancelled', durationMs: 5 },
    ],
  };

/** The time of the events. */
const at = '1970-01-01T00:00:00.009Z';

/** Where each event shows in the state of a run. */
const effects: { readonly [T in RunEventType]: object } = {
  'execution.created': { createdAt: at },
  'execution.started': { status: 'RUNNING', startedAt: at },
  'layer.started': { layer: 0 },
  'step.started': { results: [{ status: 'RUNNING', startedAt: at }] },
  'step.retrying': { failedAttempts: new Map([[0, 1]]) },
  'step.waiting': { results: [{ status: 'WAITING', attempts: 1 }] },
  'step.progress': { foreach: new Map([[0, expect.objectContaining({ total: 3, startedUpTo: 2 })]]) },
  'step.completed': { results: [{ status: 'COMPLETED', output: { secret: 2 }, attempts: 1, durationMs: 5 }] },
  'step.failed': { results: [{ status: 'FAILED', error: 'fails', startedAt: '1970-01-01T00:00:00.007Z' }] },
  'step.skipped': { results: [{ status: 'SKIPPED', startedAt: null }] },
  'step.cancelled': { results: [{ status: 'CANCELLED', completedAt: at }] },
  'execution.waiting': { status: 'WAITING' },
  'execution.resumed': { status: 'RUNNING', results: [{ status: 'PENDING' }] },
  'execution.cancel_requested': { cancel: { by: 'ann', reason: null } },
  'execution.retried': { attempt: 2, layer: -1, status: 'PENDING' },
  'execution.recovered': {
    recoveries: 2,
    recoveriesWithoutProgress: 1,
    results: [{ status: 'PENDING', attempts: 1 }],
  },
  'execution.completed': { status: 'COMPLETED', completedAt: at, durationMs: 5, error: null },
  'execution.failed': { status: 'FAILED', completedAt: at, durationMs: null, error: 'fails', gaveUp: true },
  'execution.cancelled': { status: 'CANCELLED', completedAt: at, error: 'cancelled' },
};

const types = Object.keys(samples) as RunEventType[];

function sample(type: RunEventType, seq: number): RunEvent {
  return { ...samples[type][0], seq, type, at: 9 } as RunEvent;
}

describe.each(types)('an event %s', (type) => {
  test('shows clients its envelope and its data, without inputs and outputs', () => {
    const subject = { kind: 'execution', id: 'run', workflowId: 'workflow' } as const;
    const shown = toSubjectEvent(subject, sample(type, 4));
    expect(shown).toEqual({ seq: 4, type, at: 9, subject, data: samples[type][1] });
    expect(JSON.stringify(shown)).not.toMatch(/secret|startedAt|rerunOf/);
  });

  test('changes the state of its run', () => {
    const { state } = simulatedRun(definitionOf([toolStep('a')]));
    evolve(state, sample(type, state.seq + 1));
    expect(state).toMatchObject({ seq: 2, ...effects[type] });
  });
});

describe('random runs', () => {
  test('have events of every type', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        acyclicSteps(8),
        fc.array(fc.nat({ max: 10_000 }), { minLength: 100, maxLength: 200 }),
        (steps, numbers) => {
          const choose = chooseFrom(numbers);
          const run = simulatedRun(definitionOf(steps));
          runToEnd(run, choose);
          if (run.state.status !== 'COMPLETED') {
            retry(run);
            runToEnd(run, choose);
          }
          for (const { type } of run.history.events) seen.add(type);
        },
      ),
      { numRuns: 300 },
    );
    // `recover.test.ts` has the runs whose process is gone, and what waits then.
    // Those of `foreach` and of other kinds of steps are in the tests of the workflow language.
    const elsewhere = ['execution.recovered', 'execution.waiting', 'execution.resumed', 'step.waiting'];
    for (const type of [...elsewhere, 'step.progress']) seen.add(type);
    expect([...seen].sort()).toEqual([...types].sort());
  });
});

describe('a log', () => {
  test('that does not begin with the creation of its run cannot be replayed', () => {
    const { history } = simulatedRun(definitionOf([toolStep('a')]));
    expect(() => replay({ ...history, events: [] })).toThrow('a log begins with execution.created');
    expect(() => replay({ ...history, events: [sample('execution.started', 1)] })).toThrow(RangeError);
  });

  test('that names an unknown step cannot be replayed', () => {
    const { history } = simulatedRun(definitionOf([toolStep('b')]));
    expect(() => replay({ ...history, events: [...history.events, sample('step.started', 2)] })).toThrow(
      'the step "a" does not exist',
    );
  });
});
