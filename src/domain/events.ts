import type { JsonObject } from '../lib/json/json.ts';
import type { InboxChanged, InboxOverdue } from './inbox/inbox-events.ts';
import type { Concern, DecisionSource, Disposition, RecordedIntent, ToolOutcome } from './message/message.ts';
import type { PipelineState, StageName } from './message/pipeline.ts';
import type { RoutingStatus } from './routing/routing.ts';
import type { RunEvent } from './run/events.ts';
import type { ScheduleFired, ScheduleSkipped } from './schedule/schedule-events.ts';
import type { StepKind } from './workflow/definition.ts';

/** The pipeline of a message changed its state; `from` is null for the first event of a message. */
export interface PipelineTransition {
  readonly type: 'pipeline.transition';
  readonly traceId: string;
  /** 1, 2, 3 … without gaps within the message. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  readonly from: PipelineState | null;
  readonly to: PipelineState;
  /** Milliseconds spent in `from`. */
  readonly durationMs: number;
}

/** A tool call ended, with success or an error, whether a message, a workflow or an embedder asked for it. */
export interface ToolExecuted {
  readonly type: 'tool.executed';
  /** The message that asked for it; absent for all other calls. */
  readonly traceId?: string | undefined;
  /** 1, 2, 3 … without gaps within that message; absent for all other calls. */
  readonly seq?: number | undefined;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  /** False when no tool of that name is registered: then the name is any text from the caller. */
  readonly registered: boolean;
  readonly outcome: ToolOutcome;
}

/** A stage of the pipeline made its decision. */
export interface StageDecided {
  readonly type: 'agent.decided';
  readonly traceId: string;
  /** 1, 2, 3 … without gaps within the message. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  readonly agent: StageName;
  readonly source: DecisionSource;
  readonly summary: string;
  readonly data: JsonObject;
}

/** The verifier escalated a message to a person. */
export interface MessageEscalated {
  readonly type: 'message.escalated';
  readonly traceId: string;
  /** 1, 2, 3 … without gaps within the message. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  readonly reasons: readonly string[];
}

/** The pipeline of a message ended and its trace is complete. */
export interface MessageFinished {
  readonly type: 'message.finished';
  readonly traceId: string;
  /** 1, 2, 3 … without gaps within the message. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  readonly status: 'COMPLETED' | 'FAILED';
  readonly intent: RecordedIntent;
  readonly confidence: number;
  readonly escalated: boolean;
  readonly disposition: Disposition;
  readonly concerns: readonly Concern[];
  readonly response: string;
  /** `<category>: <safe text>` of a FAILED message, else null. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** A step of a workflow run ended. */
export interface StepFinished {
  readonly type: 'step.finished';
  readonly runId: string;
  readonly stepId: string;
  readonly kind: StepKind;
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly error: string | null;
  readonly durationMs: number;
}

/** A workflow run ended and its record is complete. */
export interface RunFinished {
  readonly type: 'run.finished';
  readonly runId: string;
  readonly workflowId: string;
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly error: string | null;
  /** The person who asked for the end of a CANCELLED run, else null. */
  readonly cancelledBy: string | null;
  readonly durationMs: number;
}

/**
 * This process stopped running a run that has not ended. `handed_over`: it was given up for another process at a
 * shutdown; `lost`: another process has claimed it.
 */
export interface RunReleased {
  readonly type: 'run.released';
  readonly runId: string;
  readonly workflowId: string;
  readonly reason: 'handed_over' | 'lost';
}

/** Events were appended to the log of a run, in this order. */
export interface RunAppended {
  readonly type: 'run.appended';
  readonly runId: string;
  readonly workflowId: string;
  readonly events: readonly RunEvent[];
}

/** The subtasks of a goal are known, and are about to be dispatched. */
export interface RoutingStarted {
  readonly type: 'routing.started';
  readonly routingId: string;
  /** Always 1. */
  readonly seq: number;
  /** When the goal was received: wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  /** Characters of the goal. */
  readonly goalLength: number;
  readonly subtasks: number;
}

/** A subtask of a routed goal ended. */
export interface SubTaskFinished {
  readonly type: 'subtask.finished';
  readonly routingId: string;
  /** The position of the subtask, beginning with 2: subtasks may end in another order. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  readonly taskId: string;
  readonly agentName: string;
  readonly status: 'completed' | 'failed';
  readonly error: string | null;
  readonly durationMs: number;
}

/** A routed goal ended and its result is aggregated. */
export interface RoutingFinished {
  readonly type: 'routing.finished';
  readonly routingId: string;
  /** The number of the last event of the goal. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  readonly status: RoutingStatus;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly error: string | null;
  readonly durationMs: number;
}

/** A workflow definition was created. */
export interface WorkflowCreated {
  readonly type: 'workflow.created';
  readonly workflowId: string;
  readonly name: string;
  /** Always 1. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
}

/** A workflow got a new version. */
export interface WorkflowUpdated {
  readonly type: 'workflow.updated';
  readonly workflowId: string;
  /** The name of the new version. */
  readonly name: string;
  /** The number of the new version. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
}

/** A workflow definition was deleted, with all its versions. */
export interface WorkflowDeleted {
  readonly type: 'workflow.deleted';
  readonly workflowId: string;
  readonly name: string;
  /** One more than the number of its newest version. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Everything that happens in the core. Each event is emitted once; traces, metrics and log lines are built from them.
 */
export type OrchestrationEvent =
  | PipelineTransition
  | ToolExecuted
  | StageDecided
  | MessageEscalated
  | MessageFinished
  | StepFinished
  | RunFinished
  | RunReleased
  | RunAppended
  | RoutingStarted
  | SubTaskFinished
  | RoutingFinished
  | WorkflowCreated
  | WorkflowUpdated
  | WorkflowDeleted
  | ScheduleFired
  | ScheduleSkipped
  | InboxChanged
  | InboxOverdue;

/** Receives every event once, when it happens. It must return quickly and never throw. */
export type EventSink = (event: OrchestrationEvent) => void;
