import type { Limits } from '../../../domain/limits.ts';
import type { StepIssue, StepRules } from '../../../domain/run/steps/rules.ts';
import type { Step } from '../../../domain/workflow/definition.ts';
import { type StepSources, stepPlanAt } from '../../../domain/workflow/plan.ts';
import { InputError } from '../../../domain/workflow/template.ts';
import { itemAt } from '../../../lib/array.ts';
import { isYieldDue } from '../../../lib/async/yield.ts';
import type { Clock, NewId } from '../../../ports/clock.ts';
import type { ActiveRun, StepItems } from '../active-run.ts';

/** What {@link stepRules} works with. */
export interface StepRulesDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: NewId;
  /** Whether somebody can be asked. */
  readonly hasInbox: boolean;
  readonly limits: ItemsLimits & Pick<Limits, 'maxOutputBytes' | 'maxChildRuns'>;
}

/** The limits of the items of a step. */
export type ItemsLimits = Pick<Limits, 'maxForeachItems' | 'maxInputBytes'>;

/** The rules of a run: its expressions, evaluated over what its steps have returned so far. */
export function stepRules(run: ActiveRun, { clock, newId, hasInbox, limits }: StepRulesDeps): StepRules {
  const { plan, sources, evaluated } = run;
  let hasEvaluated = false;

  /** Evaluates a thing once. */
  function once<T>(known: Map<number, T>, index: number, evaluate: () => T): T {
    const before = known.get(index);
    if (before !== undefined) return before;
    hasEvaluated = true;
    const value = evaluate();
    known.set(index, value);
    return value;
  }

  function untilOf(step: Step, index: number, from: StepSources): number | null {
    const now = clock.now();
    if (step.kind === 'approval') return step.expiresInMs === undefined ? null : now + step.expiresInMs;
    return stepPlanAt(plan, index).until(from, now) ?? null;
  }

  function wait(index: number, item: number | undefined): { readonly until: number | null } | StepIssue {
    const step = itemAt(plan.definition.steps, index);
    if (step.kind === 'approval' && !hasInbox) return { error: 'nobody can be asked: the inbox is off' };
    hasEvaluated = true;
    return orIssue(() => {
      const from = itemSources(run, index, item, limits);
      stepPlanAt(plan, index).input(from, limits.maxInputBytes);
      stepPlanAt(plan, index).title(from);
      return { until: untilOf(step, index, from) };
    });
  }

  const waitOnce = (index: number) => once(evaluated.waits, index, () => wait(index, undefined));

  function total(index: number): number | StepIssue {
    if (!run.items.has(index)) hasEvaluated = true;
    const items = itemsOf(run, index, limits);
    return 'error' in items ? items : items.values.length;
  }

  return {
    holds: (index) =>
      once(evaluated.conditions, index, () => orIssue(() => stepPlanAt(plan, index).holds(sources))),
    total,
    wait(index, item) {
      if (item !== undefined) return wait(index, item);
      const known = waitOnce(index);
      if ('error' in known) return known;
      const step = itemAt(plan.definition.steps, index);
      // A time that counts from the start of the step does so from now.
      const counts = step.kind === 'approval' || (step.kind === 'wait' && step.until === undefined);
      return counts ? { until: untilOf(step, index, sources) } : known;
    },
    prepare(index) {
      if (itemAt(plan.definition.steps, index).foreach === undefined) waitOnce(index);
      else total(index);
    },
    isOverdue: () => isYieldDue() && hasEvaluated,
    output: () => {
      const { output } = plan;
      return output === null ? null : orIssue(() => output(sources, limits.maxOutputBytes));
    },
    maxOutputBytes: limits.maxOutputBytes,
    maxChildRuns: limits.maxChildRuns,
    newItemId: newId,
  };
}

/** What the templates of a step may refer to: those for one of its items with the item. */
export function itemSources(
  run: ActiveRun,
  index: number,
  item: number | undefined,
  limits: ItemsLimits,
): StepSources {
  if (item === undefined) return run.sources;
  const items = itemsOf(run, index, limits);
  if ('error' in items) throw new InputError(items.error);
  return { ...run.sources, item: { value: itemAt(items.values, item), index: item } };
}

/**
 * The items of a step, evaluated once for each of its starts; those of the run that it goes on with are as they were.
 */
export function itemsOf(
  run: ActiveRun,
  index: number,
  { maxForeachItems, maxInputBytes }: ItemsLimits,
): StepItems {
  const known = run.items.get(index);
  if (known !== undefined) return known;
  const { id } = itemAt(run.plan.definition.steps, index);
  const values = run.state.head.continues?.items[id];
  if (values !== undefined) return { values };
  const given = { maxItems: maxForeachItems, maxBytes: maxInputBytes };
  const found = orIssue(() => ({ values: stepPlanAt(run.plan, index).items(run.sources, given) ?? [] }));
  run.items.set(index, found);
  return found;
}

/** Evaluates templates or expressions. Where they cannot be resolved, the reason becomes the error of the step. */
export function orIssue<T>(evaluate: () => T): T | StepIssue {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof InputError) return { error: error.message };
    throw error;
  }
}
