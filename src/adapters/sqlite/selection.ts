import type { SQLInputValue } from 'node:sqlite';
import type { Selection } from '../../ports/storage/store.ts';
import { digestOf, type Layout, type SqliteColumn, type SqliteTable } from './layout.ts';

/** A part of a statement, with the values of its placeholders in their order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

/** A condition of a selection: the name of the column is put before each comparison. */
export interface Condition {
  readonly column: SqliteColumn;
  /** The values of which the column has one; undefined where it is compared with bounds. */
  readonly wanted: readonly SQLInputValue[] | undefined;
  /** For a statement that seeks by the index of the column. */
  readonly seek: Sql;
  /** For one that must not. */
  readonly filter: Sql;
}

/** The greatest integer of JavaScript in place of what is greater, and so for the smallest. */
export function bounded(value: number): number;
export function bounded(value: number | string | null): number | null;
export function bounded(value: number | string | null): number | null {
  if (typeof value !== 'number') return null;
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER));
}

/** Finds a table. Throws for one that the store does not keep. */
export function tableOf(layout: Layout, name: string): SqliteTable {
  const table = layout.get(name);
  if (table === undefined) throw new Error(`the store keeps no table ${JSON.stringify(name)}`);
  return table;
}

/** Finds the column of an index. Throws where the table has none of that type. */
export function columnOf(table: SqliteTable, index: string, type?: SqliteColumn['type']): SqliteColumn {
  const column = table.columns.get(index);
  if (column === undefined || column.type !== (type ?? column.type))
    throw new Error(`${table.rows} has no such index ${JSON.stringify(index)}`);
  return column;
}

/** The conditions of a selection, those of single values first; undefined where no row can fit. */
export function conditionsOf(
  table: SqliteTable,
  { where = {}, between = {} }: Selection,
): readonly Condition[] | undefined {
  const conditions: Condition[] = [];
  for (const [index, wanted] of Object.entries(where)) {
    const column = columnOf(table, index);
    const values = wantedValues(column, [wanted].flat());
    if (values.length === 0) return undefined;
    conditions.push(isOneOf(column, values));
  }
  for (const [index, { from, until }] of Object.entries(between)) {
    conditions.push(isBetween(columnOf(table, index, 'number'), from, until));
  }
  const weight = ({ wanted }: Condition): number => wanted?.length ?? Number.POSITIVE_INFINITY;
  return conditions.sort((one, other) => (weight(one) === weight(other) ? 0 : weight(one) - weight(other)));
}

/** The condition that a column has one of the values, of which there is one at least. */
export function isOneOf(column: SqliteColumn, wanted: readonly SQLInputValue[]): Condition {
  const test = wanted.length === 1 ? '= ?' : `IN (${wanted.map(() => '?').join(', ')})`;
  return {
    column,
    wanted,
    seek: { text: `${column.name} ${test}`, values: wanted },
    filter: { text: `+${column.name} ${test}`, values: wanted },
  };
}

/** The condition that a column has a number, of at least `from` and below `until`. */
export function isBetween(column: SqliteColumn, from?: number, until?: number): Condition {
  const tests = [
    ...(from === undefined ? [] : [{ test: '>= ?', value: bounded(Math.ceil(from)) }]),
    ...(until === undefined ? [] : [{ test: '< ?', value: bounded(Math.ceil(until)) }]),
  ];
  const values = tests.map(({ value }) => value);
  const textOf = (name: string): string =>
    [`${name} IS NOT NULL`, ...tests.map(({ test }) => `${name} ${test}`)].join(' AND ');
  return {
    column,
    wanted: undefined,
    seek: { text: textOf(column.name), values },
    filter: { text: textOf(`+${column.name}`), values },
  };
}

/** The values as they are stored: those of another type are in no row. */
function wantedValues(
  { type }: SqliteColumn,
  values: readonly (string | number)[],
): readonly SQLInputValue[] {
  const distinct = [...new Set(values)];
  if (type === 'number') return distinct.flatMap((value) => (Number.isSafeInteger(value) ? [value] : []));
  return distinct.flatMap((value) => (typeof value === 'string' ? [digestOf(value)] : []));
}

/** Joins conditions; one that is always true where there are none. */
export function all(parts: readonly Sql[]): Sql {
  return {
    text: parts.length === 0 ? 'TRUE' : parts.map(({ text }) => `(${text})`).join(' AND '),
    values: parts.flatMap(({ values }) => values),
  };
}
