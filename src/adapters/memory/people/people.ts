import { isWaiting } from '../../../domain/inbox/item.ts';
import type { Ports } from '../../../ports/ports.ts';
import { DEFAULT_MAX_BYTES } from '../record-store.ts';
import { createConversations } from './conversations.ts';
import { copyItem } from './copy-item.ts';
import { createExamples } from './examples.ts';
import { createInboxItems } from './inbox-items.ts';

/** The ports that store what people work on. */
export type PeoplePorts = Pick<Ports, 'inbox' | 'conversations' | 'examples'>;

/** The limit of each collection (decisions, section 7). */
const MAX_RECORDS = 10_000;

/**
 * Creates the inbox, the conversations, at most `maxBytes` of them, and the examples in memory, beside a store of
 * traces.
 */
export function createMemoryPeople(
  traces: Ports['traces'],
  maxRecords = MAX_RECORDS,
  maxBytes = DEFAULT_MAX_BYTES,
): PeoplePorts {
  const items = createInboxItems(maxRecords);
  const conversations = createConversations({ maxRecords, maxBytes });
  const examples = createExamples(maxRecords);
  return {
    inbox: {
      ...items,
      async create(item) {
        if (items.find(item.itemId) !== undefined) return;
        items.makeRoom(item);
        items.put(copyItem(item));
      },
      async update({ item, expectedVersion, reply, example }) {
        if (items.find(item.itemId)?.version !== expectedVersion) return false;
        items.makeRoom(item);
        const { conversationId, customerId } = items.find(item.itemId) ?? item;
        items.put(copyItem(item));
        if (conversationId !== null && customerId !== null) {
          if (reply !== undefined) conversations.add(conversationId, customerId, [reply]);
          if (!isWaiting(item)) conversations.letGo(conversationId, item.itemId);
        }
        if (example !== undefined) examples.add(example);
        return true;
      },
    },
    conversations: {
      ...conversations,
      async record({ trace, ...given }) {
        const item = given.item && copyItem(given.item);
        const entries = given.entries.map((entry) => ({ ...entry, reasons: [...entry.reasons] }));
        const isNew = (): boolean => item !== null && items.find(item.itemId) === undefined;
        // Before anything is stored: nothing is where the inbox is full.
        if (item !== null && isNew()) items.makeRoom(item);
        const { conversationId = null, customerId } = trace;
        await traces.put(trace);
        if (item !== null && isNew()) {
          items.put(item);
          if (conversationId !== null) conversations.hold(conversationId, customerId, item.itemId);
        }
        if (conversationId !== null) conversations.add(conversationId, customerId, entries);
      },
    },
    examples,
  };
}
