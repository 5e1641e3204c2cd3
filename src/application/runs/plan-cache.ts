import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { ExpressionLanguage } from '../../domain/workflow/expression.ts';
import { planWorkflow, type WorkflowPlan } from '../../domain/workflow/plan.ts';

/** The compiled plans of running workflows: all runs of one version share one plan. */
export interface PlanCache {
  /** The plan of a definition, for one run. The run must release it. */
  acquire(definition: WorkflowDefinition): WorkflowPlan;
  /** Releases the plan of a run that has ended. */
  release(plan: WorkflowPlan): void;
}

/** Creates an empty cache. */
export function createPlanCache(expressions: ExpressionLanguage): PlanCache {
  const inUse = new Map<string, { readonly plan: WorkflowPlan; runs: number }>();
  const compiled = new WeakMap<WorkflowDefinition, WorkflowPlan>();
  return {
    acquire(definition) {
      const key = keyOf(definition);
      const entry = inUse.get(key);
      if (entry !== undefined) {
        entry.runs++;
        return entry.plan;
      }
      const plan = compiled.get(definition) ?? planWorkflow(definition, expressions);
      compiled.set(definition, plan);
      inUse.set(key, { plan, runs: 1 });
      return plan;
    },
    release({ definition }) {
      const key = keyOf(definition);
      const entry = inUse.get(key);
      if (entry === undefined) return;
      entry.runs--;
      if (entry.runs === 0) inUse.delete(key);
    },
  };
}

/** Versions are immutable, so this identifies a plan. */
function keyOf({ id, version }: WorkflowDefinition): string {
  return `${version}:${id}`;
}
