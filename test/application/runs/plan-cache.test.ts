import { describe, expect, test } from 'vitest';
import { celExpressions } from '../../../src/adapters/languages/languages.ts';
import { createPlanCache, MAX_IDLE_SIZE } from '../../../src/application/runs/plan-cache.ts';
import type { WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import { toolStep } from '../../support/workflow/graphs.ts';

/** A definition as a store returns it: a new object at each call. */
function readDefinition(id: string): WorkflowDefinition {
  const steps = [toolStep('a'), toolStep('b', ['a'])];
  return {
    id,
    version: 1,
    name: '',
    description: '',
    steps,
    layers: [['a'], ['b']],
    warnings: [],
    createdAt: '',
  };
}

describe('the plan of a workflow', () => {
  test('is not shared by runs of different versions', () => {
    const plans = createPlanCache(celExpressions);
    const first = plans.acquire(readDefinition('w'));
    const second = plans.acquire({ ...readDefinition('w'), version: 2 });
    expect(second).not.toBe(first);
    plans.release(first);
    expect(plans.acquire({ ...readDefinition('w'), version: 2 })).toBe(second);
    expect(plans.acquire(readDefinition('w'))).not.toBe(second);
  });

  test('is shared by all active runs of the workflow', () => {
    const plans = createPlanCache(celExpressions);
    const first = plans.acquire(readDefinition('w'));
    const second = plans.acquire(readDefinition('w'));
    expect(second).toBe(first);
    plans.release(first);
    expect(plans.acquire(readDefinition('w'))).toBe(first);
    expect(plans.acquire(readDefinition('other'))).not.toBe(first);
  });

  test('is kept for the next run, with its parsed expressions', () => {
    const plans = createPlanCache(celExpressions);
    const first = plans.acquire(readDefinition('w'));
    plans.acquire(readDefinition('w'));
    plans.release(first);
    plans.release(first);
    expect(plans.acquire(readDefinition('w'))).toBe(first);
  });

  test('is not that of a deleted workflow with the same id', () => {
    const plans = createPlanCache(celExpressions);
    const first = plans.acquire(readDefinition('w'));
    const second = plans.acquire({ ...readDefinition('w'), createdAt: '2026-11-23T08:00:00.000Z' });
    expect(second).not.toBe(first);
  });

  test('cannot be released more often than it was acquired', () => {
    const plans = createPlanCache(celExpressions);
    const first = plans.acquire(readDefinition('w'));
    plans.release(first);
    expect(() => plans.release(first)).toThrow('no run has the plan of the workflow "w"');
    expect(() => plans.release({ ...first })).toThrow('no run has the plan');
  });

  test('is dropped when larger or many others have run since', () => {
    const plans = createPlanCache(celExpressions);
    const largeAs = (share: number, id: string): WorkflowDefinition => ({
      ...readDefinition(id),
      description: 'x'.repeat(MAX_IDLE_SIZE * share),
    });
    const run = (definition: WorkflowDefinition) => {
      const plan = plans.acquire(definition);
      plans.release(plan);
      return plan;
    };
    const first = run(largeAs(0.4, 'first'));
    const second = run(largeAs(0.4, 'second'));
    expect(run(largeAs(0.4, 'first'))).toBe(first);
    const third = run(largeAs(0.4, 'third'));
    expect(run(largeAs(0.4, 'second'))).not.toBe(second);
    expect(run(largeAs(0.4, 'third'))).toBe(third);
    const huge = run(largeAs(1.1, 'huge'));
    expect(run(largeAs(1.1, 'huge'))).toBe(huge);
    expect(run(largeAs(0.4, 'third'))).not.toBe(third);
    expect(run(largeAs(1.1, 'huge'))).not.toBe(huge);
  });
});
