import { isEnded } from './plan.ts';
import type { Run, StepResult } from './reads.ts';

/** A row of the tree of steps. */
export type TreeRow =
  | {
      readonly kind: 'layer';
      readonly id: string;
      readonly level: 1;
      readonly isOpen: boolean;
      readonly layer: number;
      readonly count: number;
      readonly ended: number;
    }
  | {
      readonly kind: 'step';
      readonly id: string;
      /** 1 in a layer of one step, which has no row of its own. */
      readonly level: 1 | 2;
      /** Undefined where the step has no items. */
      readonly isOpen: boolean | undefined;
      readonly result: StepResult;
      readonly items: number;
    }
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly level: 2 | 3;
      readonly isOpen: undefined;
      readonly stepId: string;
      readonly item: Item;
    };

/** An item of a step with `foreach` that has ended. */
export interface Item {
  readonly index: number;
  readonly status: 'COMPLETED' | 'FAILED';
  readonly output: unknown;
  readonly error: string | undefined;
}

/** The items of a step with `foreach`, from its output. None while it runs. */
export function itemsOf(output: unknown): readonly Item[] {
  if (typeof output !== 'object' || output === null || !('results' in output)) return [];
  const { results } = output;
  if (!Array.isArray(results)) return [];
  const errors = 'errors' in output && typeof output.errors === 'object' ? (output.errors ?? {}) : {};
  const texts = new Map<string, unknown>(Object.entries(errors));
  return results.map((result: unknown, index): Item => {
    const error = texts.get(String(index));
    const status = error === undefined ? 'COMPLETED' : 'FAILED';
    return { index, status, output: result, error: error === undefined ? undefined : String(error) };
  });
}

/**
 * The rows of a run: its layers of several steps, in them the steps, and in these their items. `toggled` has the ids of
 * rows that are not as they are at first: layers are open at first, the items of a step are not. `hasItems` says which
 * steps have `foreach`.
 */
export function treeRows(
  run: Pick<Run, 'step_results'>,
  hasItems: (stepId: string) => boolean,
  toggled: ReadonlySet<string>,
): readonly TreeRow[] {
  const layers = new Map<number, StepResult[]>();
  for (const result of Object.values(run.step_results)) {
    const layer = layers.get(result.layer);
    if (layer === undefined) layers.set(result.layer, [result]);
    else layer.push(result);
  }
  return [...layers.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((layer): readonly TreeRow[] => {
      const results = layers.get(layer) ?? [];
      const [only] = results;
      if (only !== undefined && results.length === 1)
        return stepRows(only, hasItems(only.step_id), toggled, 1);
      const id = layerId(layer);
      const isOpen = !toggled.has(id);
      const ended = results.filter(isEnded).length;
      const head: TreeRow = { kind: 'layer', id, level: 1, isOpen, layer, count: results.length, ended };
      return isOpen
        ? [head, ...results.flatMap((result) => stepRows(result, hasItems(result.step_id), toggled, 2))]
        : [head];
    });
}

/** The id of the row of a layer; no step can have it. */
const layerId = (layer: number): string => `layer:${layer}`;

function stepRows(
  result: StepResult,
  hasItems: boolean,
  toggled: ReadonlySet<string>,
  level: 1 | 2,
): readonly TreeRow[] {
  const id = result.step_id;
  const items = hasItems ? itemsOf(result.output) : [];
  const isOpen = items.length === 0 ? undefined : toggled.has(id);
  const step: TreeRow = { kind: 'step', id, level, isOpen, result, items: items.length };
  if (isOpen !== true) return [step];
  return [
    step,
    ...items.map(
      (item): TreeRow => ({
        kind: 'item',
        id: `${id}:${item.index}`,
        level: level === 1 ? 2 : 3,
        isOpen: undefined,
        stepId: id,
        item,
      }),
    ),
  ];
}

/** Where an arrow key leads from a row. */
export type Move =
  | { readonly kind: 'to'; readonly index: number }
  | { readonly kind: 'toggle'; readonly id: string }
  | undefined;

/**
 * The effect of a key in the tree, as in every tree: up and down move, right opens or goes in, left closes or goes out.
 */
export function moveIn(rows: readonly TreeRow[], at: number, key: string, page = 10): Move {
  const row = rows[at];
  const to = (index: number): Move => ({
    kind: 'to',
    index: Math.max(0, Math.min(rows.length - 1, index)),
  });
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at - 1);
    case 'PageDown':
      return to(at + page);
    case 'PageUp':
      return to(at - page);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      if (row?.isOpen === false) return { kind: 'toggle', id: row.id };
      return row?.isOpen === true ? to(at + 1) : undefined;
    case 'ArrowLeft': {
      if (row?.isOpen === true) return { kind: 'toggle', id: row.id };
      if (row === undefined || row.level === 1) return undefined;
      for (let index = at - 1; index >= 0; index--) {
        if ((rows[index]?.level ?? 0) < row.level) return to(index);
      }
      return undefined;
    }
    default:
      return undefined;
  }
}
