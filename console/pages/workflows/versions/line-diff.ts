/** A line of two texts that are compared. Numbers count from 1; undefined where the text does not have it. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-';
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly text: string;
}

/** Up to this many pairs of lines between two anchors are compared with each other. */
const MAX_PAIRS = 250_000;

/**
 * The lines of two texts, with what was removed and added. Equal ends are taken away, then lines that each text has
 * once are the anchors, and short stretches between them are compared in full. A long stretch without anchors counts as
 * removed and added: the work grows with the texts, not with their square.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [one, other] = [before.split('\n'), after.split('\n')];
  const lines: DiffLine[] = [];
  const removed = (at: number): void => {
    lines.push({ sign: '-', before: at + 1, after: undefined, text: one[at] ?? '' });
  };
  const added = (at: number): void => {
    lines.push({ sign: '+', before: undefined, after: at + 1, text: other[at] ?? '' });
  };
  let [a, b] = [0, 0];
  for (const [x, y] of [...matches(one, other), [one.length, other.length] as const]) {
    while (a < x) removed(a++);
    while (b < y) added(b++);
    if (x < one.length) lines.push({ sign: ' ', before: ++a, after: ++b, text: one[x] ?? '' });
  }
  return lines;
}

type Pair = readonly [one: number, other: number];

interface Part {
  readonly from: number;
  readonly to: number;
}

function matches(one: readonly string[], other: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  const open: (readonly [Part, Part])[] = [
    [
      { from: 0, to: one.length },
      { from: 0, to: other.length },
    ],
  ];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [left, right] = trim(one, other, part, pairs);
    if (left.from === left.to || right.from === right.to) continue;
    const anchors = anchorsOf(one, other, left, right);
    if (anchors.length === 0) {
      pairs.push(...commonIn(one, other, left, right));
      continue;
    }
    let [a, b] = [left.from, right.from];
    for (const [x, y] of [...anchors, [left.to, right.to] as const]) {
      open.push([
        { from: a, to: x },
        { from: b, to: y },
      ]);
      if (x < left.to) pairs.push([x, y]);
      [a, b] = [x + 1, y + 1];
    }
  }
  return pairs.sort(([x], [y]) => x - y);
}

/** Takes equal lines at both ends away, and notes them. */
function trim(
  one: readonly string[],
  other: readonly string[],
  [left, right]: readonly [Part, Part],
  pairs: Pair[],
): readonly [Part, Part] {
  let [a, b, aEnd, bEnd] = [left.from, right.from, left.to, right.to];
  while (a < aEnd && b < bEnd && one[a] === other[b]) pairs.push([a++, b++]);
  while (aEnd > a && bEnd > b && one[aEnd - 1] === other[bEnd - 1]) pairs.push([--aEnd, --bEnd]);
  return [
    { from: a, to: aEnd },
    { from: b, to: bEnd },
  ];
}

/** The lines that both parts have exactly once, as many as stand in the same order. */
function anchorsOf(
  one: readonly string[],
  other: readonly string[],
  left: Part,
  right: Part,
): readonly Pair[] {
  const places = onceIn(other, right);
  const candidates: Pair[] = [];
  for (const [text, at] of onceIn(one, left)) {
    const place = places.get(text);
    if (place !== undefined) candidates.push([at, place]);
  }
  return longestRising(candidates.sort(([x], [y]) => x - y));
}

function onceIn(lines: readonly string[], { from, to }: Part): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const twice = new Set<string>();
  for (let at = from; at < to; at++) {
    const text = lines[at] ?? '';
    if (places.has(text)) twice.add(text);
    places.set(text, at);
  }
  for (const text of twice) places.delete(text);
  return places;
}

/** The longest rising sequence of the second numbers, by patience sorting. */
function longestRising(pairs: readonly Pair[]): readonly Pair[] {
  const ends: number[] = [];
  const before: number[] = [];
  const second = (index: number | undefined): number => pairs[index ?? -1]?.[1] ?? -1;
  for (const [index, [, value]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (second(ends[middle]) < value) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? -1 : (ends[low - 1] ?? -1));
    ends[low] = index;
  }
  const found: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) found.push(pair);
  }
  return found.reverse();
}

/** The longest common lines of two short parts; none of long ones. */
function commonIn(
  one: readonly string[],
  other: readonly string[],
  left: Part,
  right: Part,
): readonly Pair[] {
  const [rows, columns] = [left.to - left.from, right.to - right.from];
  if (rows * columns > MAX_PAIRS) return [];
  const width = columns + 1;
  const best = new Uint16Array((rows + 1) * width);
  const at = (row: number, column: number): number => best[row * width + column] ?? 0;
  const isEqual = (row: number, column: number): boolean =>
    one[left.from + row] === other[right.from + column];
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      best[row * width + column] = isEqual(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let [row, column] = [0, 0]; row < rows && column < columns; ) {
    if (isEqual(row, column)) pairs.push([left.from + row++, right.from + column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return pairs;
}

/** A stretch of lines: changes with some lines around them, or lines that are left out because nothing changed. */
export type DiffBlock =
  | { readonly kind: 'lines'; readonly lines: readonly DiffLine[] }
  | { readonly kind: 'same'; readonly lines: readonly DiffLine[] };

/** Cuts a difference into stretches: equal lines further than `around` from a change are set apart. */
export function foldSame(lines: readonly DiffLine[], around = 3): readonly DiffBlock[] {
  const isNear = new Uint8Array(lines.length);
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== ' ') last = index;
    if (index - last <= around) isNear[index] = 1;
  }
  let next = Number.POSITIVE_INFINITY;
  for (let index = lines.length - 1; index >= 0; index--) {
    if (lines[index]?.sign !== ' ') next = index;
    if (next - index <= around) isNear[index] = 1;
  }
  const blocks: { kind: 'lines' | 'same'; lines: DiffLine[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const kind = isNear[index] === 1 ? 'lines' : 'same';
    const current = blocks.at(-1);
    if (current?.kind === kind) current.lines.push(line);
    else blocks.push({ kind, lines: [line] });
  }
  return blocks;
}
