import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Connection } from './connection.ts';
import { numberOf } from './rows.ts';

/** A part of a statement, with the values of its placeholders in their order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly (string | number)[];
}

/** Which rows of a table are looked at, newest first, and which of these are found. */
export interface Scan {
  readonly table: string;
  /** The columns that `filter` names. */
  readonly columns: string;
  /** What an index finds. */
  readonly seek: Sql;
  /** What is compared row by row; absent where every row is found. */
  readonly filter?: Sql | undefined;
}

/** The part of the found rows that is requested. */
export interface ScanRequest {
  readonly offset: number;
  readonly limit: number;
  /** Only positions below this one; all when absent. */
  readonly before?: number | undefined;
  /** Whether all found rows are counted; else the scan ends with the page. */
  readonly counts: boolean;
}

/** The positions of a page, newest first. `total` is known only where it was counted. */
export interface Found {
  readonly positions: readonly number[];
  readonly total: number;
}

/** A part of a scan: a small one first, because most pages are the first ones. */
const FIRST_PART = 256;
const MAX_PART = 8_192;

/**
 * Finds rows in parts, and lets other work run between them. A row that is written or removed meanwhile may be missing.
 * Rejects with `unavailable`.
 */
export async function scanTable(connection: Connection, scan: Scan, request: ScanRequest): Promise<Found> {
  const { table, columns, seek, filter = { text: 'TRUE', values: [] } } = scan;
  const { offset, limit, counts } = request;
  const part = `(SELECT position${columns} FROM ${table} WHERE ${seek.text} AND position < ?
    ORDER BY position DESC LIMIT ?)`;
  const statistics = `SELECT count(*) AS seen, coalesce(min(position), 0) AS lowest,
    count(*) FILTER (WHERE ${filter.text}) AS fitting FROM ${part}`;
  const page = `SELECT position FROM ${part} WHERE ${filter.text} ORDER BY position DESC LIMIT ? OFFSET ?`;
  const positions: number[] = [];
  let total = 0;
  let before = request.before ?? Number.MAX_SAFE_INTEGER;
  for (let size = FIRST_PART; ; size = Math.min(4 * size, MAX_PART)) {
    const inPart = [...seek.values, before, size];
    const { seen, lowest, fitting } = connection.read(() => {
      const row = connection.prepare(statistics).get(...filter.values, ...inPart);
      const skipped = Math.max(0, offset - total);
      const found = numberOf(row, 'fitting');
      if (positions.length < limit && found > skipped) {
        const rows = connection
          .prepare(page)
          .all(...inPart, ...filter.values, limit - positions.length, skipped);
        for (const each of rows) positions.push(numberOf(each, 'position'));
      }
      return { seen: numberOf(row, 'seen'), lowest: numberOf(row, 'lowest'), fitting: found };
    });
    total += fitting;
    if (seen < size || (!counts && positions.length === limit)) return { positions, total };
    before = lowest;
    await yieldIfDue();
  }
}
