import {
  type Run,
  type RunChange,
  type RunSummary,
  type StepResult,
  summarizeRun,
} from '../../../domain/run/run.ts';
import { parseStored } from '../client/stored-json.ts';

/** The JSON of the `summary` field. Versions before 0.7 share it, and call the id of a run `executionId`. */
type StoredSummary = Omit<RunSummary, 'runId'> & { readonly executionId: string };

/** The JSON of the `state` field: everything in a summary that changes. */
type State = Omit<RunChange, 'stepResults'>;

/** A change in its stored form: the state, and the results by the index of their step. */
export interface EncodedChange {
  state: State;
  readonly results: Map<number, EncodedResult>;
}

/**
 * A result as JSON; one without an output as a copy, serialized only when it is written, because most of those are
 * replaced by the end of their step before that.
 */
type EncodedResult = string | StepResult;

/** Prefix of the fields of step results; the step's index in the definition follows. */
const STEP_FIELD = 'step:';

/** Approximate size of a result without its output and error, in bytes. */
const RESULT_BYTES = 512;

/** Copies a change, so that its caller may change the original; `bytes` is the approximate size. */
export function encodeChange(change: RunChange): { item: EncodedChange; bytes: number } {
  const { status, error, startedAt, completedAt, durationMs } = change;
  const results = new Map<number, EncodedResult>();
  let bytes = 512;
  for (const { index, result } of change.stepResults) {
    if (result.output === null) {
      bytes += RESULT_BYTES + 2 * (result.error?.length ?? 0);
      results.set(index, { ...result });
    } else {
      const json = JSON.stringify(result);
      bytes += 2 * json.length;
      results.set(index, json);
    }
  }
  return { item: { state: { status, error, startedAt, completedAt, durationMs }, results }, bytes };
}

/** The fields that a change sets, each with its value. */
export function* fieldsOf({ results }: EncodedChange): Generator<readonly [field: string, json: string]> {
  for (const [index, result] of results) {
    yield [STEP_FIELD + index, typeof result === 'string' ? result : JSON.stringify(result)];
  }
}

/** Merges a later change into an earlier one, and returns the earlier. */
export function mergeChanges(older: EncodedChange, newer: EncodedChange): EncodedChange {
  older.state = newer.state;
  for (const [index, result] of newer.results) older.results.set(index, result);
  return older;
}

/** A run after an encoded change. */
export function applyChange(run: Run, { state, results }: EncodedChange): Run {
  const stepResults = [...run.stepResults];
  for (const [index, encoded] of results) {
    const result = typeof encoded === 'string' ? decodeResult(encoded) : { ...encoded };
    if (result !== undefined && index < stepResults.length) stepResults[index] = result;
  }
  return { ...run, ...state, stepResults };
}

/** The `summary` field of a new run. */
export function encodeSummary(run: Run): string {
  const { runId: executionId, ...rest } = summarizeRun(run);
  const stored: StoredSummary = { executionId, ...rest };
  return JSON.stringify(stored);
}

/** The summary of a run from its `summary` and `state` fields; undefined where they do not belong to that run. */
export function decodeSummary(runId: string, summary: string, state: string): RunSummary | undefined {
  const stored = parseStored<StoredSummary>(summary, [], ({ executionId }) => executionId === runId);
  if (stored === undefined) return undefined;
  const { executionId: _, ...rest } = stored;
  const created = { runId, ...rest };
  if (state === '') return created;
  const current = parseStored<State>(state, [], () => true);
  return current === undefined ? undefined : { ...created, ...current };
}

/** A run from the fields of its key; undefined where they do not belong to that run. */
export function decodeRun(runId: string, fields: Readonly<Record<string, string>>): Run | undefined {
  const summary = decodeSummary(runId, fields['summary'] ?? '', fields['state'] ?? '');
  const created = parseStored<{ results: StepResult[] }>(
    `{"results":${fields['results'] ?? 'null'}}`,
    ['results'],
    () => true,
  );
  if (summary === undefined || created === undefined) return undefined;
  const stepResults: StepResult[] = [];
  for (const [index, before] of created.results.entries()) {
    const json = fields[STEP_FIELD + index];
    const result = json === undefined ? before : decodeResult(json);
    if (result === undefined) return undefined;
    stepResults.push(result);
  }
  return { ...summary, stepResults };
}

function decodeResult(json: string): StepResult | undefined {
  return parseStored<StepResult>(json, [], ({ stepId }) => typeof stepId === 'string');
}
