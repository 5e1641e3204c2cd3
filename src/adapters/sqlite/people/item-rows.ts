import type { InboxItem } from '../../../domain/inbox/item.ts';
import { nextChangeAt, rankOf } from '../../../domain/inbox/order.ts';
import type { Connection } from '../connection.ts';
import { createPadding, digestOf, keyOf } from '../private-values.ts';
import { numberOf, parseOwn, type Row, textOf } from '../rows.ts';

/** An item in its stored form. */
export interface EncodedItem {
  readonly id: string;
  /** The values of its columns, from `kind` on. */
  readonly columns: readonly (string | number | null)[];
  readonly json: string;
  /** About what it takes in the file. */
  readonly bytes: number;
}

/** The rows of items. Every member but `read` is called within a write. */
export interface ItemRows {
  /** The position, the version, and the digests of the customer and the conversation of an item; undefined without one. */
  find(id: string): Row | undefined;
  /** Adds an item that is not there. */
  add(item: EncodedItem): void;
  /** Replaces an item. */
  replace(position: number, item: EncodedItem): void;
  /** Removes an item. */
  remove(position: number): void;
  /** Reads an item. */
  read(position: number): InboxItem | undefined;
}

/** Size of the rows of an item without its JSON, in bytes. */
export const ITEM_ROW_BYTES = 1_024;

const columns =
  'kind, status, priority, overdue, place, opened_at, ended_at, next_at, version, assignee, customer, conversation';

/** Converts an item to its stored form. */
export function encodeItem(item: InboxItem): EncodedItem {
  const { itemId, kind, status, priority, isOverdue, openedAt, endedAt, version } = item;
  const { assignee, customerId, conversationId } = item;
  const json = JSON.stringify(item);
  const digests = [assignee, customerId, conversationId].map((text) =>
    text === null ? null : digestOf(text),
  );
  return {
    id: keyOf(itemId),
    columns: [
      ...[kind, status, priority, Number(isOverdue), rankOf(item), Date.parse(openedAt)],
      ...[endedAt === null ? null : Date.parse(endedAt), nextChangeAt(item), version, ...digests],
    ],
    json,
    bytes: ITEM_ROW_BYTES + json.length,
  };
}

/** Creates {@link ItemRows}. */
export function createItemRows(connection: Connection): ItemRows {
  const { prepare } = connection;
  const paddingFor = createPadding(connection);
  const marks = Array.from(columns.split(','), () => '?').join(', ');
  const find = prepare('SELECT position, version, ended_at, customer, conversation FROM items WHERE id = ?');
  const add = prepare(`INSERT INTO items (position, id, ${columns}) VALUES (?, ?, ${marks})`);
  const change = prepare(`UPDATE items SET (${columns}) = (${marks}) WHERE position = ?`);
  const putJson = prepare('INSERT OR REPLACE INTO items_json VALUES (?, zeroblob(?), ?)');
  const remove = prepare('DELETE FROM items WHERE position = ?');
  const removeJson = prepare('DELETE FROM items_json WHERE position = ?');
  const getJson = prepare('SELECT item FROM items_json WHERE position = ?');

  return {
    find: (id) => find.get(id),
    add({ id, columns: values, json }) {
      const position = connection.nextPosition();
      add.run(position, id, ...values);
      putJson.run(position, paddingFor(json), json);
    },
    replace(position, { columns: values, json }) {
      change.run(...values, position);
      putJson.run(position, paddingFor(json), json);
    },
    remove(position) {
      remove.run(position);
      removeJson.run(position);
    },
    read(position) {
      const row = getJson.get(position);
      return row === undefined ? undefined : parseOwn<InboxItem>(textOf(row, 'item'));
    },
  };
}

/** The position of a row. */
export function positionOf(row: Row): number {
  return numberOf(row, 'position');
}
