import { describe, expect, test } from 'vitest';
import { celExpressions } from '../../../src/adapters/languages/expressions.ts';
import { createPlanCache } from '../../../src/application/runs/plan-cache.ts';
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

  test('is released with the last run that needs it', () => {
    const plans = createPlanCache(celExpressions);
    const first = plans.acquire(readDefinition('w'));
    plans.acquire(readDefinition('w'));
    plans.release(first);
    plans.release(first);
    expect(plans.acquire(readDefinition('w'))).not.toBe(first);
  });

  test('is created once for the same definition object', () => {
    const plans = createPlanCache(celExpressions);
    const definition = readDefinition('w');
    const plan = plans.acquire(definition);
    plans.release(plan);
    expect(plans.acquire(definition)).toBe(plan);
    expect(plan.layers).toEqual([[0], [1]]);
  });
});
