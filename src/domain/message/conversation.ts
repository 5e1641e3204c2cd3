import type { Disposition, RecordedIntent } from './message.ts';

/** Something that was said in a conversation. */
export interface ConversationEntry {
  readonly from: 'customer' | 'service' | 'person';
  readonly text: string;
  /** ISO 8601. */
  readonly at: string;
  /** The trace of the message that it is, or that it answers. */
  readonly traceId: string | null;
  /** The disposition of the reply to the message; null for what a person wrote. */
  readonly disposition: Disposition | null;
  /** The inbox item that the message belongs to. */
  readonly itemId: string | null;
  /** The intent of the message; null for what a person wrote. */
  readonly intent: RecordedIntent | null;
  /** The reasons of the verifier. */
  readonly reasons: readonly string[];
}

/** The messages of a customer that belong together, and the replies to them. Times are in ISO 8601. */
export interface Conversation {
  readonly conversationId: string;
  /** The customer of its first message: it takes none of another one. */
  readonly customerId: string;
  /** The inbox item through which a person holds the conversation; null while nobody does. */
  readonly openItemId: string | null;
  /** The oldest first. */
  readonly entries: readonly ConversationEntry[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The most entries that a conversation keeps: the newest ones. */
export const MAX_CONVERSATION_ENTRIES = 500;

/** The most entries that stages see: the newest ones. */
export const MAX_HISTORY = 12;

/**
 * A conversation with further entries about one message; of too many it keeps the newest. Where it has entries of that
 * message already, the new ones take their places, but not that of what a person wrote. Without entries it returns the
 * conversation itself.
 */
export function withEntries(conversation: Conversation, entries: readonly ConversationEntry[]): Conversation {
  const last = entries.at(-1);
  if (last === undefined) return conversation;
  const { traceId } = last;
  const isRepeated = conversation.entries.some((entry) => entry.traceId === traceId);
  if (last.from === 'person' || !isRepeated) {
    const all = [...conversation.entries, ...entries].slice(-MAX_CONVERSATION_ENTRIES);
    return { ...conversation, entries: all, updatedAt: last.at };
  }
  const again = entries.values();
  const isReplaced = (entry: ConversationEntry) => entry.traceId === traceId && entry.from !== 'person';
  const replaced = conversation.entries.map((entry) =>
    isReplaced(entry) ? (again.next().value ?? entry) : entry,
  );
  return { ...conversation, entries: replaced };
}

/** The part of a conversation that the stages of a message see. */
export interface MessageHistory {
  /** The last entries before the message, the oldest first. */
  readonly entries: readonly ConversationEntry[];
  /** True where a person holds the conversation: then the service answers nothing. */
  readonly isHeld: boolean;
}
