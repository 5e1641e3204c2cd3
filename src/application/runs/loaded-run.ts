import type { Limits } from '../../domain/limits.ts';
import type { StepIssue, StepRules } from '../../domain/run/layer.ts';
import type { RunState } from '../../domain/run/state.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import { type StepSources, stepPlanAt, type WorkflowPlan } from '../../domain/workflow/plan.ts';
import { InputError } from '../../domain/workflow/template.ts';
import { itemAt } from '../../lib/array.ts';
import { isYieldDue } from '../../lib/async/yield.ts';
import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import type { Clock, NewId } from '../../ports/clock.ts';

/** The items of a step, or the error why there are none. */
type StepItems = { readonly values: readonly JsonValue[] } | StepIssue;

/** A run in memory. Only its `Appender` changes it; the functions of this file remember what they evaluate. */
export interface LoadedRun {
  readonly state: Readonly<RunState>;
  readonly plan: WorkflowPlan;
  /** The values that expressions may refer to; outputs by the index of their step. */
  readonly sources: StepSources & { readonly outputs: (JsonObject | null)[] };
  /** Evaluated values, by the index of the step. */
  readonly evaluated: {
    /** The items of steps with `foreach` that have not ended. */
    readonly items: Map<number, StepItems>;
    readonly conditions: Map<number, boolean | StepIssue>;
    readonly waits: Map<number, { readonly until: number | null } | StepIssue>;
  };
}

/** Loads a run from its state. */
export function loadRun(state: RunState, plan: WorkflowPlan): LoadedRun {
  const outputs = state.results.map(({ output }) => output);
  return {
    state,
    plan,
    sources: { outputs, input: state.head.input, run: state },
    evaluated: { items: new Map(), conditions: new Map(), waits: new Map() },
  };
}

/** The limits of the items of a step. */
export type ItemsLimits = Pick<Limits, 'maxForeachItems' | 'maxInputBytes'>;

/** The rules of a run: its expressions, evaluated over the outputs so far. */
export function stepRules(
  run: LoadedRun,
  {
    clock,
    newId,
    hasInbox,
  }: { readonly clock: Pick<Clock, 'now'>; readonly newId: NewId; readonly hasInbox: boolean },
  limits: ItemsLimits & Pick<Limits, 'maxOutputBytes' | 'maxChildRuns'>,
): StepRules {
  const { plan, sources, evaluated } = run;
  let hasEvaluated = false;

  /** Evaluates a value once. */
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
    if (!evaluated.items.has(index)) hasEvaluated = true;
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
      // A duration counts from the start of the step, which is now.
      const isDuration = step.kind === 'approval' || (step.kind === 'wait' && step.until === undefined);
      return isDuration ? { until: untilOf(step, index, sources) } : known;
    },
    prepare(index) {
      if (itemAt(plan.definition.steps, index).foreach === undefined) waitOnce(index);
      else total(index);
    },
    shouldYield: () => isYieldDue() && hasEvaluated,
    output: () => {
      const { output } = plan;
      return output === null ? null : orIssue(() => output(sources, limits.maxOutputBytes));
    },
    maxOutputBytes: limits.maxOutputBytes,
    maxChildRuns: limits.maxChildRuns,
    newItemId: newId,
  };
}

/** The values that the templates of a step may refer to, with the item for one of its items. */
export function itemSources(
  run: LoadedRun,
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
 * The items of a step, evaluated once for each of its starts. A run that continues another one has the items of that.
 */
export function itemsOf(
  run: LoadedRun,
  index: number,
  { maxForeachItems, maxInputBytes }: ItemsLimits,
): StepItems {
  const { plan, sources, evaluated, state } = run;
  const known = evaluated.items.get(index);
  if (known !== undefined) return known;
  const { id } = itemAt(plan.definition.steps, index);
  const values = state.head.continues?.items[id];
  if (values !== undefined) return { values };
  const given = { maxItems: maxForeachItems, maxBytes: maxInputBytes };
  const found = orIssue(() => ({ values: stepPlanAt(plan, index).items(sources, given) ?? [] }));
  evaluated.items.set(index, found);
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
