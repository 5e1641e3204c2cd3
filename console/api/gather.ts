/** A row of a list, and how far its values can be trusted. */
export interface Kept<Row> {
  readonly row: Row;
  /** The cursor of the page that has the row; undefined for the first page. */
  readonly from: string | undefined;
  /** The change, counted by the list, after which the row is to be read again; 0 when it is as it was read. */
  readonly staleSince: number;
  /** The page that should have the row has it no longer, so that its values are of before. */
  readonly isOld: boolean;
}

/** A list as it is shown, and what has come since. Its order is changed by the reader alone. */
export interface Gathered<Row> {
  /** The new rows that wait to be shown, and then those that are shown. */
  readonly kept: readonly Kept<Row>[];
  readonly waitingCount: number;
  /** More is new than what waits: the list must be read from its beginning. */
  readonly hasGap: boolean;
}

/** A page that was read. */
export interface ReadPage<Row> {
  readonly rows: readonly Row[];
  /** Its cursor; undefined for the first page. */
  readonly from: string | undefined;
  /** The cursor of the page after it; null on the last one. */
  readonly next: string | null;
  /** The last change before it was asked for. */
  readonly asOf: number;
}

/** More new rows than this do not wait: nobody reads them, and they cost memory. */
const MAX_WAITING = 500;

const keep = <Row>(row: Row, from: string | undefined, staleSince = 0): Kept<Row> => ({
  row,
  from,
  staleSince,
  isOld: false,
});

/** A list that begins with its first page. */
export function startList<Row>(rows: readonly Row[]): Gathered<Row> {
  return { kept: rows.map((row) => keep(row, undefined)), waitingCount: 0, hasGap: false };
}

/**
 * Takes over a page that was read again. Known rows get their new values in their places; unknown ones of the first
 * page wait. Of rows that are missing, those between rows of the page have left the list and become old, or are no
 * longer new; those after it are further down now.
 */
export function takePage<Row>(
  before: Gathered<Row>,
  page: ReadPage<Row>,
  idOf: (row: Row) => string,
): Gathered<Row> {
  const { from, asOf } = page;
  const isFirst = from === undefined;
  const fresh = new Map(page.rows.map((row) => [idOf(row), row]));
  const range = rangeOf(before.kept, page, idOf);
  const known = new Set<string>();
  let waitingCount = 0;
  const kept = before.kept.flatMap((entry, index): readonly Kept<Row>[] => {
    const id = idOf(entry.row);
    const row = fresh.get(id);
    const isWaiting = index < before.waitingCount;
    if (row !== undefined) known.add(id);
    else if (isWaiting && range.has(index)) return [];
    if (isWaiting) waitingCount++;
    if (row !== undefined) return [keep(row, from, entry.staleSince > asOf ? entry.staleSince : 0)];
    return [
      range.has(index) ? { ...entry, staleSince: 0, isOld: true } : miss(entry, page, range.isAfter(index)),
    ];
  });
  if (!isFirst) return { ...before, kept, waitingCount };
  const added = page.rows.filter((row) => !known.has(idOf(row))).map((row) => keep(row, undefined));
  const isApart = known.size === 0 && page.next !== null;
  const hasGap = before.hasGap || isApart || added.length + waitingCount > MAX_WAITING;
  if (hasGap) return { kept: kept.slice(waitingCount), waitingCount: 0, hasGap };
  return { kept: [...added, ...kept], waitingCount: waitingCount + added.length, hasGap };
}

/** Which places of the list a page covers: rows there that it does not have are no longer there. */
function rangeOf<Row>(kept: readonly Kept<Row>[], page: ReadPage<Row>, idOf: (row: Row) => string) {
  const places = new Map(kept.map(({ row }, index) => [idOf(row), index]));
  const found = page.rows.flatMap((row) => places.get(idOf(row)) ?? []);
  const isFirst = page.from === undefined;
  const [begin = Number.POSITIVE_INFINITY] = isFirst ? [-1] : found;
  const end = page.next === null ? Number.POSITIVE_INFINITY : (found.at(-1) ?? -1);
  return {
    has: (index: number): boolean => index > begin && index < end,
    /** True for a place after the rows of the page, as far as that is known. */
    isAfter: (index: number): boolean => found.length > 0 && index > end,
  };
}

/** A row that a page does not have, though it has not left the list for certain. */
function miss<Row>(entry: Kept<Row>, { from, next }: ReadPage<Row>, isAfter: boolean): Kept<Row> {
  if (entry.from !== from) return entry;
  // It was pushed down by rows before it: the next page has it.
  if (isAfter && next !== null && (from === undefined || entry.staleSince > 0))
    return { ...entry, from: next };
  return entry.staleSince === 0 ? entry : { ...entry, staleSince: 0, isOld: true };
}

/** Marks rows that may have changed: those with an id in `ids`, or all. The same list where there are none of them. */
export function markStale<Row>(
  before: Gathered<Row>,
  ids: ReadonlySet<string> | 'all',
  change: number,
  idOf: (row: Row) => string,
): Gathered<Row> {
  const isMeant = ({ row }: Kept<Row>): boolean => ids === 'all' || ids.has(idOf(row));
  if (!before.kept.some(isMeant)) return before;
  const kept = before.kept.map((entry) => (isMeant(entry) ? { ...entry, staleSince: change } : entry));
  return { ...before, kept };
}

/** The cursor of a further page with rows that must be read again; undefined where there are none. */
export function stalePage<Row>({ kept }: Gathered<Row>): string | undefined {
  return kept.find(({ staleSince, from }) => staleSince > 0 && from !== undefined)?.from;
}

/** Adds a further page at the end; rows that are there already are not added again. */
export function addPage<Row>(
  before: Gathered<Row>,
  rows: readonly Row[],
  from: string,
  idOf: (row: Row) => string,
): Gathered<Row> {
  const known = new Set(before.kept.map(({ row }) => idOf(row)));
  const added = rows.filter((row) => !known.has(idOf(row))).map((row) => keep(row, from));
  return { ...before, kept: [...before.kept, ...added] };
}
