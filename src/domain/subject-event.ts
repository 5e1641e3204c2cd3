import type { InboxEventType, ItemKind } from './inbox/item.ts';
import type { DecisionSource, Disposition, RecordedIntent, ToolStatus } from './message/message.ts';
import type { PipelineState, StageName } from './message/pipeline.ts';
import type { RoutingStatus } from './routing/routing.ts';
import type { WaitKind } from './run/run.ts';
import type { FireSkipReason } from './schedule/schedule.ts';
import type { StepKind } from './workflow/definition.ts';

/** The kinds of subjects of events. */
export const subjectKinds = ['execution', 'message', 'routing', 'inbox', 'workflow', 'schedule'] as const;

/** One of {@link subjectKinds}. */
export type SubjectKind = (typeof subjectKinds)[number];

/** The record that an event belongs to. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
  /** The id of its workflow; given exactly for executions. */
  readonly workflowId?: string;
}

/** The reasons for which a step was not run, or did not end by itself. */
export type SkipReason = 'failed_before' | 'condition' | 'cancelled';

/** The end of a step. */
export interface StepEnd {
  readonly stepId: string;
  /** Calls of the tool or agent, those before a retry of the run included. */
  readonly attempts: number;
  /** Null where the process of the step is gone. */
  readonly durationMs: number | null;
}

/**
 * The data of each type of event, as streams, feeds and listings show it: without inputs, outputs and the texts of
 * messages.
 */
export interface SubjectEventData extends Record<InboxEventType, InboxEventData> {
  'pipeline.transition': {
    readonly from: PipelineState | null;
    readonly to: PipelineState;
    readonly durationMs: number;
  };
  'stage.decided': { readonly stage: StageName; readonly source: DecisionSource; readonly summary: string };
  'tool.executed': {
    readonly toolName: string;
    readonly status: ToolStatus;
    readonly attempts: number;
    readonly error: string | null;
    readonly durationMs: number;
  };
  'message.escalated': { readonly reasons: readonly string[] };
  'message.finished': {
    readonly status: 'COMPLETED' | 'FAILED';
    readonly intent: RecordedIntent;
    readonly confidence: number;
    readonly escalated: boolean;
    readonly disposition: Disposition;
    readonly error: string | null;
    readonly durationMs: number;
  };
  'execution.created': {
    readonly workflowName: string;
    readonly version: number;
    readonly background: boolean;
    readonly origin: RunOrigin;
  };
  'execution.started': { readonly attempt: number };
  'layer.started': { readonly layer: number; readonly steps: readonly string[] };
  'step.started': {
    readonly stepId: string;
    readonly kind: StepKind;
    readonly layer: number;
    readonly attempt: number;
  };
  'step.retrying': {
    readonly stepId: string;
    readonly attempt: number;
    readonly error: string;
    readonly delayMs: number;
  };
  /** The number of ended items of a step, and of those that have failed. At most 4 events a second. */
  'step.progress': {
    readonly stepId: string;
    readonly done: number;
    readonly failed: number;
    readonly total: number;
  };
  /** `until` is in ISO 8601; null for a wait that does not end by itself. */
  'step.waiting': { readonly stepId: string; readonly for: WaitKind; readonly until: string | null };
  /**
   * `copied`: the output is that of the run which this one reruns. `durationMs` is null where a person has said that
   * the step has completed. `error`: why it failed, for a step that counts as completed all the same.
   */
  'step.completed': StepEnd & { readonly copied?: true; readonly error?: string };
  'step.failed': StepEnd & { readonly error: string };
  'step.skipped': { readonly stepId: string; readonly why: SkipReason };
  'step.cancelled': StepEnd & { readonly why: 'cancelled' };
  /** Nothing is left to do before a wait ends. */
  'execution.waiting': { readonly for: readonly WaitKind[] };
  'execution.resumed': { readonly by: string };
  'execution.cancel_requested': { readonly by: string; readonly reason: string | null };
  'execution.retried': { readonly by: string; readonly attempt: number; readonly steps: readonly string[] };
  /** `unknownSteps`: the steps that were under way and whose effects nobody knows. */
  'execution.recovered': {
    readonly recoveries: number;
    readonly recoveriesWithoutProgress: number;
    readonly unknownSteps: readonly string[];
  };
  'execution.completed': { readonly error: null; readonly durationMs: number };
  'execution.failed': { readonly error: string; readonly durationMs: number | null };
  'execution.cancelled': { readonly error: string; readonly durationMs: number | null };
  'routing.started': { readonly goalLength: number; readonly subtasks: number };
  'subtask.completed': SubTaskEnd;
  'subtask.failed': SubTaskEnd & { readonly error: string };
  'routing.finished': {
    readonly status: RoutingStatus;
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    readonly error: string | null;
    readonly durationMs: number;
  };
  'workflow.created': { readonly name: string };
  'workflow.updated': { readonly name: string };
  'workflow.deleted': { readonly name: string };
  /** `dueAt` is the fire time in ISO 8601; null for a run that a client triggered. */
  'schedule.fired': {
    readonly workflowId: string;
    readonly executionId: string;
    readonly dueAt: string | null;
  };
  'schedule.skipped': {
    readonly workflowId: string;
    readonly dueAt: string | null;
    readonly reason: FireSkipReason;
  };
}

/** The change of an inbox item. */
export interface InboxEventData {
  readonly itemKind: ItemKind;
  /** The person who did it; `service` for acts of the service itself. */
  readonly by: string;
  readonly outcome?: string;
}

/** The end of a subtask. */
export interface SubTaskEnd {
  readonly taskId: string;
  readonly agentName: string;
  readonly durationMs: number;
}

/** The origins of a run. */
export const runOrigins = ['api', 'rerun', 'workflow', 'schedule'] as const;

/** One of {@link runOrigins}. */
export type RunOrigin = (typeof runOrigins)[number];

/** The type of an event. */
export type SubjectEventType = keyof SubjectEventData;

/** An event of a record, as clients see it. */
export type SubjectEvent<T extends SubjectEventType = SubjectEventType> = {
  readonly [Type in T]: {
    /** 1, 2, 3 … without gaps within the subject. */
    readonly seq: number;
    readonly type: Type;
    /** Wall-clock time in milliseconds since the epoch. */
    readonly at: number;
    readonly subject: Subject;
    readonly data: SubjectEventData[Type];
  };
}[T];

/** A part of the events of one subject, oldest first. */
export interface SubjectEvents {
  readonly events: readonly SubjectEvent[];
  /** The number of the last event of the subject. */
  readonly lastSeq: number;
  /** True once the subject has ended: no event comes after `lastSeq` unless a run is retried. */
  readonly ended: boolean;
}

/** Where the events of one subject are read. */
export interface EventSource {
  /** At most `limit` events after the number `after`. */
  read(after: number, limit: number): Promise<SubjectEvents>;
  /**
   * Resolves once there is an event after the number `after`, the subject has ended or is gone, or `signal` is aborted.
   */
  changed(after: number, signal: AbortSignal): Promise<void>;
}
