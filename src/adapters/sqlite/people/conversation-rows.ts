import {
  type Conversation,
  type ConversationEntry,
  MAX_CONVERSATION_ENTRIES,
} from '../../../domain/message/conversation.ts';
import type { Connection } from '../connection.ts';
import { createPadding, digestOf, idOf } from '../private-values.ts';
import { numberOf, optionalTextOf, parseOwn, type Row, textOf } from '../rows.ts';

/** Entries about one message, in their stored form. */
export interface EncodedEntries {
  readonly size: number;
  /** A digest. */
  readonly trace: string;
  /** Whether a message has such entries once at most. */
  readonly isOnce: boolean;
  /** When the last one was said, in milliseconds since the epoch. */
  readonly at: number;
  readonly json: string;
  /** About what they take in the file. */
  readonly bytes: number;
}

/** The members of a conversation that never change. */
export type BegunConversation = Pick<Conversation, 'conversationId' | 'customerId' | 'createdAt'>;

/** The value of a column that may have a digest. */
type Digest = Row[string] | undefined;

/** The rows of conversations. Conversations and customers are named by their digests. */
export interface ConversationRows {
  /** The row of a conversation that has not expired. */
  find(conversation: Digest): Row | undefined;
  /** Adds a conversation without entries, in place of one that has expired. */
  begin(begun: BegunConversation): void;
  /**
   * Adds entries, if the conversation is there and belongs to the customer. Those of a message that is there already take
   * the place of its own.
   */
  add(conversation: Digest, customer: Digest, entries: EncodedEntries): void;
  /** Holds a conversation through an item, if it is there and belongs to the customer. */
  hold(conversation: Digest, customer: Digest, item: string): void;
  /** Lets go of a conversation that is held through the item. */
  letGo(conversation: Digest, item: string): void;
  /** Removes the entries of a message; the conversation too, with its last entry. Returns whether there were any. */
  removeEntries(row: Row, trace: string): boolean;
  /** Removes at most `limit` rows of a conversation, itself the last one. Returns their number. */
  remove(position: number, limit: number): number;
  /** A conversation with its newest entries, the last `limit` of them. */
  read(row: Row, limit: number): Conversation;
}

/** Size of a row without its texts, in bytes. */
export const CONVERSATION_ROW_BYTES = 1_024;

/** Converts entries about one message to their stored form; undefined where there are none. */
export function encodeEntries(entries: readonly ConversationEntry[]): EncodedEntries | undefined {
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const json = JSON.stringify(entries);
  return {
    size: entries.length,
    trace: digestOf(last.traceId ?? ''),
    isOnce: last.from !== 'person',
    at: Date.parse(last.at),
    json,
    bytes: CONVERSATION_ROW_BYTES + json.length,
  };
}

/** Creates {@link ConversationRows}. `cutoff` is the time at or before which those that have expired changed last. */
export function createConversationRows(connection: Connection, cutoff: () => number): ConversationRows {
  const { prepare } = connection;
  const paddingFor = createPadding(connection);
  const find = prepare('SELECT * FROM conversations WHERE id = ?');
  const begin = prepare(
    'INSERT INTO conversations (position, id, customer, entries, updated_at) VALUES (?, ?, ?, 0, ?)',
  );
  const beginJson = prepare('INSERT INTO conversations_json VALUES (?, zeroblob(?), ?)');
  const getJson = prepare('SELECT conversation FROM conversations_json WHERE position = ?');
  const grow = prepare('UPDATE conversations SET entries = entries + ?, updated_at = ? WHERE position = ?');
  const shrink = prepare('UPDATE conversations SET entries = entries - ? WHERE position = ?');
  const setItem = prepare('UPDATE conversations SET open_item = ? WHERE position = ?');
  const clearItem = prepare('UPDATE conversations SET open_item = NULL WHERE id = ? AND open_item = ?');
  const findKnown = prepare(
    'SELECT position, json FROM entries WHERE conversation = ? AND trace = ? ORDER BY position',
  );
  const replaceEntries = prepare('UPDATE entries SET padding = zeroblob(?), json = ? WHERE position = ?');
  const addEntries = prepare('INSERT INTO entries VALUES (?, ?, ?, ?, zeroblob(?), ?)');
  const newest = prepare(
    'SELECT size, json FROM entries WHERE conversation = ? ORDER BY position DESC LIMIT ?',
  );
  const oldest = prepare(
    'SELECT position, size FROM entries WHERE conversation = ? ORDER BY position LIMIT 1',
  );
  const removeEntry = prepare('DELETE FROM entries WHERE position = ?');
  const removeOfTrace = prepare('DELETE FROM entries WHERE conversation = ? AND trace = ? RETURNING size');
  const removeSome = prepare(
    'DELETE FROM entries WHERE position IN (SELECT position FROM entries WHERE conversation = ? LIMIT ?)',
  );
  const removeOne = prepare('DELETE FROM conversations WHERE position = ?');
  const removeJson = prepare('DELETE FROM conversations_json WHERE position = ?');

  function findLasting(conversation: Digest): Row | undefined {
    const row = typeof conversation === 'string' ? find.get(conversation) : undefined;
    return row !== undefined && numberOf(row, 'updated_at') > cutoff() ? row : undefined;
  }

  function remove(position: number, limit: number): number {
    const removed = Number(removeSome.run(position, limit).changes);
    if (removed === limit) return removed;
    removeOne.run(position);
    removeJson.run(position);
    return removed + 1;
  }

  /** Removes the oldest rows of entries that no reader sees any more. */
  function trim(position: number, entries: number): void {
    for (let surplus = entries - MAX_CONVERSATION_ENTRIES; surplus > 0; ) {
      const row = oldest.get(position);
      const size = numberOf(row, 'size');
      if (size > surplus) return;
      removeEntry.run(numberOf(row, 'position'));
      shrink.run(size, position);
      surplus -= size;
    }
  }

  return {
    find: findLasting,
    begin(begun) {
      const id = digestOf(begun.conversationId);
      const expired = find.get(id);
      if (expired !== undefined) remove(numberOf(expired, 'position'), Number.MAX_SAFE_INTEGER);
      const position = connection.nextPosition();
      const json = JSON.stringify(begun);
      begin.run(position, id, digestOf(begun.customerId), Date.parse(begun.createdAt));
      beginJson.run(position, paddingFor(json), json);
    },
    add(conversation, customer, { size, trace, isOnce, at, json }) {
      const row = findLasting(conversation);
      if (row === undefined || row['customer'] !== customer) return;
      const position = numberOf(row, 'position');
      const known = isOnce ? findKnown.all(position, trace) : [];
      if (known.length > 0) {
        const own = known.find((each) => saidBy(each) !== 'person');
        if (own !== undefined) replaceEntries.run(paddingFor(json), json, numberOf(own, 'position'));
        return;
      }
      addEntries.run(connection.nextPosition(), position, trace, size, paddingFor(json), json);
      grow.run(size, at, position);
      trim(position, numberOf(row, 'entries') + size);
    },
    hold(conversation, customer, item) {
      const row = findLasting(conversation);
      if (row !== undefined && row['customer'] === customer) setItem.run(item, numberOf(row, 'position'));
    },
    letGo(conversation, item) {
      if (typeof conversation === 'string') clearItem.run(conversation, item);
    },
    removeEntries(row, trace) {
      const position = numberOf(row, 'position');
      const sizes = removeOfTrace.all(position, trace).map((each) => numberOf(each, 'size'));
      const removed = sizes.reduce((sum, size) => sum + size, 0);
      if (removed === 0) return false;
      if (removed === numberOf(row, 'entries')) remove(position, 1);
      else shrink.run(removed, position);
      return true;
    },
    remove,
    read(row, limit) {
      const position = numberOf(row, 'position');
      const begun = parseOwn<BegunConversation>(textOf(getJson.get(position), 'conversation'));
      const rows = newest.all(position, limit).toReversed();
      const entries = rows.flatMap((each) => parseOwn<ConversationEntry[]>(textOf(each, 'json')));
      const { conversationId, customerId, createdAt } = begun;
      const openItem = optionalTextOf(row, 'open_item');
      return {
        ...{ conversationId, customerId },
        openItemId: openItem === undefined ? null : idOf(openItem),
        entries: entries.slice(-limit),
        createdAt,
        updatedAt: new Date(numberOf(row, 'updated_at')).toISOString(),
      };
    },
  };
}

/** Who has said the first of the entries of a row. */
function saidBy(row: Row): ConversationEntry['from'] | undefined {
  return parseOwn<ConversationEntry[]>(textOf(row, 'json'))[0]?.from;
}
