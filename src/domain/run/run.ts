import type { JsonObject } from '../../lib/json/json.ts';
import type { Step, StepKind } from '../workflow/definition.ts';

/** How far a run of a workflow is. */
export const runStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

/** One of {@link runStatuses}. */
export type RunStatus = (typeof runStatuses)[number];

/** How far a step is; SKIPPED ones were never run. */
export const stepStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED'] as const;

/** One of {@link stepStatuses}. */
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
export interface RunSummary {
  readonly runId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly status: RunStatus;
  readonly background: boolean;
  readonly input: JsonObject;
  readonly error: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
}

/** One run of a workflow definition. `stepResults` stand in the order of the definition's steps. */
export interface Run extends RunSummary {
  readonly stepResults: readonly StepResult[];
}

/** What changes in an execution when it starts, after each layer, and when it ends. */
export interface RunChange {
  readonly status: RunStatus;
  readonly error: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
  /** Only the results that changed, with the index of their step in the definition. */
  readonly stepResults: readonly { readonly index: number; readonly result: StepResult }[];
}

/** The error of runs and steps that were cut short by a shutdown, or by the end of their process. */
export const INTERRUPTED = 'interrupted';

/** True for executions that change no more. */
export function hasEnded(status: RunStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED';
}

/** What a listing shows of an execution. */
export function summarizeRun(execution: Run): RunSummary {
  const { stepResults: _, ...summary } = execution;
  return summary;
}

/** What became of a step that was run. */
export interface StepOutcome {
  readonly attempts: number;
  /** Null exactly when the step failed. */
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** The results of all steps before any of them runs; `layers` holds the steps' numbers. */
export function pendingResults(steps: readonly Step[], layers: readonly (readonly number[])[]): StepResult[] {
  const layerOf = new Array<number>(steps.length).fill(0);
  for (const [layer, numbers] of layers.entries()) for (const number of numbers) layerOf[number] = layer;
  return steps.map(({ id, kind }, number) =>
    result(id, kind, 'PENDING', layerOf[number] ?? 0, 0, null, null, null, null, null),
  );
}

/** The result of a step that is about to run. */
export function runningResult({ stepId, kind, layer }: StepResult, startedAt: string): StepResult {
  return result(stepId, kind, 'RUNNING', layer, 0, null, null, startedAt, null, null);
}

/** The result of a step that was run. */
export function finishedResult(
  before: StepResult,
  end: StepOutcome,
  startedAt: string,
  completedAt: string,
): StepResult {
  const { stepId, kind, layer } = before;
  const { attempts, output, error, durationMs } = end;
  const status = output === null ? 'FAILED' : 'COMPLETED';
  return result(stepId, kind, status, layer, attempts, output, error, startedAt, completedAt, durationMs);
}

/** The result of a step that is never run. */
export function skippedResult({ stepId, kind, layer }: StepResult): StepResult {
  return result(stepId, kind, 'SKIPPED', layer, 0, null, null, null, null, null);
}

/**
 * What ends an execution whose process is gone: it is FAILED, `interrupted`, and so are the steps that were under
 * way, for nobody knows how far they came; what was not begun is SKIPPED (decisions, section 7). `at` is the time of
 * the recording.
 */
export function interruptRun(execution: Run, at: string): RunChange {
  const stepResults: { index: number; result: StepResult }[] = [];
  for (const [index, before] of execution.stepResults.entries()) {
    if (before.status === 'PENDING') stepResults.push({ index, result: skippedResult(before) });
    if (before.status === 'RUNNING') {
      const { stepId, kind, layer, attempts, startedAt } = before;
      stepResults.push({
        index,
        result: result(stepId, kind, 'FAILED', layer, attempts, null, INTERRUPTED, startedAt, at, null),
      });
    }
  }
  const { startedAt } = execution;
  return { status: 'FAILED', error: INTERRUPTED, startedAt, completedAt: at, durationMs: null, stepResults };
}

/** One literal for all results, so that the engine sees one shape. */
function result(
  stepId: string,
  kind: StepKind,
  status: StepStatus,
  layer: number,
  attempts: number,
  output: JsonObject | null,
  error: string | null,
  startedAt: string | null,
  completedAt: string | null,
  durationMs: number | null,
): StepResult {
  return { stepId, kind, status, layer, attempts, output, error, startedAt, completedAt, durationMs };
}
