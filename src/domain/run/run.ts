import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Step, StepKind } from '../workflow/definition.ts';

/** The states of a workflow run. */
export const runStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

/** One of {@link runStatuses}. */
export type RunStatus = (typeof runStatuses)[number];

/** The states of a step. A SKIPPED step was never run. */
export const stepStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED'] as const;

/** One of {@link stepStatuses}. */
export type StepStatus = (typeof stepStatuses)[number];

/** The state and result of a step, alike for tool and agent steps (specification, section 2). */
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

/** A run as listings show it. */
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

/** One run of a workflow definition. `stepResults` have the order of the definition's steps. */
export interface Run extends RunSummary {
  readonly stepResults: readonly StepResult[];
}

/** A change of a run: when it starts, after each layer, and when it ends. */
export interface RunChange {
  readonly status: RunStatus;
  readonly error: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
  /** Only the results that changed, with the index of their step in the definition. */
  readonly stepResults: readonly { readonly index: number; readonly result: StepResult }[];
}

/** The error of runs and steps that a shutdown or the loss of their process interrupted. */
export const INTERRUPTED = 'interrupted';

/** True for runs that have ended and no longer change. */
export function hasEnded(status: RunStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED';
}

/** A run without the results of its steps. */
export function summarizeRun(run: Run): RunSummary {
  const { stepResults: _, ...summary } = run;
  return summary;
}

/** The outcome of a step that was run. */
export interface StepOutcome {
  readonly attempts: number;
  /** Null exactly when the step failed. */
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** The results of all steps before any of them runs. `layers` contains the indexes of the steps. */
export function pendingResults(steps: readonly Step[], layers: readonly (readonly number[])[]): StepResult[] {
  const layerOf = new Array<number>(steps.length);
  for (const [layer, indexes] of layers.entries()) for (const index of indexes) layerOf[index] = layer;
  return steps.map(({ id, kind }, index) =>
    unfinishedResult({ stepId: id, kind, layer: itemAt(layerOf, index) }, 'PENDING', null),
  );
}

/** The result of a step that is about to run. */
export function runningResult(pending: StepResult, startedAt: string): StepResult {
  return unfinishedResult(pending, 'RUNNING', startedAt);
}

/** The result of a step that was run: FAILED when the outcome has no output. */
export function finishedResult(
  { stepId, kind, layer }: StepResult,
  { attempts, output, error, durationMs }: StepOutcome,
  startedAt: string,
  completedAt: string,
): StepResult {
  const status = output === null ? 'FAILED' : 'COMPLETED';
  return { stepId, kind, status, layer, attempts, output, error, startedAt, completedAt, durationMs };
}

/** The result of a step that is never run. */
export function skippedResult(before: StepResult): StepResult {
  return unfinishedResult(before, 'SKIPPED', null);
}

/**
 * The change that ends a run whose process is gone: the run and its RUNNING steps are FAILED with `interrupted`, since
 * their effects are unknown, and its PENDING steps are SKIPPED (decisions, section 7). `at` is the time of recording.
 */
export function interruptRun(run: Run, at: string): RunChange {
  const stepResults: { index: number; result: StepResult }[] = [];
  for (const [index, before] of run.stepResults.entries()) {
    if (before.status === 'PENDING') stepResults.push({ index, result: skippedResult(before) });
    if (before.status === 'RUNNING') stepResults.push({ index, result: interruptedResult(before, at) });
  }
  const { startedAt } = run;
  return { status: 'FAILED', error: INTERRUPTED, startedAt, completedAt: at, durationMs: null, stepResults };
}

function interruptedResult(before: StepResult, completedAt: string): StepResult {
  return { ...before, status: 'FAILED', output: null, error: INTERRUPTED, completedAt, durationMs: null };
}

function unfinishedResult(
  { stepId, kind, layer }: Pick<StepResult, 'stepId' | 'kind' | 'layer'>,
  status: 'PENDING' | 'RUNNING' | 'SKIPPED',
  startedAt: string | null,
): StepResult {
  return {
    stepId,
    kind,
    status,
    layer,
    attempts: 0,
    output: null,
    error: null,
    startedAt,
    completedAt: null,
    durationMs: null,
  };
}
