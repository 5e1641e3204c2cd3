import { conflict } from '../../../domain/errors.ts';
import { type Continued, completedItems, continuationOf } from '../../../domain/run/continuation.ts';
import { copiedSteps } from '../../../domain/run/control.ts';
import type { RunState } from '../../../domain/run/state.ts';
import { itemAt } from '../../../lib/array.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { Clock } from '../../../ports/clock.ts';
import { activate } from '../active-run.ts';
import type { PlanCache } from '../plan-cache.ts';
import { type ItemsLimits, itemsOf } from '../steps/step-rules.ts';

/**
 * What a new run goes on with of one that has ended: the items of a step, or without one everything that has not
 * completed. Throws `conflict` where the items of a step can no longer be told.
 */
export type ContinueRun = (state: RunState, stepId?: string) => Continued;

/** Creates {@link ContinueRun}. */
export function createContinueRun(plans: PlanCache, clock: Clock, limits: ItemsLimits): ContinueRun {
  return (state, stepId) => {
    const { shape, results } = state;
    const copied =
      stepId === undefined
        ? results.filter(({ status }) => status === 'COMPLETED')
        : copiedSteps(state, stepId).map((index) => itemAt(results, index));
    const plan = plans.acquire(shape.definition);
    try {
      const ended = activate(state, plan, clock);
      return continuationOf(state, stepId, copied, (index) => {
        const { id } = itemAt(shape.definition.steps, index);
        const items = itemsOf(ended, index, limits);
        // What was evaluated once is evaluated again over the same values, unless a limit is lower by now.
        if ('values' in items && items.values.length === completedItems(state, id)?.total)
          return items.values;
        throw conflict(`the items of step ${quote(id)} cannot be told any more`);
      });
    } finally {
      plans.release(plan);
    }
  };
}
