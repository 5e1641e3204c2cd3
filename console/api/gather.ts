/** A list as it is shown, and what has come since. */
export interface Gathered<Row> {
  /** In the order in which they are shown, which only the reader changes. */
  readonly shown: readonly Row[];
  /** New rows that wait to be shown, newest first. */
  readonly waiting: readonly Row[];
}

/**
 * Takes over a newer first page. Rows that are shown get their new values in their places. Rows that are not shown wait,
 * unless `showsAll`. Rows that the new page no longer has stay: they are further down now.
 */
export function gather<Row>(
  before: Gathered<Row>,
  fresh: readonly Row[],
  idOf: (row: Row) => string,
): Gathered<Row> {
  const newest = new Map(fresh.map((row) => [idOf(row), row]));
  const shown = before.shown.map((row) => newest.get(idOf(row)) ?? row);
  const known = new Set(shown.map(idOf));
  const waiting = fresh.filter((row) => !known.has(idOf(row)));
  const freshIds = new Set(waiting.map(idOf));
  return {
    shown,
    waiting: [
      ...waiting,
      ...before.waiting.filter((row) => !freshIds.has(idOf(row)) && !known.has(idOf(row))),
    ],
  };
}

/** Shows what waits, above everything else. */
export function showWaiting<Row>({ shown, waiting }: Gathered<Row>): Gathered<Row> {
  return { shown: [...waiting, ...shown], waiting: [] };
}

/** Adds a further page at the end; rows that are there already are not added again. */
export function addPage<Row>(
  before: Gathered<Row>,
  page: readonly Row[],
  idOf: (row: Row) => string,
): Gathered<Row> {
  const known = new Set([...before.shown, ...before.waiting].map(idOf));
  return { ...before, shown: [...before.shown, ...page.filter((row) => !known.has(idOf(row)))] };
}
