import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import { planWorkflow, type WorkflowPlan } from '../../domain/workflow/plan.ts';

/** Plans of the definitions that are run, so that any number of runs of one workflow holds it in memory once. */
export interface Plans {
  /** The plan of a definition, for one run. */
  take(definition: WorkflowDefinition): WorkflowPlan;
  /** Says that a run which took a plan has ended. */
  giveBack(plan: WorkflowPlan): void;
}

/** No plans yet. */
export function createPlans(): Plans {
  const inUse = new Map<string, { readonly plan: WorkflowPlan; runs: number }>();
  const made = new WeakMap<WorkflowDefinition, WorkflowPlan>();
  return {
    take(definition) {
      // Definitions are immutable, so whoever bears the same id is the same, however often it was read.
      const used = inUse.get(definition.id);
      if (used !== undefined) {
        used.runs++;
        return used.plan;
      }
      const plan = made.get(definition) ?? planWorkflow(definition);
      made.set(definition, plan);
      inUse.set(definition.id, { plan, runs: 1 });
      return plan;
    },
    giveBack({ definition }) {
      const used = inUse.get(definition.id);
      if (used === undefined) return;
      used.runs--;
      if (used.runs === 0) inUse.delete(definition.id);
    },
  };
}
