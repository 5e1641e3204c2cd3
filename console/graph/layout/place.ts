import { itemAt } from '../../../src/lib/array.ts';
import type { Neighbours } from './links.ts';
import { meanOf } from './order.ts';

/** The number of times that nodes are drawn to the height of their neighbours. */
const PASSES = 4;

/**
 * The height of each node's middle. Nodes of a column keep their order and at least the distance that `gapOf` asks for,
 * and are as near to their neighbours as that allows. Time: linear in nodes and links.
 */
export function placeRows(
  columns: readonly (readonly number[])[],
  { before, after }: Neighbours,
  gapOf: (upper: number, lower: number) => number,
): number[] {
  const place = before.map(() => 0);
  const placed = columns.map((column) => ({ column, offsets: offsetsOf(column, gapOf) }));
  for (const { column, offsets } of placed) {
    const middle = (offsets.at(-1) ?? 0) / 2;
    for (const [row, node] of column.entries()) place[node] = itemAt(offsets, row) - middle;
  }
  for (let pass = 0; pass < PASSES; pass++) {
    const fromLeft = pass % 2 === 0;
    const neighbours = fromLeft ? before : after;
    for (const { column, offsets } of fromLeft ? placed : placed.toReversed()) {
      const wanted = column.map((node) => meanOf(itemAt(neighbours, node), place) ?? itemAt(place, node));
      const nearest = keepApart(wanted, offsets);
      for (const [row, node] of column.entries()) place[node] = itemAt(nearest, row);
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
 * The heights nearest to those wanted, by least squares, of which each is at least its offset below the first.
 * Neighbours that are too near are gathered into blocks, which move as one.
 */
export function keepApart(wanted: readonly number[], offsets: readonly number[]): number[] {
  const blocks: { readonly sum: number; readonly count: number }[] = [];
  for (const [row, height] of wanted.entries()) {
    let block = { sum: height - itemAt(offsets, row), count: 1 };
    for (let above = blocks.at(-1); above !== undefined; above = blocks.at(-1)) {
      if (above.sum / above.count < block.sum / block.count) break;
      block = { sum: block.sum + above.sum, count: block.count + above.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  const heights: number[] = [];
  for (const { sum, count } of blocks) {
    for (let left = count; left > 0; left--) heights.push(sum / count + itemAt(offsets, heights.length));
  }
  return heights;
}
