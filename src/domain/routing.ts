import type { JsonObject } from './json.ts';

/** A message over the agent bus (specification, section 2). */
export interface AgentMessage {
  readonly id: string;
  readonly sender: string;
  /** Name of the agent that it is for. */
  readonly recipient: string;
  readonly payload: JsonObject;
  readonly createdAt: string;
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

export const routingStatuses = ['completed', 'partial', 'failed'] as const;

export type RoutingStatus = (typeof routingStatuses)[number];

/** How the subtasks of a goal came about. */
export type Decomposition = 'explicit' | 'keyword' | 'llm';

/** What a listing shows of a routed goal. */
export interface RoutingSummary {
  readonly routingId: string;
  readonly goal: string;
  readonly status: RoutingStatus;
  readonly decomposition: Decomposition;
  readonly subtaskCounts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly error: string | null;
  readonly createdAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
}

/** A routed goal: its subtasks' results in order, aggregated (specification, section 3). */
export interface RoutingResult extends RoutingSummary {
  readonly results: readonly SubTaskResult[];
}
