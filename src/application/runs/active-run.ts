import {
  finishedResult,
  INTERRUPTED,
  runningResult,
  type StepOutcome,
  type StepResult,
  skippedResult,
} from '../../domain/run/run.ts';
import type { WorkflowPlan } from '../../domain/workflow/plan.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';
import type { Results, RunHead } from './run-record.ts';

/** A run that is under way: everything in arrays, by the steps' numbers. */
export interface ActiveRun {
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

/** A run of which no step has begun. */
export function beginRun(head: RunHead, plan: WorkflowPlan, startedAt: string, startedMs: number): ActiveRun {
  const { steps } = plan.definition;
  return {
    head,
    plan,
    controller: new AbortController(),
    startedAt,
    startedMs,
    results: [...plan.pending],
    sources: { outputs: new Array<JsonObject | null>(steps.length).fill(null), input: head.input },
    sizes: new Array<number>(steps.length).fill(0),
    outputBytes: 0,
    lastEndedAt: startedAt,
  };
}

/** Records the end of a step; `bytes` is the size of its output. */
export function endStep(
  run: ActiveRun,
  number: number,
  end: StepOutcome,
  bytes: number,
  startedAt: string,
  completedAt: string,
): void {
  run.results[number] = finishedResult(resultOf(run, number), end, startedAt, completedAt);
  run.sources.outputs[number] = end.output;
  run.sizes[number] = bytes;
  run.outputBytes += bytes;
  run.lastEndedAt = completedAt;
}

/** The results of the steps of one layer that have ended. */
export function layerResults(run: ActiveRun, layer: number): Results {
  const results: Results = [];
  for (const index of run.plan.layers[layer] ?? []) {
    const result = resultOf(run, index);
    if (result.status !== 'PENDING') results.push({ index, result });
  }
  return results;
}

/** That the steps of a layer are about to run, so that after a crash it is known which may have acted. */
export function runningResults(run: ActiveRun, layer: number): Results {
  const numbers = run.plan.layers[layer] ?? [];
  return numbers.map((number) => ({
    index: number,
    result: runningResult(resultOf(run, number), run.lastEndedAt),
  }));
}

/** The results of a layer whose steps have all ended, and that those of the next are about to run. */
export function nextLayerResults(run: ActiveRun, ended: number): Results {
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
export function skipRest(results: Results, run: ActiveRun, fromLayer: number): void {
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
export function layerFailure(run: ActiveRun, layer: number): string | null {
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

function resultOf({ results }: ActiveRun, number: number): StepResult {
  const result = results[number];
  if (result === undefined) throw new RangeError(`there is no step ${number}`);
  return result;
}
