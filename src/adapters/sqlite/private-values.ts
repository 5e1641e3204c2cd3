import { hash } from 'node:crypto';
import type { Connection } from './connection.ts';
import { numberOf, parseOwn } from './rows.ts';

/*
 * SQLite overwrites what is deleted with zeros (`secure_delete`), but where it moves rows from page to page it leaves
 * copies of them in the unused parts of pages, which a later deletion of the row does not reach. Only the pages of a
 * row that is too long for its page are never copied. So texts of customers are written to such pages alone, and
 * columns that are compared have digests.
 */

/** Converts a text to what its column has: equal for equal texts, and without the text. Works for any string. */
export function digestOf(text: string): string {
  return hash('sha256', JSON.stringify(text), 'base64url');
}

/** Converts an id of this service to a text that SQLite keeps as it is, in the same order for ordinary ids. */
export function keyOf(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

/** The id that {@link keyOf} has converted. */
export function idOf(key: string): string {
  return parseOwn<string>(`"${key}"`);
}

/**
 * The number of zeros to store in a row before texts of so many bytes, so that no text is in the page of the row
 * itself.
 */
export type PaddingFor = (...texts: readonly (string | null)[]) => number;

/** Converts JSON to a text that means the same, of which nothing is in the page of its row: see above. */
export type HideJson = (json: string) => string;

/** Creates {@link HideJson}. White space fills the page of the row. */
export function createHideJson({ prepare }: Pick<Connection, 'prepare'>): HideJson {
  const padding = ' '.repeat(numberOf(prepare('PRAGMA page_size').get(), 'page_size'));
  return (json) => padding + json;
}

/** The most bytes of a row beside its padding and its texts. */
const MAX_HEAD = 128;

/** Creates {@link PaddingFor} rows that have little beside their padding and their texts, which come last. */
export function createPadding({ prepare }: Pick<Connection, 'prepare'>): PaddingFor {
  const pageBytes = numberOf(prepare('PRAGMA page_size').get(), 'page_size');
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
