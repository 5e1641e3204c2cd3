import type { JsonObject } from '../../lib/json/json.ts';

/** A message over the agent bus, with the fields that agents of others are promised (decisions, section 4). */
export interface AgentMessage {
  readonly id: string;
  readonly sender: string;
  /** Name of the agent that it is for. */
  readonly recipient: string;
  readonly payload: JsonObject;
  readonly created_at: string;
}

/** A part of a goal, for one agent. */
export interface SubTask {
  readonly agentName: string;
  readonly payload: JsonObject;
}

/** What became of a subtask. */
export interface SubTaskResult extends SubTask {
  readonly taskId: string;
  readonly status: 'completed' | 'failed';
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** The longest goal, in characters. */
const MAX_GOAL_LENGTH = 32_768;

/** How a routed goal ended (specification, section 3). */
export const routingStatuses = ['completed', 'partial', 'failed'] as const;

/** One of {@link routingStatuses}. */
export type RoutingStatus = (typeof routingStatuses)[number];

/** How the subtasks of a goal came about. */
export type Decomposition = 'explicit' | 'keyword' | 'llm';

/** How many subtasks there were, and what became of them. */
export interface SubTaskCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

/** What a listing shows of a routed goal. */
export interface RoutingSummary {
  readonly routingId: string;
  readonly goal: string;
  readonly status: RoutingStatus;
  readonly decomposition: Decomposition;
  readonly subtaskCounts: SubTaskCounts;
  /** Why there were no subtasks, or not all of them; what went wrong in one stands in its result. */
  readonly error: string | null;
  readonly createdAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
}

/** A routed goal: its subtasks' results in order, aggregated (specification, section 3). */
export interface RoutingResult extends RoutingSummary {
  readonly results: readonly SubTaskResult[];
}

/** A routed goal before its outcome is counted. */
export type RoutingDraft = Omit<RoutingResult, 'status' | 'subtaskCounts'>;

/** Aggregates the results of a routed goal. */
export function aggregate(draft: RoutingDraft): RoutingResult {
  const { routingId, goal, decomposition, results, error, createdAt, completedAt, durationMs } = draft;
  const subtaskCounts = countSubTasks(results);
  const status = routingStatus(subtaskCounts);
  return {
    routingId,
    goal,
    status,
    decomposition,
    subtaskCounts,
    results,
    error,
    createdAt,
    completedAt,
    durationMs,
  };
}

function countSubTasks(results: readonly SubTaskResult[]): SubTaskCounts {
  let completed = 0;
  for (const { status } of results) if (status === 'completed') completed++;
  return { total: results.length, completed, failed: results.length - completed };
}

/** `completed` where all subtasks succeeded, `partial` where some did, `failed` where none did or there were none. */
function routingStatus({ total, completed }: SubTaskCounts): RoutingStatus {
  if (completed === 0) return 'failed';
  return completed === total ? 'completed' : 'partial';
}

/** A routed goal without the results of its subtasks. */
export function summarizeRouting(routing: RoutingResult): RoutingSummary {
  const { results: _, ...summary } = routing;
  return summary;
}

/** What is wrong with a request to route: its goal's length and the number of its subtasks, all faults together. */
export function routingIssues(goal: string, subtasks: number, maxSubtasks: number): string[] {
  const faults: string[] = [];
  if (goal.length === 0) faults.push('goal: must not be empty');
  if (goal.length > MAX_GOAL_LENGTH) faults.push(`goal: must be at most ${MAX_GOAL_LENGTH} characters`);
  if (subtasks > maxSubtasks) faults.push(`subtasks: must be at most ${maxSubtasks}`);
  return faults;
}
