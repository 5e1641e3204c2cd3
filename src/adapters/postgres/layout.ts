import { createHash } from 'node:crypto';
import type { TableShape } from '../../ports/storage/store.ts';

/** A table in SQL. All names are quoted, and those of tables bear their schema. */
export interface SqlTable {
  readonly name: string;
  /** Its name without quotes and schema. */
  readonly bareName: string;
  /** The indexes with their columns, in the order of the shape. */
  readonly columns: ReadonlyMap<string, SqlColumn>;
}

/** The column of an index. */
export interface SqlColumn {
  readonly name: string;
  readonly bareName: string;
  readonly type: 'text' | 'bigint';
}

/**
 * A position where rows are listed by it alone. Its index has this expression and not the column, so that the server
 * does not read it for the rows that have a text: it may expect to find them soon where they all come last.
 */
export const PLACE = '(position + 0)';

/** The names of everything in a schema. */
export interface Layout {
  readonly schema: string;
  /** The channel of notices: the name of the schema. */
  readonly channel: string;
  readonly tables: ReadonlyMap<string, SqlTable>;
  readonly events: string;
  readonly migrations: string;
  /** The table of the rate limiter. */
  readonly rates: string;
  /** The sequence of positions and versions, as a literal for `nextval`. */
  readonly nextNumber: string;
  /** A function that ends the statement with `OTHER_VERSION` where it is called with null. */
  readonly must: string;
  /** The function of a trigger that removes the events of a row that has gone. */
  readonly removeEvents: string;
  readonly sequence: string;
}

/** So that the names of indexes, which are made of both, are not cut off. */
const tableOrIndex = /^[a-z_]{1,27}$/;

/** Names a schema and what is in it. Throws for names that the store's port does not allow. */
export function createLayout(schema: string, shapes: readonly TableShape[]): Layout {
  const inSchema = (name: string): string => `"${schema}"."${name}"`;
  const tables = shapes.map((shape): [string, SqlTable] => {
    const bareName = `rows_${checked(shape.name)}`;
    const columnsOf = (indexes: object, type: SqlColumn['type']) =>
      Object.keys(indexes).map((index): [string, SqlColumn] => {
        const column = `by_${checked(index)}`;
        return [index, { name: `"${column}"`, bareName: column, type }];
      });
    const columns = new Map([...columnsOf(shape.texts, 'text'), ...columnsOf(shape.numbers, 'bigint')]);
    return [shape.name, { name: inSchema(bareName), bareName, columns }];
  });
  return {
    schema: `"${schema}"`,
    channel: schema,
    tables: new Map(tables),
    events: inSchema('events'),
    migrations: inSchema('migrations'),
    rates: inSchema('rates'),
    nextNumber: `nextval('${inSchema('positions')}')`,
    must: inSchema('must'),
    removeEvents: inSchema('remove_events'),
    sequence: inSchema('positions'),
  };
}

function checked(name: string): string {
  if (!tableOrIndex.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a table or an index`);
  return name;
}

/**
 * Any text as one that PostgreSQL can store: as in JSON without its quotes. Another one for each text, and the same for
 * most.
 */
export function encodeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text that {@link encodeText} has encoded. */
export function decodeText(encoded: string): string {
  return JSON.parse(`"${encoded}"`);
}

/** The longest text of an index in bytes; an entry of a B-tree may have 2,704. */
const MAX_INDEX_BYTES = 500;

/** A text of an index, encoded. Of long ones a digest, which begins as no encoded text does. */
export function encodeIndexText(text: string): string {
  const encoded = encodeText(text);
  if (Buffer.byteLength(encoded) <= MAX_INDEX_BYTES) return encoded;
  return `\\#${createHash('sha256').update(encoded).digest('hex')}`;
}
