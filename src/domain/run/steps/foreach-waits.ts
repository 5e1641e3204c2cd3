import { itemAt } from '../../../lib/array.ts';
import { DEFAULT_FOREACH_CONCURRENCY } from '../../workflow/policies.ts';
import { layerAt } from '../../workflow/shape.ts';
import type { ItemEnd, RunEvent } from '../events.ts';
import type { RunState } from '../state.ts';
import { countOpen } from '../waits.ts';
import { endBase, endOfStep } from './ends.ts';
import {
  type ForeachState,
  foreachOutcome,
  isStopped,
  itemsTooLargeText,
  PROGRESS_INTERVAL_MS,
} from './foreach.ts';
import { isIssue, type StepRules } from './rules.ts';
import { waitEvent } from './start.ts';

/**
 * What happens next to the steps of the current layer that wait for each item of a list: further items begin to wait,
 * or the step ends. None where nothing is to be done before a wait ends. Each call may be followed by another one.
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

/** How many items one call begins at most, so that much work is done in parts. */
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
  let { mark } = items;
  const isTooLarge = items.bytes > rules.maxOutputBytes;
  const isOver = isTooLarge || isStopped(items, policy);
  const isFree = (): boolean =>
    open < (policy.concurrency ?? DEFAULT_FOREACH_CONCURRENCY) &&
    events.length + refused.length < MAX_BEGUN &&
    (refused.length === 0 || policy.onItemError === 'continue');
  for (; mark < items.total && !isOver && isFree(); mark++) {
    if (items.ends.has(mark)) continue;
    if (events.length > 0 && rules.isOverdue()) break;
    const wait = waitEvent(state, index, { rules, now, seq: next(), item: mark, startedAt: since });
    if (isIssue(wait)) {
      refused.push({ index: mark, output: null, error: wait.error, attempts: 0 });
    } else {
      events.push({ ...wait, attempts: wait.attempts + events.length });
      open++;
    }
  }
  const isDone = open === 0 && refused.length === 0 && (mark >= items.total || isOver);
  // The clock may have been set back since.
  const isDue = items.ends.size > 0 && Math.abs(now - items.progressAt) >= PROGRESS_INTERVAL_MS;
  if (refused.length > 0 || (isDue && (isDone || events.length > 0))) {
    const done = items.ends.size + refused.length;
    const progress = { done, failed: items.failed + refused.length, total: items.total };
    events.push({
      seq: next(),
      type: 'step.progress',
      at: now,
      stepId: step.id,
      ...progress,
      ends: refused,
      mark,
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
