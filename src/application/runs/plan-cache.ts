import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { ExpressionLanguage } from '../../domain/workflow/expression.ts';
import { planWorkflow, type WorkflowPlan } from '../../domain/workflow/plan.ts';
import { isEqualJson } from '../../lib/json/equal.ts';
import { quote } from '../../lib/text/quote.ts';

/**
 * The plans of workflows: all runs of one definition share one plan, with its parsed expressions. Those that ran last keep
 * theirs when no run needs it, within {@link MAX_IDLE_SIZE}.
 */
export interface PlanCache {
  /** The plan of a definition, for one run. The run must release it. */
  acquire(definition: WorkflowDefinition): WorkflowPlan;
  /** Releases the plan of a run that has ended. Throws for a plan that no run has. */
  release(plan: WorkflowPlan): void;
}

/**
 * How large all definitions may be together whose plans are kept without a run, in characters of JSON. A plan takes about
 * ten times as much memory; where most of a definition is expressions, up to eighty times, once they are parsed.
 */
export const MAX_IDLE_SIZE = 1024 * 1024;

interface Entry {
  readonly key: string;
  readonly plan: WorkflowPlan;
  /** The size of the definition, in characters of JSON. */
  readonly size: number;
  runs: number;
}

/** Creates an empty cache. */
export function createPlanCache(expressions: ExpressionLanguage): PlanCache {
  /** Those with a key, which are several only where definitions with different content have the same one. */
  const entries = new Map<string, readonly Entry[]>();
  /** Those without a run, in the order in which the last one ended. */
  const idle = new Set<Entry>();
  let idleSize = 0;

  function add(key: string, definition: WorkflowDefinition): Entry {
    const { length: size } = JSON.stringify(definition);
    const entry = { key, plan: planWorkflow(definition, expressions), size, runs: 0 };
    entries.set(key, [...(entries.get(key) ?? []), entry]);
    return entry;
  }

  function remove(entry: Entry): void {
    const others = entries.get(entry.key)?.filter((other) => other !== entry) ?? [];
    if (others.length === 0) entries.delete(entry.key);
    else entries.set(entry.key, others);
  }

  function endIdle(entry: Entry): void {
    if (idle.delete(entry)) idleSize -= entry.size;
  }

  function keepIdle(entry: Entry): void {
    idle.add(entry);
    idleSize += entry.size;
    for (const oldest of idle) {
      if (idleSize <= MAX_IDLE_SIZE) return;
      endIdle(oldest);
      remove(oldest);
    }
  }

  return {
    acquire(definition) {
      const key = keyOf(definition);
      const known = entries.get(key)?.find(({ plan }) => isEqualJson(plan.definition, definition));
      const entry = known ?? add(key, definition);
      endIdle(entry);
      entry.runs++;
      return entry.plan;
    },
    release(plan) {
      const key = keyOf(plan.definition);
      const entry = entries.get(key)?.find((other) => other.plan === plan);
      if (entry === undefined || entry.runs === 0) {
        throw new Error(`no run has the plan of the workflow ${quote(plan.definition.id)}`);
      }
      entry.runs--;
      if (entry.runs === 0) keepIdle(entry);
    },
  };
}

/**
 * Finds the plans that a definition may have. It does not identify one: a caller may use the id of a deleted workflow again,
 * in the same millisecond.
 */
function keyOf({ id, version, createdAt }: WorkflowDefinition): string {
  return `${version}:${createdAt}:${id}`;
}
