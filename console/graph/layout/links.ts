import { itemAt } from '../../../src/lib/array.ts';

/** A directed edge between two nodes, by their indexes. */
export type Link = readonly [from: number, to: number];

/** The neighbours of each node: those before it and those after it. */
export interface Neighbours {
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/** The neighbours of `count` nodes, in the order of the links. Throws for a link to a node that does not exist. */
export function neighboursOf(count: number, links: readonly Link[]): Neighbours {
  const before = Array.from({ length: count }, (): number[] => []);
  const after = Array.from({ length: count }, (): number[] => []);
  for (const [from, to] of links) {
    itemAt(after, from).push(to);
    itemAt(before, to).push(from);
  }
  return { before, after };
}

/** The indexes of nodes by their column. Columns without nodes are left out. */
export function columnsOf(layers: readonly number[]): number[][] {
  const columns = new Map<number, number[]>();
  for (const [index, layer] of layers.entries()) {
    const column = columns.get(layer);
    if (column === undefined) columns.set(layer, [index]);
    else column.push(index);
  }
  return [...columns.entries()].sort(([a], [b]) => a - b).map(([, column]) => column);
}
