import type { Run, RunChange, RunSummary, StepResult } from '../../domain/run/run.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { ListNode } from './newest-first.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A step result as it is stored: its output as JSON text. */
type StoredResult = Omit<StepResult, 'output'> & { readonly outputJson: string | null };

/** A run as it is stored: it shares no object with its callers, and is changed in place. */
export interface StoredRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly summary: Writable<Omit<RunSummary, 'input'>>;
  readonly inputJson: string;
  readonly results: StoredResult[];
  /** Approximate memory usage, in bytes. */
  bytes: number;
  /** Its node in the list of the runs of its workflow. */
  node: ListNode<StoredRun> | undefined;
}

/** Approximate size of an object without its texts, in bytes. */
const OBJECT_BYTES = 160;

/** Copies a run into its stored form. */
export function toStoredRun(run: Run): StoredRun {
  const { stepResults, input, ...summary } = run;
  const inputJson = JSON.stringify(input);
  const results = stepResults.map(toStoredResult);
  let bytes = 2 * OBJECT_BYTES + Buffer.byteLength(inputJson);
  for (const result of results) bytes += bytesOf(result);
  const { runId, workflowId } = run;
  return { runId, workflowId, summary, inputJson, results, bytes, node: undefined };
}

/** Applies a change. The time depends on the size of the change only. Changes to unknown steps are ignored. */
export function applyChange(stored: StoredRun, change: RunChange): void {
  const { summary } = stored;
  summary.status = change.status;
  summary.error = change.error;
  summary.startedAt = change.startedAt;
  summary.completedAt = change.completedAt;
  summary.durationMs = change.durationMs;
  for (const { index, result } of change.stepResults) {
    const before = stored.results[index];
    if (before === undefined) continue;
    const after = toStoredResult(result);
    stored.bytes += bytesOf(after) - bytesOf(before);
    stored.results[index] = after;
  }
}

/** A copy of what a listing shows. */
export function readSummary(stored: StoredRun): RunSummary {
  return { ...stored.summary, input: parseOwn(stored.inputJson) };
}

/** A copy of the complete run. */
export function readRun(stored: StoredRun): Run {
  return { ...readSummary(stored), stepResults: stored.results.map(readResult) };
}

/** Lists the properties, because a rest pattern is slow (benchmark `engine`). */
function toStoredResult(result: StepResult): StoredResult {
  const { stepId, kind, status, layer, attempts, output, error, startedAt, completedAt, durationMs } = result;
  const outputJson = output === null ? null : JSON.stringify(output);
  return { stepId, kind, status, layer, attempts, outputJson, error, startedAt, completedAt, durationMs };
}

function readResult({ outputJson, ...rest }: StoredResult): StepResult {
  return { ...rest, output: outputJson === null ? null : parseOwn(outputJson) };
}

function bytesOf({ outputJson, error }: StoredResult): number {
  return OBJECT_BYTES + textBytes(outputJson) + textBytes(error);
}

function textBytes(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

/** Parses a JSON object that this file has written. */
function parseOwn(json: string): JsonObject {
  return JSON.parse(json);
}
