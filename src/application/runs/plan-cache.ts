import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import { planWorkflow, type WorkflowPlan } from '../../domain/workflow/plan.ts';

/** The compiled plans of running workflows: all runs of one definition share one plan. */
export interface PlanCache {
  /** The plan of a definition, for one run. The run must release it. */
  acquire(definition: WorkflowDefinition): WorkflowPlan;
  /** Releases the plan of a run that has ended. */
  release(plan: WorkflowPlan): void;
}

/** Creates an empty cache. */
export function createPlanCache(): PlanCache {
  const inUse = new Map<string, { readonly plan: WorkflowPlan; runs: number }>();
  const compiled = new WeakMap<WorkflowDefinition, WorkflowPlan>();
  return {
    acquire(definition) {
      // Definitions are immutable, so the id identifies the plan.
      const entry = inUse.get(definition.id);
      if (entry !== undefined) {
        entry.runs++;
        return entry.plan;
      }
      const plan = compiled.get(definition) ?? planWorkflow(definition);
      compiled.set(definition, plan);
      inUse.set(definition.id, { plan, runs: 1 });
      return plan;
    },
    release({ definition }) {
      const entry = inUse.get(definition.id);
      if (entry === undefined) return;
      entry.runs--;
      if (entry.runs === 0) inUse.delete(definition.id);
    },
  };
}
