import { itemAt } from '../../../src/lib/array.ts';
import type { Link, Neighbours } from './links.ts';

/** The number of times that the columns are sorted, alternately from the left and from the right. */
const SWEEPS = 4;

/**
 * The order of the nodes in their columns, so that edges are short and cross seldom: each node moves to the mean place
 * of its neighbours in several sweeps, and the best order that was seen counts. Time: about linear in nodes and links.
 */
export function orderColumns(
  columns: readonly (readonly number[])[],
  { before, after }: Neighbours,
  links: readonly Link[],
): number[][] {
  const place = before.map(() => 0);
  const wanted = before.map(() => 0);
  let current = columns.map((column) => [...column]);
  for (const column of current) write(column, place);
  let best = current;
  let least = lengthOf(links, place);
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
    const fromLeft = sweep % 2 === 0;
    const neighbours = fromLeft ? before : after;
    const sorted = current.map((column) => [...column]);
    for (const column of fromLeft ? sorted : sorted.toReversed()) {
      for (const node of column)
        wanted[node] = meanOf(itemAt(neighbours, node), place) ?? itemAt(place, node);
      // A node without neighbours keeps its place, and nodes of one mean keep their order.
      column.sort((a, b) => itemAt(wanted, a) - itemAt(wanted, b));
      write(column, place);
    }
    current = sorted;
    const length = lengthOf(links, place);
    if (length < least) {
      least = length;
      best = sorted;
    }
  }
  return best;
}

/** Places of a column: 0 is its middle, and neighbours are one apart. */
function write(column: readonly number[], place: number[]): void {
  const middle = (column.length - 1) / 2;
  for (const [row, node] of column.entries()) place[node] = row - middle;
}

/** The mean place of nodes; undefined for none. */
export function meanOf(nodes: readonly number[], place: readonly number[]): number | undefined {
  if (nodes.length === 0) return undefined;
  let sum = 0;
  for (const node of nodes) sum += itemAt(place, node);
  return sum / nodes.length;
}

function lengthOf(links: readonly Link[], place: readonly number[]): number {
  let sum = 0;
  for (const [from, to] of links) sum += Math.abs(itemAt(place, from) - itemAt(place, to));
  return sum;
}
