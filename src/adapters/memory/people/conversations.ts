import {
  type Conversation,
  type ConversationEntry,
  MAX_CONVERSATION_ENTRIES,
  MAX_HISTORY,
} from '../../../domain/message/conversation.ts';
import type { ConversationStore } from '../../../ports/storage/conversation-store.ts';

/** The conversations in memory. */
export interface Conversations extends Omit<ConversationStore, 'record'> {
  /**
   * Adds entries, if the conversation is there and belongs to the customer. Those of a message that is there already take
   * the place of its own.
   */
  add(conversationId: string, customerId: string, entries: readonly ConversationEntry[]): void;
  /** Holds a conversation through an item. */
  hold(conversationId: string, customerId: string, itemId: string): void;
  /** Lets go of a conversation that is held through the item. */
  letGo(conversationId: string, itemId: string): void;
}

/** Limits of {@link createConversations}. */
export interface ConversationLimits {
  readonly maxRecords: number;
  /** About how much memory all of them may take, in bytes. */
  readonly maxBytes: number;
}

/** About what an entry takes beside its text, in bytes. */
const ENTRY_BYTES = 512;

function bytesOf({ entries }: Conversation): number {
  return entries.reduce((sum, { text }) => sum + ENTRY_BYTES + 2 * text.length, ENTRY_BYTES);
}

/** Creates {@link Conversations}: of too many it removes the one that was quiet for longest. */
export function createConversations({ maxRecords, maxBytes }: ConversationLimits): Conversations {
  const conversations = new Map<string, Conversation>();
  const sizes = new Map<string, number>();
  let bytes = 0;

  function remove(conversationId: string): boolean {
    bytes -= sizes.get(conversationId) ?? 0;
    sizes.delete(conversationId);
    return conversations.delete(conversationId);
  }

  /** Replaces a conversation, which keeps its place. */
  function replace(conversation: Conversation): void {
    const { conversationId } = conversation;
    const size = bytesOf(conversation);
    bytes += size - (sizes.get(conversationId) ?? 0);
    sizes.set(conversationId, size);
    conversations.set(conversationId, conversation);
  }

  /** The last one of the map is the one that changed last. */
  function put(conversation: Conversation): void {
    const { conversationId } = conversation;
    remove(conversationId);
    replace(conversation);
    for (const quietest of conversations.keys()) {
      if (conversations.size <= maxRecords && bytes <= maxBytes) return;
      if (quietest !== conversationId) remove(quietest);
    }
  }

  return {
    add(conversationId, customerId, entries) {
      const known = conversations.get(conversationId);
      const last = entries.at(-1);
      if (known === undefined || known.customerId !== customerId || last === undefined) return;
      const { traceId } = last;
      const isRepeated = last.from !== 'person' && known.entries.some((entry) => entry.traceId === traceId);
      if (isRepeated) {
        const again = structuredClone(entries).values();
        const isOwn = (entry: ConversationEntry) => entry.traceId === traceId && entry.from !== 'person';
        const replaced = known.entries.map((entry) => (isOwn(entry) ? (again.next().value ?? entry) : entry));
        replace({ ...known, entries: replaced });
        return;
      }
      const all = [...known.entries, ...structuredClone(entries)].slice(-MAX_CONVERSATION_ENTRIES);
      put({ ...known, entries: all, updatedAt: last.at });
    },
    hold(conversationId, customerId, itemId) {
      const known = conversations.get(conversationId);
      if (known?.customerId !== customerId) return;
      replace({ ...known, openItemId: itemId });
    },
    letGo(conversationId, itemId) {
      const known = conversations.get(conversationId);
      if (known?.openItemId !== itemId) return;
      replace({ ...known, openItemId: null });
    },
    async enter(conversationId, customerId, at) {
      const known = conversations.get(conversationId);
      if (known === undefined) {
        const begun = { conversationId, customerId, openItemId: null, entries: [] };
        put({ ...begun, createdAt: at, updatedAt: at });
        return { ...begun, createdAt: at, updatedAt: at };
      }
      if (known.customerId !== customerId) return undefined;
      return { ...known, entries: structuredClone(known.entries.slice(-MAX_HISTORY)) };
    },
    async get(conversationId) {
      const known = conversations.get(conversationId);
      return known === undefined || known.entries.length === 0 ? undefined : structuredClone(known);
    },
    async removeEntries(conversationId, traceId) {
      const known = conversations.get(conversationId);
      if (known === undefined) return;
      const entries = known.entries.filter((entry) => entry.traceId !== traceId);
      // A conversation without entries has just begun: its first message is still handled.
      if (entries.length === known.entries.length) return;
      if (entries.length === 0) remove(conversationId);
      else replace({ ...known, entries });
    },
    async delete(conversationId) {
      return remove(conversationId);
    },
    async ofCustomer(customerId) {
      return [...conversations.values()]
        .filter((conversation) => conversation.customerId === customerId)
        .map(({ conversationId }) => conversationId);
    },
  };
}
