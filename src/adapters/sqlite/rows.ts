import type { SQLOutputValue } from 'node:sqlite';

/** A row that was read, by column. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The text in a column. */
export function textOf(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== 'string') throw new Error(`column ${column} is not a text`);
  return value;
}

/** The text in a column, or undefined where it is null. */
export function optionalTextOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

/** The number in a column. */
export function numberOf(row: Row | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value !== 'number') throw new Error(`column ${column} is not a number`);
  return value;
}

/** Parses JSON that this service has written itself, so that its type is known. */
export function parseOwn<T>(json: string): T {
  return JSON.parse(json);
}
