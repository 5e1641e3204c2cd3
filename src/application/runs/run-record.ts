import {
  pendingResults,
  type Run,
  type RunChange,
  type StepResult,
  skippedResult,
} from '../../domain/run/run.ts';
import type { WorkflowPlan } from '../../domain/workflow/plan.ts';
import type { JsonObject } from '../../lib/json/json.ts';

/** The fields of a run that are known before it starts and never change. */
export interface RunHead {
  readonly runId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly background: boolean;
  readonly input: JsonObject;
  readonly createdAt: string;
}

/** Results that changed, with the indexes of their steps. */
export type Results = { readonly index: number; readonly result: StepResult }[];

interface Started {
  readonly startedAt: string;
}

/** The change that ends a run. */
export interface EndedChange extends RunChange {
  readonly durationMs: number;
}

/** A change of a run that continues. */
export function runningChange({ startedAt }: Started, stepResults: Results): RunChange {
  return { status: 'RUNNING', error: null, startedAt, completedAt: null, durationMs: null, stepResults };
}

/** The change that ends a run: COMPLETED without an error, else FAILED. */
export function endedChange(
  { startedAt }: Started,
  error: string | null,
  completedAt: string,
  durationMs: number,
  stepResults: Results,
): EndedChange {
  const status = error === null ? 'COMPLETED' : 'FAILED';
  return { status, error, startedAt, completedAt, durationMs, stepResults };
}

/** The change that ends a run which was accepted and never started, for the reason `error`. */
export function neverStartedChange(plan: WorkflowPlan, error: string, completedAt: string): EndedChange {
  const stepResults = pendingResults(plan.definition.steps, plan.layers).map((before, index) => ({
    index,
    result: skippedResult(before),
  }));
  return { status: 'FAILED', error, startedAt: null, completedAt, durationMs: 0, stepResults };
}

/** The record of a run that was accepted and has not started. */
export function pendingRun(head: RunHead, { definition, layers }: WorkflowPlan): Run {
  const change = {
    status: 'PENDING',
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
  } as const;
  return recordOf(head, change, pendingResults(definition.steps, layers));
}

/** The record of a run after a change, with all step results. */
export function recordOf(
  head: RunHead,
  change: Omit<RunChange, 'stepResults'>,
  stepResults: readonly StepResult[],
): Run {
  const { runId, workflowId, workflowName, background, input, createdAt } = head;
  const { status, error, startedAt, completedAt, durationMs } = change;
  return {
    runId,
    workflowId,
    workflowName,
    status,
    background,
    input,
    error,
    createdAt,
    startedAt,
    completedAt,
    durationMs,
    stepResults,
  };
}
