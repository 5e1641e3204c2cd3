import type { JsonObject } from '../../lib/json/json.ts';
import { hasAtMostCharacters } from '../../lib/text/characters.ts';

/** A message over the agent bus, with the field names that agents rely on (decisions, section 4). */
export interface AgentMessage {
  readonly id: string;
  readonly sender: string;
  /** The name of the agent that receives it. */
  readonly recipient: string;
  readonly payload: JsonObject;
  readonly created_at: string;
}

/** A part of a goal for one agent. */
export interface SubTask {
  readonly agentName: string;
  readonly payload: JsonObject;
}

/** The outcome of a subtask. */
export interface SubTaskResult extends SubTask {
  readonly taskId: string;
  readonly status: 'completed' | 'failed';
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** Maximum length of a goal, in characters. */
const MAX_GOAL_LENGTH = 32_768;

/** How a routed goal ended (specification, section 3). */
export const routingStatuses = ['completed', 'partial', 'failed'] as const;

/** One of {@link routingStatuses}. */
export type RoutingStatus = (typeof routingStatuses)[number];

/** Where the subtasks of a goal come from. */
export type Decomposition = 'explicit' | 'keyword' | 'llm';

/** How many subtasks there were, by outcome. */
export interface SubTaskCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

/** A routed goal as listings show it. */
export interface RoutingSummary {
  readonly routingId: string;
  readonly goal: string;
  readonly status: RoutingStatus;
  readonly decomposition: Decomposition;
  readonly subtaskCounts: SubTaskCounts;
  /** Why there were no subtasks, or not all of them. The error of one subtask is in its result. */
  readonly error: string | null;
  readonly createdAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
}

/** A routed goal with the results of its subtasks in order (specification, section 3). */
export interface RoutingResult extends RoutingSummary {
  readonly results: readonly SubTaskResult[];
}

/** A routed goal before its status is derived from its results. */
export type RoutingDraft = Omit<RoutingResult, 'status' | 'subtaskCounts'>;

/** Derives the status and the counts of a routed goal from its results. */
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

/** `completed` when all subtasks succeeded, `partial` when some did, `failed` when none did or there were none. */
function routingStatus({ total, completed }: SubTaskCounts): RoutingStatus {
  if (completed === 0) return 'failed';
  return completed === total ? 'completed' : 'partial';
}

/** A routed goal without the results of its subtasks. */
export function summarizeRouting(routing: RoutingResult): RoutingSummary {
  const { results: _, ...summary } = routing;
  return summary;
}

/** The issues of a routing request, each as `field: problem`: the length of its goal, the number of its subtasks. */
export function routingIssues(goal: string, subtasks: number, maxSubtasks: number): string[] {
  const issues: string[] = [];
  if (goal.length === 0) issues.push('goal: must not be empty');
  if (!hasAtMostCharacters(goal, MAX_GOAL_LENGTH)) {
    issues.push(`goal: must be at most ${MAX_GOAL_LENGTH} characters`);
  }
  if (subtasks > maxSubtasks) issues.push(`subtasks: must be at most ${maxSubtasks}`);
  return issues;
}
