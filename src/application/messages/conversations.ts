import { conflict } from '../../domain/errors.ts';
import { type InboxItem, isWaiting } from '../../domain/inbox/item.ts';
import type { MessageHistory } from '../../domain/message/conversation.ts';
import type { CustomerMessage } from '../../domain/message/message.ts';
import { quote } from '../../lib/text/quote.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';

/** What a message finds in its conversation. */
export interface Entered {
  readonly history: MessageHistory;
  /** The item that waits, through which a person holds the conversation; undefined where nobody does. */
  readonly heldBy: InboxItem | undefined;
}

/** The conversations of messages. */
export interface MessageConversations {
  /**
   * Opens the conversations of messages before anything else is done for them. Rejects with `conflict` where one
   * belongs to another customer, and with `unavailable` when the store cannot be reached.
   */
  assertOwned(messages: readonly CustomerMessage[]): Promise<void>;
  /**
   * Handles a message of a conversation: one after the other in this process, in their order, so that each sees what
   * was said before. `work` gets undefined for a message without a conversation. Where the conversation cannot be
   * opened, `orElse` gets the error; without `orElse` it rejects as `assertOwned` does.
   */
  inTurn<T>(
    message: CustomerMessage,
    work: (entered: Entered | undefined) => Promise<T>,
    orElse?: (error: unknown) => Promise<T>,
  ): Promise<T>;
}

/** Creates {@link MessageConversations}. Without an inbox nobody holds a conversation. */
export function createMessageConversations(
  { clock, conversations, inbox }: Pick<Ports, 'clock' | 'conversations' | 'inbox'>,
  hasInbox: boolean,
): MessageConversations {
  /** The last message of each conversation that is under way. */
  const turns = new Map<string, Promise<unknown>>();

  async function open(conversationId: string, customerId: string) {
    const conversation = await conversations.enter(conversationId, customerId, isoTime(clock.now()));
    if (conversation === undefined) {
      throw conflict(`conversation_id: ${quote(conversationId)} is a conversation of another customer`);
    }
    return conversation;
  }

  async function enter(conversationId: string, customerId: string): Promise<Entered> {
    const { entries, openItemId } = await open(conversationId, customerId);
    const item = openItemId === null || !hasInbox ? undefined : await inbox.get(openItemId);
    const heldBy = item !== undefined && isWaiting(item) ? item : undefined;
    return { history: { entries, isHeld: heldBy !== undefined }, heldBy };
  }

  return {
    async assertOwned(messages) {
      const owners = new Map<string, string>();
      for (const { conversationId, customerId } of messages) {
        if (conversationId == null || owners.get(conversationId) === customerId) continue;
        await open(conversationId, customerId);
        owners.set(conversationId, customerId);
      }
    },
    async inTurn({ conversationId, customerId }, work, orElse) {
      if (conversationId == null) return work(undefined);
      const before = turns.get(conversationId) ?? Promise.resolve();
      const turn = before.then(() => enter(conversationId, customerId)).then(work, orElse);
      const settled = turn.catch(() => undefined);
      turns.set(conversationId, settled);
      try {
        return await turn;
      } finally {
        if (turns.get(conversationId) === settled) turns.delete(conversationId);
      }
    },
  };
}
