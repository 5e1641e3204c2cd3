import {
  finishedResult,
  INTERRUPTED,
  runningResult,
  type StepOutcome,
  type StepResult,
  skippedResult,
} from '../../domain/run/run.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import type { WorkflowPlan } from '../../domain/workflow/plan.ts';
import type { CompiledInput } from '../../domain/workflow/step-input.ts';
import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import { quote } from '../../lib/text/quote.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Results, RunHead } from './run-record.ts';

/** A run in progress. Its arrays have one item per step, by the index of the step in the definition. */
export interface ActiveRun {
  readonly head: RunHead;
  readonly plan: WorkflowPlan;
  /** Aborted when the run is to be interrupted. */
  readonly controller: AbortController;
  readonly startedAt: string;
  /** Monotonic time of the start, in milliseconds. */
  readonly startedMs: number;
  readonly results: StepResult[];
  /** The values that the inputs of steps may refer to. */
  readonly sources: { readonly outputs: (JsonObject | null)[]; readonly input: JsonObject };
  /** Bytes of JSON of each output. */
  readonly sizes: number[];
  /** Bytes of JSON of all outputs together. */
  outputBytes: number;
  /** When a step last ended. */
  lastEndedAt: string;
}

/** Starts a run: none of its steps has started. */
export function startRun(head: RunHead, plan: WorkflowPlan, clock: Clock): ActiveRun {
  const startedAt = isoTime(clock.now());
  const { steps } = plan.definition;
  return {
    head,
    plan,
    controller: new AbortController(),
    startedAt,
    startedMs: clock.monotonic(),
    results: [...plan.pending],
    sources: { outputs: new Array<JsonObject | null>(steps.length).fill(null), input: head.input },
    sizes: new Array<number>(steps.length).fill(0),
    outputBytes: 0,
    lastEndedAt: startedAt,
  };
}

/** When a step started and ended, in ISO 8601. */
interface StepTimes {
  readonly startedAt: string;
  readonly completedAt: string;
}

/** Maximum size of all outputs of one run, in bytes of JSON, so that its record can be stored and read. */
const MAX_RUN_OUTPUT_BYTES = 32 * 1_024 * 1_024;

const OUTPUTS_TOO_LARGE = `the outputs of this run together are larger than ${MAX_RUN_OUTPUT_BYTES} bytes of JSON`;

/**
 * Records the outcome of a step and returns it: a failure where the outputs of the run would become too large together.
 */
export function endStep(
  run: ActiveRun,
  index: number,
  outcome: StepOutcome,
  { startedAt, completedAt }: StepTimes,
): StepOutcome {
  const remaining = MAX_RUN_OUTPUT_BYTES - run.outputBytes;
  const bytes = outcome.output === null ? 0 : jsonByteLength(outcome.output, remaining);
  const fits = bytes <= remaining;
  const recorded = fits ? outcome : { ...outcome, output: null, error: OUTPUTS_TOO_LARGE };
  run.results[index] = finishedResult(resultOf(run, index), recorded, startedAt, completedAt);
  run.sources.outputs[index] = recorded.output;
  run.sizes[index] = fits ? bytes : 0;
  run.outputBytes += fits ? bytes : 0;
  run.lastEndedAt = completedAt;
  return recorded;
}

/** The results of the steps of one layer that have ended. */
export function layerResults(run: ActiveRun, layer: number): Results {
  return layerOf(run, layer)
    .map((index) => ({ index, result: resultOf(run, index) }))
    .filter(({ result }) => result.status !== 'PENDING');
}

/** The steps of a layer as RUNNING, so that after a crash the record shows which may have had an effect. */
export function runningResults(run: ActiveRun, layer: number): Results {
  return layerOf(run, layer).map((index) => ({
    index,
    result: runningResult(resultOf(run, index), run.lastEndedAt),
  }));
}

/** All results as they are now. Steps of the current layer that have not ended are RUNNING. */
export function currentResults(run: ActiveRun): readonly StepResult[] {
  const isPending = (index: number): boolean => resultOf(run, index).status === 'PENDING';
  const layer = run.plan.layers.findIndex((indexes) => indexes.some(isPending));
  const startedAt = layer > 0 ? lastEndOf(run, layer - 1) : run.startedAt;
  return run.results.map((result, index) =>
    result.layer === layer && isPending(index) ? runningResult(result, startedAt) : result,
  );
}

/** When the last step of a layer ended, which is when the next layer started. */
function lastEndOf(run: ActiveRun, layer: number): string {
  const ends = layerOf(run, layer).map((index) => resultOf(run, index).completedAt ?? run.startedAt);
  return ends.reduce((one, other) => (other > one ? other : one), run.startedAt);
}

/** The results of a layer whose steps have all ended, and the steps of the next layer as RUNNING. */
export function nextLayerResults(run: ActiveRun, layer: number): Results {
  const results: Results = [];
  for (const index of layerOf(run, layer)) results.push({ index, result: resultOf(run, index) });
  for (const index of layerOf(run, layer + 1)) {
    results.push({ index, result: runningResult(resultOf(run, index), run.lastEndedAt) });
  }
  return results;
}

/** Marks every step that has not ended as SKIPPED and returns those results. */
export function skipRest(run: ActiveRun, fromLayer: number): Results {
  const skipped: Results = [];
  for (const index of run.plan.layers.slice(fromLayer).flat()) {
    const before = resultOf(run, index);
    if (before.status !== 'PENDING') continue;
    const result = skippedResult(before);
    run.results[index] = result;
    skipped.push({ index, result });
  }
  return skipped;
}

/** Why a run ends with this layer: its first failed step, in the definition's order; null where none failed. */
export function layerFailure(run: ActiveRun, layer: number): string | null {
  const failed = layerOf(run, layer)
    .map((index) => resultOf(run, index))
    .filter(({ status }) => status !== 'COMPLETED');
  const [first] = failed;
  if (first === undefined) return null;
  if (run.controller.signal.aborted) return INTERRUPTED;
  const more = failed.length > 1 ? ` (and ${failed.length - 1} more of its layer)` : '';
  return `step ${quote(first.stepId)} failed: ${first.error}${more}`;
}

/** The indexes of the steps of a layer. */
export function layerOf({ plan }: ActiveRun, layer: number): readonly number[] {
  return itemAt(plan.layers, layer);
}

/** A step by its index. */
export function stepOf({ plan }: ActiveRun, index: number): Step {
  return itemAt(plan.definition.steps, index);
}

/** The input of a step by its index. */
export function inputOf({ plan }: ActiveRun, index: number): CompiledInput {
  return itemAt(plan.inputs, index);
}

/** Bytes of JSON of a step's output. */
export function outputSize({ sizes }: ActiveRun, index: number): number {
  return itemAt(sizes, index);
}

function resultOf({ results }: ActiveRun, index: number): StepResult {
  return itemAt(results, index);
}
