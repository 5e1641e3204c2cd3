import { expect, test } from 'vitest';
import { evolve, replay } from '../../../src/domain/run/evolve.ts';
import { changeAtEnd, changeBeforeEnd, changeOf } from '../../../src/domain/run/state.ts';
import { toolStep } from '../../support/workflow/graphs.ts';
import {
  definitionOf,
  noChance,
  runToEnd,
  simulatedRun,
  step,
} from '../../support/workflow/simulated-run.ts';

test('a run that goes on is the same before its end is saved', () => {
  const run = simulatedRun(definitionOf([toolStep('a')]));
  expect(changeBeforeEnd(run.state)).toEqual(changeOf(run.state));
  step(run, noChance);
  expect(changeBeforeEnd(run.state)).toEqual({ ...changeOf(run.state), status: 'RUNNING' });
});

test('a run that gave up has not done so before its end is saved', () => {
  const run = simulatedRun(definitionOf([toolStep('a')]));
  step(run, noChance);
  const end = {
    type: 'execution.failed',
    at: run.now,
    error: 'crashed',
    durationMs: 1,
    gaveUp: true,
  } as const;
  expect(changeAtEnd(run.state, { ...end, seq: run.state.seq + 1 })).toMatchObject({ gaveUp: true });
  evolve(run.state, { ...end, seq: run.state.seq + 1 });
  expect(changeOf(run.state)).toMatchObject({ status: 'FAILED', gaveUp: true });
  expect(changeBeforeEnd(run.state)).not.toHaveProperty('gaveUp');
});

test('an ended child run is one that goes on before its end is saved, and tells its parent nothing', () => {
  const run = simulatedRun(definitionOf([toolStep('a')]));
  runToEnd(run, noChance);
  const [created, ...others] = run.history.events;
  if (created?.type !== 'execution.created') expect.fail();
  const child = replay({ ...run.history, events: [{ ...created, parentRunId: 'parent' }, ...others] });
  expect(changeOf(child)).toMatchObject({ status: 'COMPLETED', wakeAt: expect.any(Number) });
  expect(changeBeforeEnd(child)).toEqual({
    ...changeOf(child),
    status: 'RUNNING',
    error: null,
    output: null,
    completedAt: null,
    durationMs: null,
    wakeAt: null,
  });
});
