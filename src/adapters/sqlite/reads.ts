import type { SQLInputValue } from 'node:sqlite';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Place, RangeRequest, Selection } from '../../ports/storage/store.ts';
import type { Connection } from './connection.ts';
import { expiryIndexOf, keyOf, type SqliteTable } from './layout.ts';
import {
  all,
  bounded,
  type Condition,
  columnOf,
  conditionsOf,
  isBetween,
  isOneOf,
  type Sql,
} from './selection.ts';
import { EVENT_SEPARATOR } from './writes.ts';

/** A row as its columns are read. */
export type Columns = Readonly<Record<string, unknown>>;

/** Finds rows. Every member throws, or rejects with, `unavailable` where the file cannot be read. */
export interface Reads {
  /** A row that has not expired. */
  get(table: SqliteTable, id: string, withBody: boolean): Columns | undefined;
  /** See `Store.range`. Other work runs in between: a row that is written or removed meanwhile may be missing. */
  range(table: SqliteTable, request: RangeRequest): Promise<readonly Columns[]>;
  /** See `Store.count`. */
  count(table: SqliteTable, selection: Selection): Promise<number>;
  /** The positions of the first rows in the order of an index of numbers, or of any rows; at most `limit`. */
  positions(
    table: SqliteTable,
    selection: Selection,
    page: { readonly order?: string; readonly limit: number },
  ): readonly number[];
  /** The row at a position, whether it has expired or not. */
  at(table: SqliteTable, position: number, withBody: boolean): Columns | undefined;
  /** See `Store.events`. */
  events(table: SqliteTable, id: string, after: number, limit: number): Promise<readonly string[]>;
}

/** So few rows that a condition finds are sorted, rather than to look through all that another one finds. */
const FEW = 256;

/** The rows of a part that is looked through without a pause: few first, because most pages are the first ones. */
const FIRST_PART = 512;
const MAX_PART = 8_192;

/** To find a row by an index takes as long as to look at so many rows, one after the other. */
const SEEK_COST = 4;

/** Rows of events that are read without a pause. */
const EVENT_ROWS = 100;

/** The way in which the rows of a selection are found: by one index, and compared with the rest. */
interface Plan {
  readonly seek: Condition | undefined;
  readonly rest: readonly Condition[];
  /** True where the index finds few rows. */
  readonly isFew: boolean;
}

/** True where the index of a condition gives its rows in the order of their positions. */
function isInOrder({ column, wanted }: Condition): boolean {
  return column.type === 'text' && wanted?.length === 1;
}

/** Creates {@link Reads} by a clock that rows expire by. */
export function createReads({ prepare, read }: Connection, now: () => number): Reads {
  const liveNow = (): Sql => ({ text: '+expires_at IS NULL OR +expires_at > ?', values: [now()] });

  function rows(text: string, values: readonly SQLInputValue[]): readonly Columns[] {
    return read(() => prepare(text).all(...values));
  }

  function numbers(text: string, values: readonly SQLInputValue[]): Readonly<Record<string, number>> {
    const found = read(() => prepare(text).get(...values)) ?? {};
    return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, Number(value)]));
  }

  const selectRow = (table: SqliteTable, withBody: boolean): string =>
    `SELECT r.id, r.version, r.position, t.id AS private_id, t.json${withBody ? ', b.body' : ''}
      FROM ${table.rows} AS r JOIN ${table.texts} AS t ON t.position = r.position
      ${withBody ? 'LEFT JOIN bodies AS b ON b.position = r.position' : ''}`;

  function at(table: SqliteTable, position: number, withBody: boolean): Columns | undefined {
    return read(() => prepare(`${selectRow(table, withBody)} WHERE r.position = ?`).get(position));
  }

  /** About how many rows a condition finds: no more are counted than `FEW` and one. */
  function sizeOf(table: SqliteTable, { seek }: Condition): number {
    const some = `SELECT 1 FROM ${table.rows} WHERE ${seek.text} LIMIT ${FEW + 1}`;
    return numbers(`SELECT count(*) AS size FROM (${some})`, seek.values)['size'] ?? 0;
  }

  /** Finds the index for a selection: one that finds few rows, or that of the order, or the first of a single value. */
  function planOf(table: SqliteTable, conditions: readonly Condition[], ordered?: Condition): Plan {
    const [first, ...others] = conditions;
    const isAlone = others.length === 0 && (first === undefined || isInOrder(first));
    const isChosen = ordered !== undefined || !isAlone;
    if (isChosen) {
      const sizes = conditions.map((condition) => ({ condition, size: sizeOf(table, condition) }));
      const [smallest] = sizes.sort((one, other) => one.size - other.size);
      if (smallest !== undefined && smallest.size <= FEW) {
        const seek = smallest.condition;
        return { seek, rest: conditions.filter((condition) => condition !== seek), isFew: true };
      }
    }
    if (ordered !== undefined) return { seek: ordered, rest: conditions, isFew: false };
    const single = conditions.find(isInOrder);
    return { seek: single, rest: conditions.filter((condition) => condition !== single), isFew: false };
  }

  /** The conditions of an ordered request with the one by which its index is read. */
  function planOrdered(
    table: SqliteTable,
    conditions: readonly Condition[],
    { order, after, descending = false }: Pick<RangeRequest, 'order' | 'after' | 'descending'>,
  ): { readonly plan: Plan; readonly ordering: string; readonly beyond: readonly Sql[] } {
    const column = columnOf(table, order ?? '', 'number');
    const { name } = column;
    const isOfOrder = ({ column: other, wanted }: Condition): boolean =>
      other === column && wanted === undefined;
    const bounds = conditions.find(isOfOrder) ?? isBetween(column);
    const others = conditions.filter((condition) => !isOfOrder(condition));
    const plan = planOf(table, others, bounds);
    const rest = plan.seek === bounds ? plan.rest : [...plan.rest, bounds];
    const direction = descending ? 'DESC' : 'ASC';
    return {
      plan: { ...plan, rest },
      ordering: `${name} ${direction}, id ${direction}`,
      beyond: after === undefined ? [] : [beyondOf(table, name, after, descending)],
    };
  }

  function beyondOf(table: SqliteTable, name: string, { value, id }: Place, descending: boolean): Sql {
    return {
      text: `(${name}, id) ${descending ? '<' : '>'} (?, ?)`,
      values: [bounded(value), keyOf(table, id)],
    };
  }

  const from = (table: SqliteTable, seek: Condition | undefined): string =>
    seek === undefined ? table.rows : `${table.rows} INDEXED BY ${seek.column.index}`;

  function positionsOf(
    table: SqliteTable,
    { seek, rest }: Plan,
    {
      ordering,
      beyond,
      limit,
      offset,
    }: { ordering: string; beyond: readonly Sql[]; limit: number; offset: number },
  ): readonly number[] {
    const where = all([
      ...(seek === undefined ? [] : [seek.seek]),
      ...rest.map(({ filter }) => filter),
      ...beyond,
      liveNow(),
    ]);
    const text = `SELECT position FROM ${from(table, seek)} WHERE ${where.text}
      ORDER BY ${ordering} LIMIT ? OFFSET ?`;
    return rows(text, [...where.values, limit, offset]).map(({ position }) => Number(position));
  }

  /** The rows of each value in their order, of which no more are read than the page needs. */
  function positionsOfValues(
    table: SqliteTable,
    { column, wanted = [] }: Condition,
    page: { direction: string; beyond: Sql; limit: number; offset: number },
  ): readonly number[] {
    const { direction, beyond, limit, offset } = page;
    const parts = wanted.map((value) => {
      const { seek } = isOneOf(column, [value]);
      const where = all([seek, beyond, liveNow()]);
      const text = `SELECT position FROM (SELECT position FROM ${table.rows} INDEXED BY ${column.index}
        WHERE ${where.text} ORDER BY position ${direction} LIMIT ?)`;
      return { text, values: [...where.values, limit + offset] };
    });
    const text = `${parts.map((part) => part.text).join(' UNION ALL ')}
      ORDER BY position ${direction} LIMIT ? OFFSET ?`;
    const values = [...parts.flatMap((part) => part.values), limit, offset];
    return rows(text, values).map(({ position }) => Number(position));
  }

  /**
   * Looks through the rows of a plan in the order of their positions, part by part, until `limit` are found; undefined:
   * to count them. Calls `found` with each part of the page.
   */
  async function scan(
    table: SqliteTable,
    { seek, rest }: Plan,
    request: { descending: boolean; after: number | undefined; limit: number | undefined; offset: number },
    found: (positions: readonly number[]) => void = () => undefined,
  ): Promise<number> {
    const { descending, limit } = request;
    const [direction, beyond, last] = descending ? ['DESC', '<', 'min'] : ['ASC', '>', 'max'];
    const end = descending ? Number.MAX_SAFE_INTEGER : -1;
    const filter = all([...rest.map((condition) => condition.filter), liveNow()]);
    const columns = ['expires_at', ...new Set(rest.map(({ column }) => column.name))].join(', ');
    const where = seek === undefined ? { text: 'TRUE', values: [] } : seek.seek;
    const part = `(SELECT position, ${columns} FROM ${from(table, seek)}
      WHERE ${where.text} AND position ${beyond} ? ORDER BY position ${direction} LIMIT ?)`;
    const page = `SELECT position FROM ${part} WHERE ${filter.text}
      ORDER BY position ${direction} LIMIT ? OFFSET ?`;
    const statistics = `SELECT count(*) AS seen, ${last}(position) AS last,
      count(*) FILTER (WHERE ${filter.text}) AS fitting FROM ${part}`;
    let after = request.after ?? end;
    let skip = request.offset;
    let missing = limit ?? 0;
    let total = 0;
    for (let size = FIRST_PART; ; size = Math.min(4 * size, MAX_PART)) {
      const inPart = [...where.values, after, size];
      if (missing > 0) {
        const positions = rows(page, [...inPart, ...filter.values, missing, skip]);
        found(positions.map(({ position }) => Number(position)));
        missing -= positions.length;
      }
      if (limit !== undefined && missing === 0) return total;
      const {
        seen = 0,
        last: lastSeen = end,
        fitting = 0,
      } = numbers(statistics, [...filter.values, ...inPart]);
      total += fitting;
      skip = Math.max(0, skip - fitting);
      if (seen < size) return total;
      after = lastSeen;
      await yieldIfDue();
    }
  }

  /** The number of all rows of one condition, expired ones too, by its index alone. */
  async function countAll(table: SqliteTable, condition: Condition): Promise<number> {
    const { column, wanted, seek } = condition;
    if (wanted === undefined) {
      const text = `SELECT count(*) AS size FROM ${from(table, condition)} WHERE ${seek.text}`;
      return numbers(text, seek.values)['size'] ?? 0;
    }
    const part = `SELECT position FROM ${table.rows} INDEXED BY ${column.index}
      WHERE ${column.name} = ? ${column.type === 'text' ? 'AND position > ? ORDER BY position LIMIT ?' : ''}`;
    const text = `SELECT count(*) AS size, max(position) AS last FROM (${part})`;
    let total = 0;
    for (const value of wanted) {
      for (let after = -1; ; ) {
        const values = column.type === 'text' ? [value, after, MAX_PART] : [value];
        const { size = 0, last = after } = numbers(text, values);
        total += size;
        if (column.type === 'number' || size < MAX_PART) break;
        after = last;
        await yieldIfDue();
      }
    }
    return total;
  }

  const countRows = (table: SqliteTable): number =>
    numbers(`SELECT count(*) AS size FROM ${table.rows}`, [])['size'] ?? 0;

  /** A plan to look through all rows, where an index would find more than some of them. */
  async function quickestToCount(
    table: SqliteTable,
    plan: Plan,
    conditions: readonly Condition[],
  ): Promise<Plan> {
    if (plan.seek === undefined) return plan;
    const isQuick = (await countAll(table, plan.seek)) * SEEK_COST < countRows(table);
    return isQuick ? plan : { ...plan, seek: undefined, rest: conditions };
  }

  function countExpired(table: SqliteTable, conditions: readonly Condition[]): number {
    const where = all([
      { text: 'expires_at <= ?', values: [now()] },
      ...conditions.map(({ filter }) => filter),
    ]);
    const text = `SELECT count(*) AS size FROM ${table.rows} INDEXED BY ${expiryIndexOf(table)}
      WHERE ${where.text}`;
    return numbers(text, where.values)['size'] ?? 0;
  }

  function idPosition(table: SqliteTable, id: string): number | undefined {
    const where = all([{ text: 'id = ?', values: [keyOf(table, id)] }, liveNow()]);
    const text = `SELECT position FROM ${table.rows} WHERE ${where.text}`;
    return numbers(text, where.values)['position'];
  }

  return {
    at,
    get(table, id, withBody) {
      const where = all([{ text: 'r.id = ?', values: [keyOf(table, id)] }, liveNow()]);
      return read(() => prepare(`${selectRow(table, withBody)} WHERE ${where.text}`).get(...where.values));
    },
    async range(table, request) {
      const { order, descending = false, after, limit, offset = 0, withBody = false } = request;
      const conditions = conditionsOf(table, request);
      if (conditions === undefined || limit <= 0) return [];
      const readAll = (positions: readonly number[]): readonly Columns[] =>
        positions.flatMap((position): readonly Columns[] => {
          const columns = at(table, position, withBody);
          return columns === undefined ? [] : [columns];
        });
      if (order !== undefined) {
        const { plan, ...ordered } = planOrdered(table, conditions, request);
        return readAll(positionsOf(table, plan, { ...ordered, limit, offset }));
      }
      const direction = descending ? 'DESC' : 'ASC';
      const end = descending ? Number.MAX_SAFE_INTEGER : -1;
      const [only, ...others] = conditions;
      const beyond = { text: `position ${descending ? '<' : '>'} ?`, values: [bounded(after?.value ?? end)] };
      if (
        only?.wanted !== undefined &&
        only.wanted.length > 1 &&
        others.length === 0 &&
        only.column.type === 'text'
      )
        return readAll(positionsOfValues(table, only, { direction, beyond, limit, offset }));
      const plan = planOf(table, conditions);
      if (plan.isFew) {
        const ordering = `position ${direction}`;
        return readAll(positionsOf(table, plan, { ordering, beyond: [beyond], limit, offset }));
      }
      const found: Columns[] = [];
      await scan(table, plan, { descending, after: after?.value, limit, offset }, (positions) => {
        // At once, before any of them can be removed.
        found.push(...readAll(positions));
      });
      return found;
    },
    async count(table, selection) {
      const conditions = conditionsOf(table, selection);
      if (conditions === undefined) return 0;
      const [only, ...others] = conditions;
      if (only === undefined) return countRows(table) - countExpired(table, []);
      if (others.length === 0) {
        const size = await countAll(table, only);
        return Math.max(0, size - countExpired(table, conditions));
      }
      const plan = planOf(table, conditions);
      if (plan.isFew)
        return positionsOf(table, plan, { ordering: 'position', beyond: [], limit: -1, offset: 0 }).length;
      const quickest = await quickestToCount(table, plan, conditions);
      return scan(table, quickest, { descending: false, after: undefined, limit: undefined, offset: 0 });
    },
    positions(table, selection, { order, limit }) {
      const conditions = conditionsOf(table, selection);
      if (conditions === undefined) return [];
      if (order === undefined) {
        const plan = planOf(table, conditions);
        return positionsOf(table, plan, { ordering: 'position', beyond: [], limit, offset: 0 });
      }
      const { plan, ...ordered } = planOrdered(table, conditions, { order });
      return positionsOf(table, plan, { ...ordered, limit, offset: 0 });
    },
    async events(table, id, after, limit) {
      const found: string[] = [];
      const position = idPosition(table, id);
      if (position === undefined) return found;
      let last = after;
      while (found.length < limit) {
        const some = rows(
          'SELECT last_seq, json FROM events WHERE position = ? AND last_seq > ? ORDER BY last_seq LIMIT ?',
          [position, last, EVENT_ROWS],
        );
        for (const { last_seq: lastSeq, json } of some) {
          const texts = String(json).split(EVENT_SEPARATOR);
          // The first of them may be those that the caller has.
          const first = Number(lastSeq) - texts.length;
          found.push(...texts.slice(Math.max(0, last - first)));
          last = Number(lastSeq);
        }
        if (some.length < EVENT_ROWS) break;
        await yieldIfDue();
      }
      return found.slice(0, limit);
    },
  };
}
