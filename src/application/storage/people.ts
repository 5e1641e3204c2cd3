import { withEntries } from '../../domain/message/conversation.ts';
import type { Trace, TraceSummary } from '../../domain/message/trace.ts';
import type { Ports } from '../../ports/ports.ts';
import type { HandledMessage } from '../../ports/storage/conversation-store.ts';
import type { Change } from '../../ports/storage/store.ts';
import {
  createConversationStore,
  type KnownConversation,
  peekConversation,
  writeConversation,
} from './conversations.ts';
import { createExampleStore } from './examples.ts';
import { createInboxStore, inboxTable, writeItem } from './inbox.ts';
import type { Records } from './records.ts';
import { type StorageParts, update } from './update.ts';

/** Options of {@link createPeople}. */
export interface PeopleOptions {
  /** Retention of items from their end, and of conversations from their last change, in milliseconds. */
  readonly traceRetentionMs: number;
  /** The most items that may wait for `InboxStore.create` to store another one. Items of messages are always stored. */
  readonly maxWaitingItems: number;
  /** Where traces are stored, and wait with all that belongs to them while the store is away. */
  readonly traces: Pick<Records<Trace, TraceSummary>, 'change' | 'store'>;
}

/** The most conversations that are remembered from the beginning of a message to its end. */
const MAX_ENTERED = 2_000;

/** Creates the inbox, the conversations and the examples in a store. */
export function createPeople(
  parts: StorageParts,
  { traceRetentionMs: retentionMs, maxWaitingItems, traces }: PeopleOptions,
): Pick<Ports, 'inbox' | 'conversations' | 'examples'> {
  const { store } = parts;
  /** Conversations as messages have entered them. A message whose conversation is here is stored without reading it. */
  const entered = new Map<string, KnownConversation>();

  function onEntered(conversationId: string, known: KnownConversation): void {
    entered.delete(conversationId);
    entered.set(conversationId, known);
    const [oldest] = entered.keys();
    if (entered.size > MAX_ENTERED && oldest !== undefined) entered.delete(oldest);
  }

  /** Encodes a message, which its caller may change later, and returns what stores it. */
  function encode({ trace, item, entries: given }: HandledMessage) {
    const { customerId, conversationId = null } = trace;
    const entries = structuredClone(given);
    const ofTrace = traces.change(trace);
    const ofItem = item === null ? undefined : writeItem(item, retentionMs);

    /** The changes that store the message; without its item where that is stored. A new item holds the conversation. */
    function changesFor(known: KnownConversation | undefined, isStored: boolean): Change[] {
      const newItem = isStored ? undefined : ofItem;
      const changes = newItem === undefined ? [ofTrace] : [ofTrace, { ...newItem, expects: null }];
      const conversation = known?.row.conversation;
      if (known === undefined || conversation?.customerId !== customerId) return changes;
      const held = newItem === undefined ? conversation : { ...conversation, openItemId: newItem.id };
      const next = withEntries(held, entries);
      if (next === conversation) return changes;
      return [...changes, writeConversation(known, next, store.now() + retentionMs)];
    }

    async function writeWith(id: string): Promise<void> {
      const remembered = entered.get(id);
      entered.delete(id);
      if (remembered?.row.conversation.customerId === customerId) {
        if ((await store.commit(changesFor(remembered, false))) !== undefined) return;
      }
      await update(parts, async () => {
        const [known, [stored]] = await Promise.all([
          peekConversation(store, id),
          store.read(inboxTable, ofItem === undefined ? [] : [ofItem.id]),
        ]);
        return { changes: changesFor(known, stored !== undefined), result: undefined };
      });
    }

    async function write(): Promise<void> {
      if (conversationId !== null) return writeWith(conversationId);
      await store.commit(ofItem === undefined ? [ofTrace] : [ofTrace, { ...ofItem, ifAbsent: true }]);
    }

    return { ofTrace, write };
  }

  return {
    inbox: createInboxStore(parts, { retentionMs, maxWaitingItems }),
    conversations: {
      ...createConversationStore(parts, { retentionMs, onEntered }),
      async record(message) {
        const { ofTrace, write } = encode(message);
        await traces.store(ofTrace, write);
      },
    },
    examples: createExampleStore(parts),
  };
}
