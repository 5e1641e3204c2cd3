/** The part of a long list that is in the document: rows `from` (included) to `to` (excluded). */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** At most this many rows beyond each edge of the window, so that scrolling by a few shows no gap. */
const EXTRA = 8;

/** At most this many rows are in the document at a time. */
export const MAX_ROWS = 80;

/**
 * The rows to show of `count` rows of one height, for a window of `height` pixels that is scrolled by `top` pixels. Of
 * a window with space for more than {@link MAX_ROWS}, the upper part has rows.
 */
export function visibleRows(count: number, rowHeight: number, top: number, height: number): Part {
  if (count <= MAX_ROWS / 2) return { from: 0, to: count };
  const first = Math.max(0, Math.floor(top / rowHeight));
  const last = Math.max(first + 1, Math.ceil((top + height) / rowHeight));
  // A tall window needs most of the rows for itself.
  const extra = Math.max(0, Math.min(EXTRA, Math.floor((MAX_ROWS - (last - first)) / 2)));
  const from = Math.min(Math.max(0, first - extra), count - 1);
  return { from, to: Math.min(count, last + extra, from + MAX_ROWS) };
}
