import type { Run, RunChange, RunSummary, StepResult } from '../../domain/run/run.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Place } from './newest-first.ts';

/** What may change in a record that is kept. */
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A step's result as memory keeps it: flat, its output as JSON text. */
type KeptResult = Writable<Omit<StepResult, 'output'>> & { outputJson: string | null };

/** An execution as memory keeps it: aliased to nothing, and changed where it lies. */
export interface KeptExecution {
  readonly runId: string;
  readonly workflowId: string;
  readonly summary: Writable<Omit<RunSummary, 'input'>>;
  readonly inputJson: string;
  readonly results: KeptResult[];
  /** About how much memory it takes. */
  bytes: number;
  /** Its place among the executions of its workflow. */
  place: Place<KeptExecution> | undefined;
}

/** What an object with its flat members takes beside its texts, in bytes, roughly. */
const OBJECT_BYTES = 160;

/** Takes an execution in. */
export function keepExecution(execution: Run): KeptExecution {
  const { stepResults, input, ...summary } = execution;
  const inputJson = JSON.stringify(input);
  const results = stepResults.map(keepResult);
  let bytes = 2 * OBJECT_BYTES + Buffer.byteLength(inputJson);
  for (const result of results) bytes += resultBytes(result);
  const { runId, workflowId } = execution;
  return { runId, workflowId, summary, inputJson, results, bytes, place: undefined };
}

/**
 * Applies a change; what it costs grows with the change alone. Records are written over rather than made anew, which
 * would leave 300 bytes of garbage for each step of a chain.
 */
export function changeExecution(kept: KeptExecution, change: RunChange): void {
  const { summary, results } = kept;
  summary.status = change.status;
  summary.error = change.error;
  summary.startedAt = change.startedAt;
  summary.completedAt = change.completedAt;
  summary.durationMs = change.durationMs;
  for (const { index, result } of change.stepResults) {
    const present = results[index];
    if (present === undefined) continue;
    kept.bytes -= resultBytes(present);
    overwrite(present, result);
    kept.bytes += resultBytes(present);
  }
}

/** What a listing shows of it, as a copy of its own. */
export function readSummary(kept: KeptExecution): RunSummary {
  return { ...kept.summary, input: readObject(kept.inputJson) };
}

/** All of it, as a copy of its own. */
export function readExecution(kept: KeptExecution): Run {
  return { ...readSummary(kept), stepResults: kept.results.map(readResult) };
}

function keepResult(result: StepResult): KeptResult {
  const { stepId, kind, status, layer, attempts, output, error, startedAt, completedAt, durationMs } = result;
  const outputJson = output === null ? null : JSON.stringify(output);
  return { stepId, kind, status, layer, attempts, outputJson, error, startedAt, completedAt, durationMs };
}

function overwrite(kept: KeptResult, result: StepResult): void {
  kept.stepId = result.stepId;
  kept.kind = result.kind;
  kept.status = result.status;
  kept.layer = result.layer;
  kept.attempts = result.attempts;
  kept.outputJson = result.output === null ? null : JSON.stringify(result.output);
  kept.error = result.error;
  kept.startedAt = result.startedAt;
  kept.completedAt = result.completedAt;
  kept.durationMs = result.durationMs;
}

function readResult(kept: KeptResult): StepResult {
  const { stepId, kind, status, layer, attempts, outputJson, error, startedAt, completedAt, durationMs } =
    kept;
  const output = outputJson === null ? null : readObject(outputJson);
  return { stepId, kind, status, layer, attempts, output, error, startedAt, completedAt, durationMs };
}

function resultBytes({ outputJson, error }: KeptResult): number {
  let bytes = OBJECT_BYTES;
  if (outputJson !== null) bytes += Buffer.byteLength(outputJson);
  if (error !== null) bytes += Buffer.byteLength(error);
  return bytes;
}

/** Reads back what was written from a JSON object. */
function readObject(json: string): JsonObject {
  return JSON.parse(json);
}
