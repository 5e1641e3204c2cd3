import type { JsonObject } from '../../lib/json/json.ts';
import { hasAtMostCharacters } from '../../lib/text/characters.ts';
import { customerIdIssues } from '../message/message.ts';
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
  /** ISO 8601; null in records of before 0.8. */
  readonly completedAt: string | null;
}

/** Maximum length of a goal, in characters. */
const MAX_GOAL_LENGTH = 32_768;

/** The ends of a routed goal (specification, section 3). */
export const routingStatuses = ['completed', 'partial', 'failed'] as const;

/** One of {@link routingStatuses}. */
export type RoutingStatus = (typeof routingStatuses)[number];

/** Where the subtasks of a goal come from. */
export type Decomposition = 'explicit' | 'keyword' | 'llm';

/** The numbers of subtasks, by outcome. */
export interface SubTaskCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

/** A routed goal as listings show it. */
export interface RoutingSummary {
  readonly routingId: string;
  readonly goal: string;
  /** The customer whose data it has, by whom it is erased; null for none. */
  readonly customerId: string | null;
  readonly status: RoutingStatus;
  readonly decomposition: Decomposition;
  readonly subtaskCounts: SubTaskCounts;
  /** The clauses of the goal that no agent takes, in the order of the goal. */
  readonly unassigned: readonly string[];
  /** The reason for which there were no subtasks, or not all of them. The error of one subtask is in its result. */
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
  /**
   * The ids of the messages that its agents have forwarded to others: a trace of the goal has the id of its message.
   */
  readonly forwarded: readonly string[];
}

/** The decomposition of a goal of which nothing is dispatched. */
export interface RoutingPlan {
  readonly goal: string;
  readonly customerId: string | null;
  readonly decomposition: Decomposition;
  readonly subtasks: readonly PlannedSubTask[];
  /** The clauses of the goal that no agent takes, in the order of the goal. */
  readonly unassigned: readonly string[];
  /** The reason for which there are no subtasks, or not all of them; else null. */
  readonly error: string | null;
  readonly createdAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
}

/** A routed goal before its status is derived from its results. */
export type RoutingDraft = Omit<RoutingResult, 'status' | 'subtaskCounts'>;

/** Derives the status and the counts of a routed goal from its results. */
export function aggregate(draft: RoutingDraft): RoutingResult {
  const { routingId, goal, customerId, decomposition, unassigned, results, forwarded, error } = draft;
  const { createdAt, completedAt, durationMs } = draft;
  const subtaskCounts = countSubTasks(results);
  const status = routingStatus(subtaskCounts);
  return {
    routingId,
    goal,
    customerId,
    status,
    decomposition,
    subtaskCounts,
    unassigned,
    results,
    forwarded,
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
  const { results: _, forwarded: __, ...summary } = routing;
  return summary;
}

/** A stored summary of version 0.6 or later: one of 0.6 has no `unassigned`, one of 0.7 no `customerId`. */
export type StoredRoutingSummary = Omit<RoutingSummary, 'unassigned' | 'customerId'> &
  Partial<Pick<RoutingSummary, 'unassigned' | 'customerId'>>;

/** A stored result of version 0.6 or later. */
type StoredRouting = StoredRoutingSummary &
  Pick<RoutingResult, 'results'> &
  Partial<Pick<RoutingResult, 'forwarded'>>;

/** A stored summary as this version has it. */
export function upgradeSummary(stored: StoredRoutingSummary): RoutingSummary {
  return { ...stored, customerId: stored.customerId ?? null, unassigned: stored.unassigned ?? [] };
}

/** A stored result as this version has it: the subtasks of one of 0.6 have no `matched` and no `completedAt`. */
export function upgradeRouting(stored: StoredRouting): RoutingResult {
  const results = stored.results.map(
    (result: Omit<SubTaskResult, 'matched' | 'completedAt'> & Partial<SubTaskResult>) => ({
      ...result,
      matched: result.matched ?? [],
      completedAt: result.completedAt ?? null,
    }),
  );
  return { ...stored, ...upgradeSummary(stored), results, forwarded: stored.forwarded ?? [] };
}

/**
 * The ids of the traces that a goal may have made: the pipeline stores the trace of an agent's message under the id of
 * the message. Those of goals of version 0.7 are in the replies.
 */
export function traceIdsOf({ results, forwarded }: RoutingResult): readonly string[] {
  const ids = new Set(forwarded);
  for (const { taskId, agentName, output } of results) {
    ids.add(taskId);
    const traceId = agentName === PIPELINE_AGENT ? output?.['trace_id'] : undefined;
    if (typeof traceId === 'string') ids.add(traceId);
  }
  return [...ids];
}

/**
 * The customer of a goal that names none: the one whom the payloads of its subtasks for the pipeline name. Null where
 * they name several, or none.
 */
export function customerOfSubtasks(subtasks: readonly SubTask[]): string | null {
  const named = new Set(
    subtasks.flatMap(({ agentName, payload }) => {
      const customerId = agentName === PIPELINE_AGENT ? payload['customer_id'] : undefined;
      return typeof customerId === 'string' && customerIdIssues(customerId).length === 0 ? [customerId] : [];
    }),
  );
  const [customerId] = named;
  return named.size === 1 ? (customerId ?? null) : null;
}

/** The built-in agent that runs messages through the pipeline. */
const PIPELINE_AGENT = 'support_pipeline';

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
