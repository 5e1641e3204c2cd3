import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import { DEFAULT_FOREACH_CONCURRENCY, type ErrorPolicy, type ForeachPolicy } from '../workflow/policies.ts';
import { layerAt } from '../workflow/shape.ts';
import type { ItemEnd, RunEvent } from './events.ts';
import { isIssue, type StepRules, waitEvent } from './layer.ts';
import type { ForeachState, RunState } from './state.ts';
import { endBase, endOfStep } from './step-end.ts';
import { countOpen } from './waits.ts';

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
    results: new Map(),
    failed: 0,
    bytes: 0,
    startedUpTo: 0,
    progressAt: at,
  };
  for (const end of ends) addEnd(state, end);
  state.startedUpTo = mark;
  state.progressAt = at;
  return state;
}

/** Adds the end of an item. */
export function addEnd(state: ForeachState, end: ItemEnd): void {
  if (state.results.has(end.index)) return;
  state.results.set(end.index, end);
  if (end.error !== null) state.failed++;
  if (end.output !== null) state.bytes += jsonByteLength(end.output);
}

/** The items before the step runs again in a retry of the run: those that completed are kept. */
export function reopened({ total, results, bytes, progressAt }: ForeachState): ForeachState {
  const completed = [...results].filter(([, { error }]) => error === null);
  return { total, results: new Map(completed), failed: 0, bytes, startedUpTo: 0, progressAt };
}

/** The number of items that were never called in this attempt at the run. */
export function countNotStarted({ total, results, startedUpTo }: ForeachState): number {
  const copied = [...results.keys()].filter((index) => index >= startedUpTo).length;
  return total - startedUpTo - copied;
}

/** True where no further item is started, because one has failed. */
export function isStopped({ failed }: Pick<ForeachState, 'failed'>, { onItemError }: ForeachPolicy): boolean {
  return failed > 0 && onItemError !== 'continue';
}

/** The error of a step whose items have returned more than an output may have. */
export function itemsTooLargeText(maxBytes: number): string {
  return `the outputs of its items together are larger than ${maxBytes} bytes of JSON`;
}

/** The end of a step with `foreach` once none of its items is under way. */
export function foreachOutcome(
  state: Pick<ForeachState, 'total' | 'results' | 'failed'>,
  policy: ForeachPolicy,
): { readonly output: JsonObject } | { readonly error: string } {
  const ends = [...state.results.values()].sort((a, b) => a.index - b.index);
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

/** True where a failed step with this policy fails its run. */
export function isFatal(policy: ErrorPolicy | undefined): boolean {
  return policy === undefined || policy === 'fail';
}

/**
 * The next events of the steps of the current layer that wait for each item of a list: further items begin to wait, or
 * the step ends. None where nothing is to be done before a wait ends. Each call may be followed by another one.
 */
export function foreachWaits(state: RunState, rules: StepRules, now: number): readonly RunEvent[] {
  if (state.layer < 0) return [];
  for (const index of layerAt(state.shape, state.layer)) {
    const items = state.foreach?.get(index);
    const { status, kind } = itemAt(state.results, index);
    const isWaiting = kind !== 'tool' && kind !== 'agent' && (status === 'RUNNING' || status === 'WAITING');
    const events = items === undefined || !isWaiting ? [] : itemEvents(state, index, items, { rules, now });
    if (events.length > 0) return events;
  }
  return [];
}

/** The most items that one call begins, so that much work is done in parts. */
const MAX_BEGUN = 250;

/** The events of one step. */
function itemEvents(
  state: RunState,
  index: number,
  items: ForeachState,
  { rules, now }: { readonly rules: StepRules; readonly now: number },
): RunEvent[] {
  const step = itemAt(state.shape.definition.steps, index);
  const { foreach: policy } = step;
  if (policy === undefined) return [];
  const { startedAt } = itemAt(state.results, index);
  const since = startedAt === null ? now : Date.parse(startedAt);
  const events: RunEvent[] = [];
  const next = (): number => state.seq + events.length + 1;
  const refused: ItemEnd[] = [];
  let open = countOpen(state, step.id);
  let { startedUpTo } = items;
  const isTooLarge = items.bytes > rules.maxOutputBytes;
  const isOver = isTooLarge || isStopped(items, policy);
  const isFree = (): boolean =>
    open < (policy.concurrency ?? DEFAULT_FOREACH_CONCURRENCY) &&
    events.length + refused.length < MAX_BEGUN &&
    (refused.length === 0 || policy.onItemError === 'continue');
  for (; startedUpTo < items.total && !isOver && isFree(); startedUpTo++) {
    if (items.results.has(startedUpTo)) continue;
    if (events.length > 0 && rules.shouldYield()) break;
    const wait = waitEvent(state, index, { rules, now, seq: next(), item: startedUpTo, startedAt: since });
    if (isIssue(wait)) {
      refused.push({ index: startedUpTo, output: null, error: wait.error, attempts: 0 });
    } else {
      events.push({ ...wait, attempts: wait.attempts + events.length });
      open++;
    }
  }
  const isDone = open === 0 && refused.length === 0 && (startedUpTo >= items.total || isOver);
  // The clock may have been set back since.
  const isDue = items.results.size > 0 && Math.abs(now - items.progressAt) >= PROGRESS_INTERVAL_MS;
  if (refused.length > 0 || (isDue && (isDone || events.length > 0))) {
    const done = items.results.size + refused.length;
    const progress = { done, failed: items.failed + refused.length, total: items.total };
    events.push({
      seq: next(),
      type: 'step.progress',
      at: now,
      stepId: step.id,
      ...progress,
      ends: refused,
      mark: startedUpTo,
    });
  }
  if (isDone) {
    const outcome = isTooLarge
      ? { error: itemsTooLargeText(rules.maxOutputBytes) }
      : foreachOutcome(items, policy);
    events.push(endOfStep(state, endBase(state, index, next(), now), outcome));
  }
  return events;
}
