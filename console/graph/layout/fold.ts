import { itemAt } from '../../../src/lib/array.ts';
import type { GraphNode } from '../types.ts';
import { columnsOf, type Link, neighboursOf } from './links.ts';

/** Steps that can be shown as one node, by their indexes: a chain, or many alike side by side. */
export interface Fold {
  /** Unlike the id of any step, and the same as long as its first step is. */
  readonly id: string;
  readonly shape: 'chain' | 'wide';
  readonly members: readonly number[];
}

/** A node that is shown: a step, or a fold. */
export interface Shown {
  readonly id: string;
  /** The column, from 0 without gaps. */
  readonly layer: number;
  /** The indexes of its steps; one for a step. */
  readonly members: readonly number[];
  /** The kind of fold; undefined for a step. */
  readonly shape?: Fold['shape'] | undefined;
}

/** A graph as it is shown. */
export interface ShownGraph {
  readonly shown: readonly Shown[];
  readonly links: readonly Link[];
  /** The index of the shown node of each step. */
  readonly shownOf: readonly number[];
}

const MIN_CHAIN = 5;
const MIN_WIDE = 8;
/** In place of the index of a fold: the step is in none. */
const UNFOLDED = -1;

/** The kind of a step. */
const kindOf = ({ kind, detail }: GraphNode): string => kind ?? detail.split(' ', 1)[0] ?? '';

/**
 * The folds of a graph: eight or more steps of one layer and kind with the same dependencies, where all steps of
 * another such fold count as one; and chains of five or more steps with nothing beside them. No step is in two. Time:
 * about linear.
 */
export function findFolds(nodes: readonly GraphNode[], links: readonly Link[]): readonly Fold[] {
  const { before, after } = neighboursOf(nodes.length, links);
  const folds: Fold[] = [];
  const foldOf = nodes.map(() => UNFOLDED);
  const add = (shape: Fold['shape'], members: readonly number[]): void => {
    const first = itemAt(nodes, itemAt(members, 0));
    for (const member of members) foldOf[member] = folds.length;
    folds.push({ id: `${shape}:${first.id}`, shape, members });
  };

  const keyOf = (index: number): string => {
    const dependencies = itemAt(before, index).map((one) => {
      const fold = itemAt(foldOf, one);
      return fold !== UNFOLDED ? `fold ${fold}` : String(one);
    });
    return [...new Set(dependencies)].sort().join(' ');
  };
  for (const column of columnsOf(nodes.map(({ layer }) => layer))) {
    if (column.length < MIN_WIDE) continue;
    const alike = Map.groupBy(column, (index) => `${kindOf(itemAt(nodes, index))}\n${keyOf(index)}`);
    for (const members of alike.values()) if (members.length >= MIN_WIDE) add('wide', members);
  }

  const isFree = (index: number): boolean => itemAt(foldOf, index) === UNFOLDED;
  const nextOf = (index: number): number | undefined => {
    const [next, ...others] = itemAt(after, index);
    const isChained = next !== undefined && others.length === 0 && itemAt(before, next).length === 1;
    return isChained && isFree(index) && isFree(next) ? next : undefined;
  };
  const isContinued = new Set(nodes.map((_, index) => nextOf(index)));
  for (const index of nodes.keys()) {
    if (isContinued.has(index)) continue;
    const chain = [index];
    for (let next = nextOf(index); next !== undefined; next = nextOf(next)) chain.push(next);
    if (chain.length >= MIN_CHAIN) add('chain', chain);
  }
  return folds;
}

/** The graph with all folds shown as one node each, except those whose ids are in `unfolded`. Linear time. */
export function showGraph(
  nodes: readonly GraphNode[],
  links: readonly Link[],
  folds: readonly Fold[],
  unfolded: ReadonlySet<string>,
): ShownGraph {
  const foldOf = new Map<number, Fold>();
  for (const fold of folds) {
    if (!unfolded.has(fold.id)) for (const member of fold.members) foldOf.set(member, fold);
  }
  const shown: Shown[] = [];
  const places = new Map<string, number>();
  const shownOf = nodes.map(({ id, layer }, index) => {
    const fold = foldOf.get(index);
    const key = fold?.id ?? id;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, shown.length);
    shown.push({ id: key, layer, members: fold?.members ?? [index], shape: fold?.shape });
    return shown.length - 1;
  });
  const columns = columnsOf(shown.map(({ layer }) => layer));
  for (const [layer, column] of columns.entries())
    for (const index of column) shown[index] = { ...itemAt(shown, index), layer };
  return {
    shown,
    links: linksBetween(links, shownOf, shown.length),
    shownOf,
  };
}

/** The links between shown nodes, each once. */
function linksBetween(links: readonly Link[], shownOf: readonly number[], count: number): Link[] {
  const seen = new Set<number>();
  return links.flatMap(([from, to]): Link[] => {
    const link: Link = [itemAt(shownOf, from), itemAt(shownOf, to)];
    const key = link[0] * count + link[1];
    if (link[0] === link[1] || seen.has(key)) return [];
    seen.add(key);
    return [link];
  });
}

/** Statuses of steps, the one that needs most attention first. */
const worstFirst = ['FAILED', 'WAITING', 'RUNNING', 'CANCELLED', 'PENDING', 'SKIPPED', 'COMPLETED'];

/** The number of steps by status, the status that needs most attention first. Steps without status are left out. */
export function countStatuses(
  nodes: readonly (GraphNode | undefined)[],
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    if (node?.status !== undefined) counts.set(node.status, (counts.get(node.status) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => worstFirst.indexOf(a) - worstFirst.indexOf(b));
}
