import {
  type Execution,
  type ExecutionChange,
  endedResult,
  INTERRUPTED,
  pendingResults,
  runningResult,
  type StepEnd,
  type StepResult,
  skippedResult,
} from '../domain/execution.ts';
import type { JsonObject } from '../domain/json.ts';
import { quote } from '../domain/quote.ts';
import type { WorkflowPlan } from '../domain/workflow-plan.ts';

/** What a run is known by before it begins. */
export interface RunHead {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly background: boolean;
  readonly input: JsonObject;
  readonly createdAt: string;
}

/** A run that is under way: everything in arrays, by the steps' numbers. */
export interface Run {
  readonly head: RunHead;
  readonly plan: WorkflowPlan;
  /** Aborted when the run is to be interrupted. */
  readonly controller: AbortController;
  readonly startedAt: string;
  /** Monotonic time of the start, in milliseconds. */
  readonly startedMs: number;
  readonly results: StepResult[];
  /** Where the inputs of steps take their values from. */
  readonly sources: { readonly outputs: (JsonObject | null)[]; readonly input: JsonObject };
  /** Bytes of each output as JSON. */
  readonly sizes: number[];
  /** Bytes of all outputs together. */
  outputBytes: number;
  /** When a step last ended. */
  lastEndedAt: string;
}

/** Results that changed, with the numbers of their steps. */
export type Results = { readonly index: number; readonly result: StepResult }[];

/** A run of which no step has begun. */
export function beginRun(head: RunHead, plan: WorkflowPlan, startedAt: string, startedMs: number): Run {
  const { steps } = plan.definition;
  return {
    head,
    plan,
    controller: new AbortController(),
    startedAt,
    startedMs,
    results: pendingResults(steps, plan.layers),
    sources: { outputs: new Array<JsonObject | null>(steps.length).fill(null), input: head.input },
    sizes: new Array<number>(steps.length).fill(0),
    outputBytes: 0,
    lastEndedAt: startedAt,
  };
}

/** Records the end of a step; `bytes` is the size of its output. */
export function endStep(
  run: Run,
  number: number,
  end: StepEnd,
  bytes: number,
  startedAt: string,
  completedAt: string,
): void {
  run.results[number] = endedResult(resultOf(run, number), end, startedAt, completedAt);
  run.sources.outputs[number] = end.output;
  run.sizes[number] = bytes;
  run.outputBytes += bytes;
  run.lastEndedAt = completedAt;
}

/** The results of the steps of one layer that have ended. */
export function layerResults(run: Run, layer: number): Results {
  const results: Results = [];
  for (const index of run.plan.layers[layer] ?? []) {
    const result = resultOf(run, index);
    if (result.status !== 'PENDING') results.push({ index, result });
  }
  return results;
}

/** That the steps of a layer are about to run, so that after a crash it is known which may have acted. */
export function runningResults(run: Run, layer: number): Results {
  const numbers = run.plan.layers[layer] ?? [];
  return numbers.map((number) => ({
    index: number,
    result: runningResult(resultOf(run, number), run.lastEndedAt),
  }));
}

/** The results of a layer whose steps have all ended, and that those of the next are about to run. */
export function nextLayerResults(run: Run, ended: number): Results {
  const before = run.plan.layers[ended] ?? [];
  const after = run.plan.layers[ended + 1] ?? [];
  // Made in its full length at once: growing an array step by step leaves more garbage than all its content.
  const results = new Array<Results[number]>(before.length + after.length);
  let place = 0;
  for (const index of before) results[place++] = { index, result: resultOf(run, index) };
  for (const index of after) {
    results[place++] = { index, result: runningResult(resultOf(run, index), run.lastEndedAt) };
  }
  return results;
}

/** Skips every step that has not ended, and adds those skipped to `results`. */
export function skipRest(results: Results, run: Run, fromLayer: number): void {
  for (let layer = fromLayer; layer < run.plan.layers.length; layer++) {
    for (const index of run.plan.layers[layer] ?? []) {
      const before = resultOf(run, index);
      if (before.status !== 'PENDING') continue;
      const result = skippedResult(before);
      run.results[index] = result;
      results.push({ index, result });
    }
  }
}

/** Why a run ends with this layer: the first of its steps that failed, in the definition's order; null where none did. */
export function layerFailure(run: Run, layer: number): string | null {
  let first: StepResult | undefined;
  let failed = 0;
  for (const number of run.plan.layers[layer] ?? []) {
    const result = resultOf(run, number);
    if (result.status === 'COMPLETED') continue;
    if (run.controller.signal.aborted) return INTERRUPTED;
    first ??= result;
    failed++;
  }
  if (first === undefined) return null;
  const more = failed > 1 ? ` (and ${failed - 1} more of its layer)` : '';
  return `step ${quote(first.stepId)} failed: ${first.error}${more}`;
}

function resultOf({ results }: Run, number: number): StepResult {
  const result = results[number];
  if (result === undefined) throw new RangeError(`there is no step ${number}`);
  return result;
}

/** A change of a run that goes on. */
export function goingOn({ startedAt }: Run, stepResults: Results): ExecutionChange {
  return { status: 'RUNNING', error: null, startedAt, completedAt: null, durationMs: null, stepResults };
}

/** The change that ends a run. */
export function ending(
  { startedAt }: Run,
  error: string | null,
  completedAt: string,
  durationMs: number,
  stepResults: Results,
): ExecutionChange {
  const status = error === null ? 'COMPLETED' : 'FAILED';
  return { status, error, startedAt, completedAt, durationMs, stepResults };
}

/** The change that ends a run which was accepted and never begun, for the reason `error`. */
export function neverBegun(plan: WorkflowPlan, error: string, completedAt: string): ExecutionChange {
  const stepResults = pendingResults(plan.definition.steps, plan.layers).map((before, index) => ({
    index,
    result: skippedResult(before),
  }));
  return { status: 'FAILED', error, startedAt: null, completedAt, durationMs: 0, stepResults };
}

/** The execution of a run that was accepted and has not begun. */
export function pendingExecution(head: RunHead, { definition, layers }: WorkflowPlan): Execution {
  const change = {
    status: 'PENDING',
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
  } as const;
  return executionOf(head, change, pendingResults(definition.steps, layers));
}

/** The execution as it is after a change, with all results that are known. */
export function executionOf(
  head: RunHead,
  change: Omit<ExecutionChange, 'stepResults'>,
  stepResults: readonly StepResult[],
): Execution {
  const { executionId, workflowId, workflowName, background, input, createdAt } = head;
  const { status, error, startedAt, completedAt, durationMs } = change;
  return {
    executionId,
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
