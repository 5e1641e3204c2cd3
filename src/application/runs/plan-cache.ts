import { definitionKey, type WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { ExpressionLanguage } from '../../domain/workflow/expression.ts';
import { planWorkflow, type WorkflowPlan } from '../../domain/workflow/plan.ts';
import { quote } from '../../lib/text/quote.ts';

/**
 * The plans of workflows: all runs of one version share one plan, with its parsed expressions. Those that ran last keep
 * theirs when no run needs it, within {@link MAX_IDLE_SIZE}.
 */
export interface PlanCache {
  /** About how many bytes of memory the plans take that runs need. */
  bytesInUse(): number;
  /** The plan of a definition, for one run. The run must release it. */
  acquire(definition: WorkflowDefinition): WorkflowPlan;
  /** Releases the plan of a run that has ended. Throws for a plan that no run has. */
  release(plan: WorkflowPlan): void;
}

/**
 * The size of all definitions together whose plans are kept without a run, in characters of JSON; the last one is kept
 * whatever its size. A plan takes about {@link BYTES_PER_CHARACTER} times as much memory; where most of a
 * definition is expressions, up to eighty times, once they are parsed.
 */
export const MAX_IDLE_SIZE = 1024 * 1024;

/** About how many bytes of memory a plan takes for each character of its definition. */
const BYTES_PER_CHARACTER = 10;

interface Entry {
  readonly plan: WorkflowPlan;
  /** The size of the definition, in characters of JSON. */
  readonly size: number;
  runs: number;
}

/** Creates an empty cache. */
export function createPlanCache(expressions: ExpressionLanguage): PlanCache {
  const inUse = new Map<string, Entry>();
  /** Those without a run, in the order in which the last one ended. */
  const idle = new Map<string, Entry>();
  let idleSize = 0;
  let usedSize = 0;

  /** The plan that no run uses, which is now used again. */
  function takeIdle(key: string): Entry | undefined {
    const entry = idle.get(key);
    if (entry === undefined) return undefined;
    idle.delete(key);
    idleSize -= entry.size;
    return entry;
  }

  function keepIdle(key: string, entry: Entry): void {
    idle.set(key, entry);
    idleSize += entry.size;
    for (const [oldest, { size }] of idle) {
      if (idleSize <= MAX_IDLE_SIZE || idle.size === 1) return;
      idle.delete(oldest);
      idleSize -= size;
    }
  }

  function create(definition: WorkflowDefinition): Entry {
    const { length: size } = JSON.stringify(definition);
    return { plan: planWorkflow(definition, expressions), size, runs: 0 };
  }

  return {
    bytesInUse: () => usedSize * BYTES_PER_CHARACTER,
    acquire(definition) {
      const key = definitionKey(definition);
      const entry = inUse.get(key) ?? takeIdle(key) ?? create(definition);
      inUse.set(key, entry);
      if (entry.runs === 0) usedSize += entry.size;
      entry.runs++;
      return entry.plan;
    },
    release(plan) {
      const key = definitionKey(plan.definition);
      const entry = inUse.get(key);
      if (entry?.plan !== plan) {
        throw new Error(`no run has the plan of the workflow ${quote(plan.definition.id)}`);
      }
      entry.runs--;
      if (entry.runs > 0) return;
      inUse.delete(key);
      usedSize -= entry.size;
      keepIdle(key, entry);
    },
  };
}
