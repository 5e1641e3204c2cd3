import { decomposeGoal } from '../../domain/routing/decomposition.ts';
import type { Decompose } from '../../ports/decompose.ts';

/** Splits a goal by the keywords of the agents. It is deterministic and never throws. */
export const decomposeByKeywords: Decompose = (goal, agents, { maxSubtasks }) => ({
  decomposition: 'keyword',
  ...decomposeGoal(goal, agents, maxSubtasks),
});
