import type { SubTask } from '../domain/routing/routing.ts';
import type { Awaitable } from '../lib/async/awaitable.ts';
import type { Agent } from './agent.ts';
import type { StageContext } from './stages.ts';

/** The result of decomposing a goal, and how it was decomposed. */
export interface Decomposed {
  readonly decomposition: 'keyword' | 'llm';
  readonly subtasks: readonly DecomposedSubTask[];
  /** The parts of the goal that no agent takes; none when absent. */
  readonly unassigned?: readonly string[];
}

/** A subtask that a decomposer created. */
export interface DecomposedSubTask extends SubTask {
  /** The words of the goal by which its agent was chosen; none when absent. */
  readonly matched?: readonly string[];
}

/** The context that a decomposer receives with the goal and the agents. */
export interface DecomposeContext extends StageContext {
  /** Maximum number of subtasks that are dispatched. Further ones are ignored. */
  readonly maxSubtasks: number;
}

/** Splits a goal into subtasks for the registered agents. An error ends the routing run as failed. */
export type Decompose = (
  goal: string,
  agents: readonly Pick<Agent, 'name' | 'description' | 'keywords' | 'inputSchema'>[],
  context: DecomposeContext,
) => Awaitable<Decomposed>;
