import type { JsonObject } from './json.ts';
import type { StepKind } from './workflow.ts';

export const executionStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

export type ExecutionStatus = (typeof executionStatuses)[number];

export const stepStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED'] as const;

export type StepStatus = (typeof stepStatuses)[number];

/** What became of a step; the same for tool and agent steps (specification, section 2). */
export interface StepResult {
  readonly stepId: string;
  readonly kind: StepKind;
  readonly status: StepStatus;
  /** Index of the layer that the step runs in, from 0. */
  readonly layer: number;
  readonly attempts: number;
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
}

/** What a listing shows of an execution. */
export interface ExecutionSummary {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly status: ExecutionStatus;
  readonly background: boolean;
  readonly input: JsonObject;
  readonly error: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
}

/** One run of a workflow definition. `stepResults` stand in the order of the definition's steps. */
export interface Execution extends ExecutionSummary {
  readonly stepResults: readonly StepResult[];
}

/** What changes in an execution when it starts, after each layer, and when it ends. */
export interface ExecutionChange {
  readonly status: ExecutionStatus;
  readonly error: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
  /** Only the results that changed, with the index of their step in the definition. */
  readonly stepResults: readonly { readonly index: number; readonly result: StepResult }[];
}
