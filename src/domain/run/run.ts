import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Step, StepKind } from '../workflow/definition.ts';

/** The states of a workflow run. A WAITING one is run by no process until something from outside ends a wait. */
export const runStatuses = ['PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

/** One of {@link runStatuses}. */
export type RunStatus = (typeof runStatuses)[number];

/** The states of a step. A SKIPPED step was never run; a WAITING one has been, and something from outside ends it. */
export const stepStatuses = [
  'PENDING',
  'RUNNING',
  'WAITING',
  'COMPLETED',
  'FAILED',
  'SKIPPED',
  'CANCELLED',
] as const;

/** One of {@link stepStatuses}. */
export type StepStatus = (typeof stepStatuses)[number];

/** The state and result of a step, alike for tool and agent steps (specification, section 2). */
export interface StepResult {
  readonly stepId: string;
  readonly kind: StepKind;
  readonly status: StepStatus;
  /** Index of the layer that the step runs in, from 0. */
  readonly layer: number;
  /** Calls of the tool or agent, those before a retry of the run included. */
  readonly attempts: number;
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
}

/**
 * The kinds of waits: for the answer of a person, a time, the end of a child run; `recovery` is for the answer to the
 * question whether a step has happened.
 */
export const waitKinds = ['approval', 'wait', 'workflow', 'recovery'] as const;

/** One of {@link waitKinds}. */
export type WaitKind = (typeof waitKinds)[number];

/** Something that a run waits for. */
export interface Wait {
  readonly kind: WaitKind;
  readonly stepId: string;
  /** The id of the inbox item or of the child run that ends the wait, or any for a time. No other wait has it. */
  readonly itemId: string;
  /** When it ends by itself, in ISO 8601; null for never. */
  readonly until: string | null;
}

/** A run as listings show it. */
export interface RunSummary {
  readonly runId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  /** The version of the definition. */
  readonly version: number;
  readonly status: RunStatus;
  readonly background: boolean;
  readonly input: JsonObject;
  readonly error: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly durationMs: number | null;
  /** 1, and one more for each retry. */
  readonly attempt: number;
  /** The number of times that it was continued after a crash with a step under way. */
  readonly recoveries: number;
  /** The same since a step completed last, or since the last retry: beyond a limit of these the run is given up. */
  readonly recoveriesWithoutProgress: number;
  /**
   * True for a FAILED run that gave up: its process was lost too often without a step that completed. Clients call it
   * parked. Absent for any other.
   */
  readonly gaveUp?: true | undefined;
  /** The run that this one reruns, or null. */
  readonly rerunOf: string | null;
  /** The run whose step has started this one, or null. */
  readonly parentRunId: string | null;
  /** The customer whose data it has, by whom it is erased; null for none. */
  readonly customerId: string | null;
  /** Where its definition stands within that of its workflow: see `WorkflowDefinition`. Absent for the whole. */
  readonly chain?: string | undefined;
  /** The output of a completed run whose definition has one; else null. */
  readonly output: JsonObject | null;
  /** The open waits of its steps, also while others of them are under way. */
  readonly waitingFor: readonly Wait[];
  /**
   * When a process must check it although none owns it, in milliseconds since the epoch: a WAITING run when a wait ends
   * by itself, an ended child until its parent knows. Null for never.
   */
  readonly wakeAt: number | null;
}

/** One run of a workflow definition. `stepResults` have the order of the definition's steps. */
export interface Run extends RunSummary {
  readonly stepResults: readonly StepResult[];
}

/** The failure of a run. */
export interface RunFailure {
  readonly error: string;
  /** See `RunSummary.gaveUp`. */
  readonly gaveUp?: true | undefined;
}

/** The error of runs and steps that a shutdown or the loss of their process interrupted. */
export const INTERRUPTED = 'interrupted';

/** The states of a run that has ended. */
export type EndStatus = Extract<RunStatus, 'COMPLETED' | 'FAILED' | 'CANCELLED'>;

/** True for runs that have ended: only a retry changes them. */
export function hasEnded(status: RunStatus): status is EndStatus {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';
}

/** A run without the results of its steps. */
export function summarizeRun(run: Run): RunSummary {
  const { stepResults: _, ...summary } = run;
  return summary;
}

/** The results of all steps before any of them runs. `layers` contains the indexes of the steps. */
export function pendingResults(steps: readonly Step[], layers: readonly (readonly number[])[]): StepResult[] {
  const layerOf = new Array<number>(steps.length);
  for (const [layer, indexes] of layers.entries()) for (const index of indexes) layerOf[index] = layer;
  return steps.map(({ id, kind }, index) =>
    unfinishedResult({ stepId: id, kind, layer: itemAt(layerOf, index), attempts: 0 }, 'PENDING', null),
  );
}

/** A step before it runs again, after so many attempts. */
export function pendingResult(before: StepResult, attempts = before.attempts): StepResult {
  return unfinishedResult({ ...before, attempts }, 'PENDING', null);
}

/** The result of a step that is about to run. */
export function runningResult(before: StepResult, startedAt: string): StepResult {
  return unfinishedResult(before, 'RUNNING', startedAt);
}

/** The result of a step that waits, after so many attempts. */
export function waitingResult(before: StepResult, attempts: number): StepResult {
  return unfinishedResult({ ...before, attempts }, 'WAITING', before.startedAt);
}

/** The result of a step that is not run. */
export function skippedResult(before: StepResult): StepResult {
  return unfinishedResult(before, 'SKIPPED', null);
}

function unfinishedResult(
  { stepId, kind, layer, attempts }: Pick<StepResult, 'stepId' | 'kind' | 'layer' | 'attempts'>,
  status: 'PENDING' | 'RUNNING' | 'WAITING' | 'SKIPPED',
  startedAt: string | null,
): StepResult {
  return {
    stepId,
    kind,
    status,
    layer,
    attempts,
    output: null,
    error: null,
    startedAt,
    completedAt: null,
    durationMs: null,
  };
}
