import { MAX_CONVERSATION_ENTRIES, MAX_HISTORY } from '../../../domain/message/conversation.ts';
import type { ConversationStore, HandledMessage } from '../../../ports/storage/conversation-store.ts';
import type { Connection } from '../connection.ts';
import { digestOf } from '../private-values.ts';
import type { WrittenTogether } from '../records/record-store.ts';
import { numberOf, parseOwn, textOf } from '../rows.ts';
import { CONVERSATION_ROW_BYTES, type ConversationRows, encodeEntries } from './conversation-rows.ts';
import { encodeItem, type ItemRows } from './item-rows.ts';

/** Conversations in the file. */
export interface StoredConversations {
  readonly store: Omit<ConversationStore, 'record'>;
  /** What is written with the trace of a message: its item and its entries. */
  togetherWith(message: HandledMessage): WrittenTogether;
  /** Removes at most `limit` rows of conversations that have expired. Resolves to their number. */
  removeExpired(limit: number): Promise<number>;
}

/** Creates {@link StoredConversations}. `cutoff` is that of the rows. */
export function createStoredConversations(
  connection: Connection,
  rows: ConversationRows,
  items: Pick<ItemRows, 'find' | 'add'>,
  cutoff: () => number,
): StoredConversations {
  const { prepare, read, write, erase } = connection;
  const ofCustomer = prepare(
    `SELECT conversation FROM conversations JOIN conversations_json USING (position)
     WHERE customer = ? AND updated_at > ?`,
  );
  const findExpired = prepare('SELECT position FROM conversations WHERE updated_at <= ? LIMIT 1');

  return {
    store: {
      async enter(conversationId, customerId, at) {
        const id = digestOf(conversationId);
        const isBegun = (): boolean => rows.find(id) !== undefined;
        if (!read(isBegun)) {
          const begin = (): void => {
            if (!isBegun()) rows.begin({ conversationId, customerId, createdAt: at });
          };
          await write(begin, CONVERSATION_ROW_BYTES);
        }
        return read(() => {
          const row = rows.find(id);
          if (row === undefined || row['customer'] !== digestOf(customerId)) return undefined;
          return rows.read(row, MAX_HISTORY);
        });
      },
      async get(conversationId) {
        return read(() => {
          const row = rows.find(digestOf(conversationId));
          if (row === undefined || row['entries'] === 0) return undefined;
          return rows.read(row, MAX_CONVERSATION_ENTRIES);
        });
      },
      async removeEntries(conversationId, traceId) {
        await erase(() => {
          const row = rows.find(digestOf(conversationId));
          return row !== undefined && rows.removeEntries(row, digestOf(traceId));
        }, CONVERSATION_ROW_BYTES);
      },
      delete: (conversationId) =>
        erase(() => {
          const row = rows.find(digestOf(conversationId));
          if (row !== undefined) rows.remove(numberOf(row, 'position'), Number.MAX_SAFE_INTEGER);
          return row !== undefined;
        }, CONVERSATION_ROW_BYTES),
      async ofCustomer(customerId) {
        const found = read(() => ofCustomer.all(digestOf(customerId), cutoff()));
        return found.map(
          (row) => parseOwn<{ conversationId: string }>(textOf(row, 'conversation')).conversationId,
        );
      },
    },
    togetherWith({ trace, item, entries }) {
      const { conversationId = null, customerId } = trace;
      const conversation = conversationId === null ? null : digestOf(conversationId);
      const customer = digestOf(customerId);
      const encodedItem = item === null ? undefined : encodeItem(item);
      const encodedEntries = encodeEntries(entries);
      return {
        bytes: (encodedItem?.bytes ?? 0) + (encodedEntries?.bytes ?? 0),
        write() {
          if (encodedItem !== undefined && items.find(encodedItem.id) === undefined) {
            items.add(encodedItem);
            rows.hold(conversation, customer, encodedItem.id);
          }
          if (encodedEntries !== undefined) rows.add(conversation, customer, encodedEntries);
        },
      };
    },
    removeExpired: (limit) =>
      write(() => {
        let removed = 0;
        while (removed < limit) {
          const row = findExpired.get(cutoff());
          if (row === undefined) break;
          removed += rows.remove(numberOf(row, 'position'), limit - removed);
        }
        return Math.min(removed, limit);
      }, CONVERSATION_ROW_BYTES * limit),
  };
}
