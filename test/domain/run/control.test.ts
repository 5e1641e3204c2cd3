import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copiedSteps, dependants } from '../../../src/domain/run/control.ts';
import { replay } from '../../../src/domain/run/evolve.ts';
import { recordOf } from '../../../src/domain/run/state.ts';
import { shapeOf } from '../../../src/domain/workflow/shape.ts';
import { itemAt } from '../../../src/lib/array.ts';
import { acyclicSteps, oracle, toolStep } from '../../support/workflow/graphs.ts';
import { expectSoundEvents } from '../../support/workflow/logs.ts';
import {
  chooseFrom,
  definitionOf,
  noChance,
  runToEnd,
  simulatedRun,
} from '../../support/workflow/simulated-run.ts';

const choices = fc.array(fc.nat({ max: 10_000 }), { minLength: 100, maxLength: 200 });

describe('the dependants of a step', () => {
  test('are the step and all steps that reach it over their dependencies', () => {
    fc.assert(
      fc.property(acyclicSteps(14), fc.nat(), (steps, pick) => {
        const { reaches } = oracle(steps);
        const from = itemAt(steps, pick % steps.length);
        const expected = [...steps.keys()].filter((index) => {
          const other = itemAt(steps, index);
          return other === from || reaches(other, from);
        });
        const found = dependants(shapeOf(definitionOf(steps)), from.id);
        expect([...found].sort((a, b) => a - b)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('of an unknown step throw', () => {
    expect(() => dependants(shapeOf(definitionOf([toolStep('a')])), 'b')).toThrow('"b" does not exist');
  });
});

describe('a rerun', () => {
  test('from a step copies the completed steps that do not depend on it, and runs exactly the others', () => {
    fc.assert(
      fc.property(acyclicSteps(12), choices, fc.nat(), (steps, numbers, pick) => {
        const choose = chooseFrom(numbers);
        const definition = definitionOf(steps);
        const original = simulatedRun(definition);
        runToEnd(original, choose);
        const { id: fromStep } = itemAt(steps, pick % steps.length);
        const again = dependants(original.state.shape, fromStep);
        const copied = copiedSteps(original.state, fromStep);
        const before = recordOf(original.state).stepResults;
        expect(copied).toEqual(
          [...before.keys()].filter((i) => itemAt(before, i).status === 'COMPLETED' && !again.has(i)),
        );
        const rerun = simulatedRun(definition, { state: original.state, fromStep });
        runToEnd(rerun, choose);
        const started = rerun.started.flat();
        expect(started.filter((index) => copied.includes(index))).toEqual([]);
        expect(new Set(started).size).toBe(started.length);
        for (const index of copied) {
          expect(itemAt(rerun.state.results, index)).toMatchObject({
            status: 'COMPLETED',
            attempts: 0,
            output: itemAt(before, index).output,
          });
        }
        if (rerun.state.status === 'COMPLETED') expect(started.length + copied.length).toBe(steps.length);
        expectSoundEvents(
          rerun.history.events,
          steps.map(({ id }) => id),
        );
        expect(recordOf(replay(rerun.history))).toEqual(recordOf(rerun.state));
      }),
      { numRuns: 300 },
    );
  });

  test('without a step copies nothing', () => {
    const run = simulatedRun(definitionOf([toolStep('a'), toolStep('b')]));
    runToEnd(run, noChance);
    expect(run.state.status).toBe('COMPLETED');
    expect(copiedSteps(run.state, undefined)).toEqual([]);
  });
});
