import { subtasksByKeywords } from '../../domain/routing/decomposition.ts';
import type { Decompose } from '../../ports/decompose.ts';

/** Splits a goal by the keywords of the agents: deterministic, in need of nothing, and it never throws. */
export const decomposeByKeywords: Decompose = (goal, agents, { maxSubtasks }) => ({
  decomposition: 'keyword',
  subtasks: subtasksByKeywords(goal, agents, maxSubtasks),
});
