import type { Neighbours } from './links.ts';
import { meanOf } from './order.ts';

/** How often nodes are drawn to the height of their neighbours. */
const PASSES = 4;

/**
 * The height of each node's middle. Nodes of a column keep their order and at least the distance that `gapOf` asks for,
 * and are as near to their neighbours as that allows. Time: linear in nodes and links.
 */
export function placeRows(
  columns: readonly (readonly number[])[],
  { before, after }: Neighbours,
  gapOf: (upper: number, lower: number) => number,
): Float64Array {
  const place = new Float64Array(before.length);
  const placed = columns.map((column) => ({ column, offsets: offsetsOf(column, gapOf) }));
  for (const { column, offsets } of placed) {
    const middle = (offsets.at(-1) ?? 0) / 2;
    for (const [row, node] of column.entries()) place[node] = (offsets[row] ?? 0) - middle;
  }
  for (let pass = 0; pass < PASSES; pass++) {
    const fromLeft = pass % 2 === 0;
    const neighbours = fromLeft ? before : after;
    for (const { column, offsets } of fromLeft ? placed : placed.toReversed()) {
      const wanted = column.map((node) => meanOf(neighbours[node] ?? [], place) ?? place[node] ?? 0);
      const nearest = keepApart(wanted, offsets);
      for (const [row, node] of column.entries()) place[node] = nearest[row] ?? 0;
    }
  }
  return place;
}

/** The least distance of each node of a column from its first one. */
function offsetsOf(column: readonly number[], gapOf: (upper: number, lower: number) => number): number[] {
  let offset = 0;
  return column.map((node, row) => {
    const upper = column[row - 1];
    if (upper !== undefined) offset += gapOf(upper, node);
    return offset;
  });
}

/**
 * The heights nearest to those wanted, by least squares, of which each is at least its offset below the first. Neighbours
 * that are too near are gathered into blocks, which move as one.
 */
export function keepApart(wanted: readonly number[], offsets: readonly number[]): number[] {
  const sums: number[] = [];
  const counts: number[] = [];
  for (const [row, height] of wanted.entries()) {
    let sum = height - (offsets[row] ?? 0);
    let count = 1;
    while (sums.length > 0 && (sums.at(-1) ?? 0) / (counts.at(-1) ?? 1) >= sum / count) {
      sum += sums.pop() ?? 0;
      count += counts.pop() ?? 0;
    }
    sums.push(sum);
    counts.push(count);
  }
  const heights: number[] = [];
  for (const [block, count] of counts.entries()) {
    const shift = (sums[block] ?? 0) / count;
    for (let left = count; left > 0; left--) heights.push(shift + (offsets[heights.length] ?? 0));
  }
  return heights;
}
