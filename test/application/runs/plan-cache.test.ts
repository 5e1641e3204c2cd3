import { describe, expect, test } from 'vitest';
import { createPlanCache } from '../../../src/application/runs/plan-cache.ts';
import type { WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import { toolStep } from '../../support/workflow/graphs.ts';

/** A definition as a store gives it back: equal, and a new object each time. */
function read(id: string): WorkflowDefinition {
  const steps = [toolStep('a'), toolStep('b', ['a'])];
  return { id, name: '', description: '', steps, layers: [['a'], ['b']], warnings: [], createdAt: '' };
}

describe('the plans of definitions', () => {
  test('are one for all runs of a workflow that are under way', () => {
    const plans = createPlanCache();
    const first = plans.acquire(read('w'));
    const second = plans.acquire(read('w'));
    expect(second).toBe(first);
    plans.release(first);
    expect(plans.acquire(read('w'))).toBe(first);
    expect(plans.acquire(read('other'))).not.toBe(first);
  });

  test('are not kept once no run needs them', () => {
    const plans = createPlanCache();
    const first = plans.acquire(read('w'));
    plans.acquire(read('w'));
    plans.release(first);
    plans.release(first);
    expect(plans.acquire(read('w'))).not.toBe(first);
  });

  test('of one and the same object are made once', () => {
    const plans = createPlanCache();
    const definition = read('w');
    const plan = plans.acquire(definition);
    plans.release(plan);
    expect(plans.acquire(definition)).toBe(plan);
    expect(plan.layers).toEqual([[0], [1]]);
  });
});
