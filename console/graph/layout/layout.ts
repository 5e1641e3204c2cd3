import { itemAt } from '../../../src/lib/array.ts';
import { columnsOf, type Link, neighboursOf } from './links.ts';
import { orderColumns } from './order.ts';
import { placeRows } from './place.ts';

/** A point of the drawing, in pixels at scale 1. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** An edge of the drawing: the points that it goes through, from the right of a node to the left of another. */
export interface Route {
  readonly from: number;
  readonly to: number;
  readonly points: readonly Point[];
}

/** Where everything stands. */
export interface Layout {
  /** The upper left corner of each node. */
  readonly corners: readonly Point[];
  readonly routes: readonly Route[];
  readonly width: number;
  readonly height: number;
}

/** Pixels of a node. */
export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

const COLUMN_GAP = 44;
const ROW_GAP = 20;
/** The room of an edge that passes between two nodes. */
const LANE_GAP = 14;
/** Edges over several columns get lanes of their own while there are at most so many lanes in all. */
const MAX_LANES = 4_000;
/** A column of more nodes than this is broken into several, side by side. */
const MAX_COLUMN = 150;

/**
 * Places nodes in columns from left to right by their layers. The same input has the same layout. Links must lead to a
 * later layer. Time: about linear in nodes and links.
 */
export function layOut(layers: readonly number[], links: readonly Link[], size: NodeSize): Layout {
  const { chains, laneLayers } = addLanes(layers, links);
  const count = layers.length;
  const all = [...layers, ...laneLayers];
  const short = laneLayers.length === 0 ? links : chains.flatMap((chain) => pairs(chain));
  const neighbours = neighboursOf(all.length, short);
  const columns = orderColumns(columnsOf(all), neighbours, short);
  const rowHeight = (node: number): number => (node < count ? size.height + ROW_GAP : LANE_GAP);
  const gapOf = (upper: number, lower: number): number => (rowHeight(upper) + rowHeight(lower)) / 2;
  const middles = placeRows(columns, neighbours, gapOf);
  const left = all.map(() => 0);
  let x = 0;
  for (const column of columns) {
    const wide = breakColumn(column, middles, size);
    for (const [row, node] of column.entries())
      left[node] = x + Math.floor(row / wide.rows) * (size.width + ROW_GAP);
    x += wide.width + COLUMN_GAP;
  }
  const top = middles.reduce((least, middle) => Math.min(least, middle), 0) - size.height / 2;
  const bottom = middles.reduce((most, middle) => Math.max(most, middle), 0) + size.height / 2;
  const at = (node: number): Point => ({ x: itemAt(left, node), y: itemAt(middles, node) - top });
  return {
    corners: layers.map((_, node) => ({ x: at(node).x, y: at(node).y - size.height / 2 })),
    routes: chains.map((chain) => routeOf(chain, at, size.width)),
    width: Math.max(size.width, x - COLUMN_GAP),
    height: count === 0 ? 0 : bottom - top,
  };
}

/** Each link as the nodes that it goes through: its ends, and a lane in each column between them. */
function addLanes(layers: readonly number[], links: readonly Link[]) {
  const spanOf = ([from, to]: Link): number => itemAt(layers, to) - itemAt(layers, from);
  const lanes = links.reduce((sum, link) => sum + Math.max(0, spanOf(link) - 1), 0);
  const laneLayers: number[] = [];
  if (lanes === 0 || lanes > MAX_LANES) return { chains: links, laneLayers };
  const chains = links.map((link): readonly number[] => {
    const [from, to] = link;
    const between = Array.from({ length: Math.max(0, spanOf(link) - 1) }, (_, step) => {
      laneLayers.push(itemAt(layers, from) + step + 1);
      return layers.length + laneLayers.length - 1;
    });
    return [from, ...between, to];
  });
  return { chains, laneLayers };
}

function pairs(chain: readonly number[]): Link[] {
  return chain.slice(1).map((to, index): Link => [itemAt(chain, index), to]);
}

/** Breaks a very long column into several of equal height, about as wide in all as it is high. Changes `middles`. */
function breakColumn(column: readonly number[], middles: number[], { width, height }: NodeSize) {
  if (column.length <= MAX_COLUMN) return { rows: Math.max(1, column.length), width };
  const rowHeight = height + ROW_GAP;
  const square = Math.sqrt((column.length * (width + ROW_GAP)) / rowHeight);
  const rows = Math.ceil(Math.max(MAX_COLUMN / 2, square));
  for (const [row, node] of column.entries()) middles[node] = ((row % rows) - (rows - 1) / 2) * rowHeight;
  const parts = Math.ceil(column.length / rows);
  return { rows, width: parts * (width + ROW_GAP) - ROW_GAP };
}

function routeOf(chain: readonly number[], at: (node: number) => Point, width: number): Route {
  const from = itemAt(chain, 0);
  const to = itemAt(chain, chain.length - 1);
  const start = at(from);
  const ends = [{ x: start.x + width, y: start.y }, at(to)];
  if (chain.length === 2) return { from, to, points: ends };
  const lanes = chain.slice(1, -1).flatMap((lane) => {
    const { x, y } = at(lane);
    return [
      { x, y },
      { x: x + width, y },
    ];
  });
  return { from, to, points: ends.toSpliced(1, 0, ...lanes) };
}

/** The edge as an SVG path: a cubic curve between each two points, which leaves and arrives level. */
export function pathOf({ points }: Route): string {
  const [first] = points;
  if (first === undefined) return '';
  const curves = points.slice(1).map(({ x, y }, index) => {
    const before = itemAt(points, index);
    const bend = bendOf(before, { x, y });
    return `C${before.x + bend} ${before.y} ${x - bend} ${y} ${x} ${y}`;
  });
  return `M${first.x} ${first.y}${curves.join('')}`;
}

/** The distance of the handles of a curve from its ends. */
export function bendOf(from: Point, to: Point): number {
  return from.y === to.y ? 0 : Math.min(120, Math.max(16, Math.abs(to.x - from.x) / 2));
}
