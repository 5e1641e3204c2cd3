import type { InboxItem } from '../../domain/inbox/item.ts';
import type { Conversation, ConversationEntry } from '../../domain/message/conversation.ts';
import type { Trace } from '../../domain/message/trace.ts';

/** A message that was handled, with all that it brings about. */
export interface HandledMessage {
  readonly trace: Trace;
  /** The new item through which a person sees it; null where it needs none, or joins one that waits. */
  readonly item: InboxItem | null;
  /** The entries that it adds to the conversation that the trace names; none without one. */
  readonly entries: readonly ConversationEntry[];
}

/** Conversations, and the records of messages that belong to more than a trace. */
export interface ConversationStore {
  /**
   * Stores a trace, its item and its entries in one atomic step, as `RecordStore.put` stores traces: while the store is
   * unavailable they wait together, where traces do. The conversation is held through the item from then on. The second
   * time the same message is stored, an item that is stored stays as it is, and the entries are not repeated: with a
   * new item they take the place of the first ones. A conversation that was deleted meanwhile, or belongs to another
   * customer, takes no entries.
   */
  record(message: HandledMessage): Promise<void>;
  /**
   * The conversation, for a message of that customer; begins one, without entries, where there is none. Resolves to
   * undefined for the conversation of another customer. Of its entries it has the newest `MAX_HISTORY`. Rejects with
   * `unavailable` when the store cannot be reached.
   */
  enter(conversationId: string, customerId: string, at: string): Promise<Conversation | undefined>;
  /**
   * A conversation with all its entries; undefined where there is none, or it has no entries. Rejects as `enter` does.
   */
  get(conversationId: string): Promise<Conversation | undefined>;
  /** Removes the entries of a message; the conversation too, with its last entry. Rejects as `enter` does. */
  removeEntries(conversationId: string, traceId: string): Promise<void>;
  /** Removes a conversation. Resolves to false where there was none. Rejects as `enter` does. */
  delete(conversationId: string): Promise<boolean>;
  /** The ids of all conversations of a customer. The time may grow with the number of all. Rejects as `enter` does. */
  ofCustomer(customerId: string): Promise<readonly string[]>;
}
