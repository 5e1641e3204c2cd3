import type { JsonObject } from '../../../lib/json/json.ts';
import { jsonByteLength } from '../../../lib/json/size.ts';
import type { ErrorPolicy, ForeachPolicy } from '../../workflow/policies.ts';
import type { ItemEnd, RunEvent } from '../events.ts';

/** The items of a step with `foreach`. */
export interface ForeachState {
  readonly total: number;
  /** The items that have ended, by their index. */
  readonly ends: Map<number, ItemEnd>;
  failed: number;
  /** Bytes of JSON of their outputs together. */
  bytes: number;
  /** Items from this index on have not been called in this attempt at the run. */
  mark: number;
  /** When the last `step.progress` was recorded, in milliseconds since the epoch. */
  progressAt: number;
}

/** Events of the progress of a step are at least this many milliseconds apart. */
export const PROGRESS_INTERVAL_MS = 250;

/** The items after an event of their progress. `before` is undefined for the first one. */
export function withProgress(
  before: ForeachState | undefined,
  { total, ends, mark, at }: RunEvent<'step.progress'>,
): ForeachState {
  // A list that is evaluated again, in a retry of the run, may have another length.
  const kept = before?.total === total ? before : undefined;
  const state: ForeachState = kept ?? {
    total,
    ends: new Map(),
    failed: 0,
    bytes: 0,
    mark: 0,
    progressAt: at,
  };
  for (const end of ends) addEnd(state, end);
  state.mark = mark;
  state.progressAt = at;
  return state;
}

/** Adds the end of an item. */
export function addEnd(state: ForeachState, end: ItemEnd): void {
  if (state.ends.has(end.index)) return;
  state.ends.set(end.index, end);
  if (end.error !== null) state.failed++;
  if (end.output !== null) state.bytes += jsonByteLength(end.output);
}

/** The items before the step runs again in a retry of the run: those that completed are kept. */
export function reopened({ total, ends, bytes, progressAt }: ForeachState): ForeachState {
  const completed = [...ends].filter(([, { error }]) => error === null);
  return { total, ends: new Map(completed), failed: 0, bytes, mark: 0, progressAt };
}

/** The number of items that were never called. */
export function countUncalled({ total, ends, mark }: ForeachState): number {
  const called = [...ends.keys()].filter((index) => index >= mark).length;
  return total - mark - called;
}

/** Whether no further item is started, because one has failed. */
export function isStopped({ failed }: Pick<ForeachState, 'failed'>, { onItemError }: ForeachPolicy): boolean {
  return failed > 0 && onItemError !== 'continue';
}

/** The error of a step whose items have returned more than an output may have. */
export function itemsTooLargeText(maxBytes: number): string {
  return `the outputs of its items together are larger than ${maxBytes} bytes of JSON`;
}

/** How a step with `foreach` ends once none of its items is under way. */
export function foreachOutcome(
  state: Pick<ForeachState, 'total' | 'ends' | 'failed'>,
  policy: ForeachPolicy,
): { readonly output: JsonObject } | { readonly error: string } {
  const ends = [...state.ends.values()].sort((a, b) => a.index - b.index);
  const firstFailed = ends.find(({ error }) => error !== null);
  if (firstFailed !== undefined && policy.onItemError !== 'continue') {
    return { error: `item ${firstFailed.index} failed: ${firstFailed.error}` };
  }
  const errors = ends.flatMap(({ index, error }) =>
    error === null ? [] : [[String(index), error] as const],
  );
  return {
    output: {
      results: ends.map(({ output }) => output),
      errors: Object.fromEntries(errors),
      count: state.total,
      failed: state.failed,
    },
  };
}

/** Whether a failed step with this policy fails its run. */
export function isFatal(policy: ErrorPolicy | undefined): boolean {
  return policy === undefined || policy === 'fail';
}
