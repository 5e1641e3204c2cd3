import type { JsonObject } from '../../lib/json/json.ts';
import { hasAtMostCharacters } from '../../lib/text/characters.ts';
import type { RecordFilter } from '../record-filter.ts';

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

/** A subtask of a decomposed goal. */
export interface PlannedSubTask extends SubTask {
  /** The words of the goal by which its agent was chosen: the agent's keywords as the goal has them. */
  readonly matched: readonly string[];
}

/** The outcome of a subtask. */
export interface SubTaskResult extends PlannedSubTask {
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
  /** The clauses of the goal that no agent takes, in the order of the goal. */
  readonly unassigned: readonly string[];
  /** Why there were no subtasks, or not all of them. The error of one subtask is in its result. */
  readonly error: string | null;
  readonly createdAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
}

/** Which routed goals a listing includes: those that fit every member that is given. */
export interface RoutingFilter extends Pick<RecordFilter, 'since' | 'until'> {
  readonly statuses?: readonly RoutingStatus[] | undefined;
}

/** A routed goal with the results of its subtasks in order (specification, section 3). */
export interface RoutingResult extends RoutingSummary {
  readonly results: readonly SubTaskResult[];
}

/** The decomposition of a goal of which nothing is dispatched. */
export interface RoutingPlan {
  readonly goal: string;
  readonly decomposition: Decomposition;
  readonly subtasks: readonly PlannedSubTask[];
  /** The clauses of the goal that no agent takes, in the order of the goal. */
  readonly unassigned: readonly string[];
  /** Why there are no subtasks, or not all of them; else null. */
  readonly error: string | null;
  readonly createdAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
}

/** A routed goal before its status is derived from its results. */
export type RoutingDraft = Omit<RoutingResult, 'status' | 'subtaskCounts'>;

/** Derives the status and the counts of a routed goal from its results. */
export function aggregate(draft: RoutingDraft): RoutingResult {
  const { routingId, goal, decomposition, unassigned, results, error } = draft;
  const { createdAt, completedAt, durationMs } = draft;
  const subtaskCounts = countSubTasks(results);
  const status = routingStatus(subtaskCounts);
  return {
    routingId,
    goal,
    status,
    decomposition,
    subtaskCounts,
    unassigned,
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

/** A stored record of version 0.6 or later. */
type Stored<T extends RoutingSummary> = Omit<T, 'unassigned'> & Partial<Pick<T, 'unassigned'>>;

/** A stored summary as this version has it: one of 0.6 has no `unassigned`. */
export function upgradeSummary(stored: Stored<RoutingSummary>): RoutingSummary {
  return { ...stored, unassigned: stored.unassigned ?? [] };
}

/** A stored result as this version has it: one of 0.6 has no `unassigned`, and its subtasks have no `matched`. */
export function upgradeRouting(stored: Stored<RoutingResult>): RoutingResult {
  const results = stored.results.map((result: Omit<SubTaskResult, 'matched'> & Partial<SubTaskResult>) => ({
    ...result,
    matched: result.matched ?? [],
  }));
  return { ...stored, unassigned: stored.unassigned ?? [], results };
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
