import { hash } from 'node:crypto';
import type { TableShape } from '../../ports/storage/store.ts';

/*
 * SQLite overwrites what is deleted with zeros (`secure_delete`), but where it moves rows from page to page it leaves
 * copies of them in the unused parts of pages, which a later deletion of the row does not reach. Only the pages of a
 * row that is too long for its page are never copied. So texts of customers are written to such pages alone, after
 * padding that fills the page of the row, and columns that are compared have digests.
 */

/** A table of the store in the file. */
export interface SqliteTable {
  readonly name: string;
  /** The table of what is compared, one row for each row of the store. */
  readonly rows: string;
  /** The table of the JSON, with the id where the other one has a digest of it. */
  readonly texts: string;
  /** The indexes, in the order of the shape. */
  readonly columns: ReadonlyMap<string, SqliteColumn>;
  /** The columns of the indexes as they are read. */
  readonly selected: string;
  readonly hasPrivateRows: boolean;
  /** True where ids are stored as digests. */
  readonly hasPrivateIds: boolean;
}

/** The column of an index. A text is a digest. */
export interface SqliteColumn {
  readonly name: string;
  readonly type: 'text' | 'number';
  /** The index in SQL, ordered by the column, and then by positions for a text and by ids for a number. */
  readonly index: string;
}

/** The tables of a store by their names. */
export type Layout = ReadonlyMap<string, SqliteTable>;

const tableOrIndex = /^[a-z_]{1,40}$/;

/** Names the tables. Throws for names that the store's port does not allow. */
export function createLayout(shapes: readonly TableShape[]): Layout {
  return new Map(shapes.map((shape) => [shape.name, createTable(shape)]));
}

function createTable({ name, texts, numbers, isPrivate }: TableShape): SqliteTable {
  const rows = `rows_${checked(name)}`;
  const columnsOf = (indexes: object, type: SqliteColumn['type']) =>
    Object.keys(indexes).map((index): [string, SqliteColumn] => {
      const column = `by_${checked(index)}`;
      return [index, { name: column, type, index: `${rows}_${column}` }];
    });
  const columns = new Map([...columnsOf(texts, 'text'), ...columnsOf(numbers, 'number')]);
  const hasPrivateRows = isPrivate !== undefined;
  return {
    name,
    rows,
    texts: `texts_${name}`,
    columns,
    selected: [...columns.values()].map((column) => `, ${column.name}`).join(''),
    hasPrivateRows,
    hasPrivateIds: hasPrivateRows && Object.keys(numbers).length === 0,
  };
}

function checked(name: string): string {
  if (!tableOrIndex.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a table or an index`);
  return name;
}

/** The index of the rows that expire. */
export const expiryIndexOf = ({ rows }: SqliteTable): string => `${rows}_expiry`;

/**
 * The statements that make the tables which are missing. A row of `events` has successive events of a row, up to the
 * number `last_seq`; rows are in the order of their writing, so that one commit writes few pages. `counter` has a
 * number that is greater than all positions and versions that were given.
 */
export function schemaOf(layout: Layout): string {
  const tables = [...layout.values()].map((table) => {
    const columns = [...table.columns.values()];
    const indexes = columns.map(
      ({ name, type, index }) =>
        `CREATE INDEX IF NOT EXISTS ${index} ON ${table.rows} (${name}${type === 'number' ? ', id' : ''})
          WHERE ${name} IS NOT NULL;`,
    );
    return `
CREATE TABLE IF NOT EXISTS ${table.rows} (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  events INTEGER NOT NULL,
  expires_at INTEGER${columns.map(({ name, type }) => `, ${name} ${type === 'number' ? 'INTEGER' : 'BLOB'}`).join('')}
);
CREATE INDEX IF NOT EXISTS ${expiryIndexOf(table)} ON ${table.rows} (expires_at) WHERE expires_at IS NOT NULL;
${indexes.join('\n')}
CREATE TABLE IF NOT EXISTS ${table.texts} (
  position INTEGER PRIMARY KEY, padding BLOB NOT NULL, id TEXT, json TEXT NOT NULL
);`;
  });
  return `${tables.join('\n')}
CREATE TABLE IF NOT EXISTS bodies (position INTEGER PRIMARY KEY, padding BLOB NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS events (
  position INTEGER NOT NULL, last_seq INTEGER NOT NULL, padding BLOB NOT NULL, json TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS events_by_row ON events (position, last_seq);
CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS write_test (id INTEGER PRIMARY KEY, data BLOB NOT NULL);`;
}

/** The digests that are remembered, because most texts of indexes are of few values. */
const MAX_DIGESTS = 2_000;

/** The bytes of a digest: nobody finds two texts with the same one. */
const DIGEST_BYTES = 20;

let digests = new Map<string, Uint8Array>();

/** Converts a text to what its column has: equal for equal texts, and without the text. Works for any string. */
export function digestOf(text: string): Uint8Array {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = hash('sha256', JSON.stringify(text), 'buffer').subarray(0, DIGEST_BYTES);
  if (text.length > 200) return digest;
  if (digests.size >= MAX_DIGESTS) digests = new Map();
  digests.set(text, digest);
  return digest;
}

/** Any id as a text that SQLite keeps as it is, in the same order for ordinary ids. */
export function encodeId(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

/** The id that {@link encodeId} has encoded. */
export function decodeId(encoded: string): string {
  return JSON.parse(`"${encoded}"`);
}

/** An id as the column of a table has it: encoded, or a digest of that. */
export function keyOf({ hasPrivateIds }: SqliteTable, id: string): string {
  const encoded = encodeId(id);
  return hasPrivateIds ? hash('sha256', encoded, 'base64url') : encoded;
}

/** The number of zeros to store in a row before texts, so that no text is in the page of the row itself. */
export type PaddingFor = (...texts: readonly (string | null)[]) => number;

/** The most bytes of a row beside its padding and its texts. */
const MAX_HEAD = 128;

/** Creates {@link PaddingFor} rows that have little beside their padding and their texts, which come last. */
export function createPadding(pageBytes: number): PaddingFor {
  // From the file format of SQLite, section 1.6: a long row keeps at least this much in its page ...
  const local = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
  // ... and exactly this much when the rest fills whole further pages.
  const perPage = pageBytes - 4;
  return (...texts) => {
    const bytes = texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0);
    const further = Math.ceil((bytes + MAX_HEAD) / perPage);
    return local + further * perPage - bytes;
  };
}
