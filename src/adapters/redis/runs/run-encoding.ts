import type { Run, RunChange, RunSummary, StepResult } from '../../../domain/run/run.ts';
import { readStored } from '../client/stored-json.ts';

/** What an execution's `state` field holds: all that changes in its summary. */
type State = Omit<RunChange, 'stepResults'>;

/** A change that is to be written: the state, and the results by the index of their step. */
export interface EncodedChange {
  state: State;
  readonly results: Map<number, EncodedResult>;
}

/**
 * A result as JSON; one without an output, as a copy that is written out only when it is sent. Most of those say that
 * a step runs, and its end overtakes them while the change before is under way.
 */
type EncodedResult = string | StepResult;

/** What the field of a step's result begins with; the step's index in the definition follows. */
const STEP_FIELD = 'step:';

/** What a result without an output takes beside its error, in bytes, roughly. */
const RESULT_BYTES = 512;

/** Takes a change out of the hands of whoever made it. */
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

/** Adds a later change to an earlier one. */
export function mergeChanges(older: EncodedChange, newer: EncodedChange): EncodedChange {
  older.state = newer.state;
  for (const [index, result] of newer.results) older.results.set(index, result);
  return older;
}

/** An execution as it is after a change that was encoded. */
export function applyChange(execution: Run, { state, results }: EncodedChange): Run {
  const stepResults = [...execution.stepResults];
  for (const [index, encoded] of results) {
    const result = typeof encoded === 'string' ? readResult(encoded) : { ...encoded };
    if (result !== undefined && index < stepResults.length) stepResults[index] = result;
  }
  return { ...execution, ...state, stepResults };
}

/** What a listing shows of an execution, of the summary at its creation and its state since. */
export function decodeSummary(id: string, summary: string, state: string): RunSummary | undefined {
  const created = readStored<RunSummary>(summary, [], ({ runId }) => runId === id);
  if (created === undefined || state === '') return created;
  const since = readStored<State>(state, [], () => true);
  return since === undefined ? undefined : { ...created, ...since };
}

/** An execution of the fields and values of its key, as the store lists them; undefined where they are none. */
export function decodeExecution(id: string, flat: readonly unknown[]): Run | undefined {
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < flat.length; at += 2) fields.set(String(flat[at]), String(flat[at + 1]));
  const summary = decodeSummary(id, fields.get('summary') ?? '', fields.get('state') ?? '');
  const created = readStored<{ results: StepResult[] }>(
    `{"results":${fields.get('results') ?? 'null'}}`,
    ['results'],
    () => true,
  );
  if (summary === undefined || created === undefined) return undefined;
  const stepResults: StepResult[] = [];
  for (const [index, before] of created.results.entries()) {
    const json = fields.get(STEP_FIELD + index);
    const result = json === undefined ? before : readResult(json);
    if (result === undefined) return undefined;
    stepResults.push(result);
  }
  return { ...summary, stepResults };
}

function readResult(json: string): StepResult | undefined {
  return readStored<StepResult>(json, [], ({ stepId }) => typeof stepId === 'string');
}
