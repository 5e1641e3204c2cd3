import { itemAt } from '../../lib/array.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import { indexOfStep } from '../workflow/shape.ts';
import type { Continuation, ContinuedChild, ItemEnd } from './events.ts';
import type { StepResult } from './run.ts';
import type { RunHead, RunState } from './state.ts';

/** The items of a step that have completed, of so many. */
export interface CompletedItems {
  readonly stepId: string;
  readonly total: number;
  readonly ends: readonly ItemEnd[];
}

/** The members of a new run that continues an ended one. */
export interface Continued {
  readonly continues: Continuation;
  /** Results of completed steps, whose outputs are copied. */
  readonly copied: readonly StepResult[];
  /** The items that are copied, of steps with `foreach` that are not. */
  readonly completed: readonly CompletedItems[];
}

/** The run whose idempotency keys the calls of a step have. */
export function keyRunOf({ runId, continues }: RunHead, stepId: string): string {
  if (continues === undefined) return runId;
  return continues.stepId === undefined || continues.stepId === stepId ? continues.keysOf : runId;
}

/** The child run that a step, or one of its items, continues; undefined for none. */
export function continuedChild(
  { continues }: RunHead,
  stepId: string,
  item: number | undefined,
): ContinuedChild | undefined {
  return continues?.children.find((child) => child.stepId === stepId && child.item === item);
}

/**
 * The items of a step with `foreach` that have completed; undefined where it has not begun. A step that an `on_error`
 * has given its output is known by its items as well.
 */
export function completedItems(state: RunState, stepId: string): CompletedItems | undefined {
  const index = indexOfStep(state.shape.indexes, stepId);
  const items = state.foreach?.get(index);
  if (items !== undefined) {
    const ends = [...items.results.values()].filter(({ error }) => error === null);
    return { stepId, total: items.total, ends };
  }
  const { output } = itemAt(state.results, index);
  return output === null ? undefined : itemsOfOutput(stepId, output);
}

/** The completed items in the output of a step with `foreach`. */
function itemsOfOutput(stepId: string, { results, errors }: JsonObject): CompletedItems | undefined {
  if (!isJsonArray(results) || !isJsonObject(errors)) return undefined;
  const ends = results.flatMap((output, index): ItemEnd[] =>
    isJsonObject(output) && !Object.hasOwn(errors, String(index))
      ? [{ index, output, error: null, attempts: 0 }]
      : [],
  );
  return { stepId, total: results.length, ends };
}

/**
 * The parts of an ended run to continue: the items of the step `stepId`, or every step that has not completed.
 * `itemsOf`: the items of a step that has begun, by its index, as the ended run had them. `copied`: the steps whose
 * outputs are copied.
 */
export function continuationOf(
  state: RunState,
  stepId: string | undefined,
  copied: readonly StepResult[],
  itemsOf: (index: number) => readonly JsonValue[],
): Continued {
  const { head, shape, results } = state;
  const steps =
    stepId === undefined
      ? results.filter(({ status }) => status !== 'COMPLETED').map((result) => result.stepId)
      : [stepId];
  const items: Record<string, readonly JsonValue[]> = {};
  const completed: CompletedItems[] = [];
  for (const id of steps) {
    const index = indexOfStep(shape.indexes, id);
    const known = itemAt(shape.definition.steps, index).foreach && completedItems(state, id);
    if (known === undefined) continue;
    items[id] = itemsOf(index);
    completed.push(known);
  }
  const children = [...(state.waits?.values() ?? [])].flatMap((wait): ContinuedChild[] => {
    if (wait.kind !== 'workflow' || !steps.includes(wait.stepId)) return [];
    const { ends = [] } = completed.find((step) => step.stepId === wait.stepId) ?? {};
    if (ends.some(({ index }) => index === wait.item)) return [];
    const { stepId, item, itemId: runId } = wait;
    return [{ stepId, item, runId, keysOf: continuedChild(head, stepId, item)?.keysOf ?? runId }];
  });
  const keysOf = stepId === undefined ? (head.continues?.keysOf ?? head.runId) : keyRunOf(head, stepId);
  return { continues: { keysOf, stepId, items, children }, copied, completed };
}
