import { describe, expect, test } from 'vitest';
import { createPlans } from '../../../src/application/runs/plan-cache.ts';
import type { WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import { toolStep } from '../../support/workflow/graphs.ts';

/** A definition as a store gives it back: equal, and a new object each time. */
function read(id: string): WorkflowDefinition {
  const steps = [toolStep('a'), toolStep('b', ['a'])];
  return { id, name: '', description: '', steps, layers: [['a'], ['b']], warnings: [], createdAt: '' };
}

describe('the plans of definitions', () => {
  test('are one for all runs of a workflow that are under way', () => {
    const plans = createPlans();
    const first = plans.take(read('w'));
    const second = plans.take(read('w'));
    expect(second).toBe(first);
    plans.giveBack(first);
    expect(plans.take(read('w'))).toBe(first);
    expect(plans.take(read('other'))).not.toBe(first);
  });

  test('are not kept once no run needs them', () => {
    const plans = createPlans();
    const first = plans.take(read('w'));
    plans.take(read('w'));
    plans.giveBack(first);
    plans.giveBack(first);
    expect(plans.take(read('w'))).not.toBe(first);
  });

  test('of one and the same object are made once', () => {
    const plans = createPlans();
    const definition = read('w');
    const plan = plans.take(definition);
    plans.giveBack(plan);
    expect(plans.take(definition)).toBe(plan);
    expect(plan.layers).toEqual([[0], [1]]);
  });
});
