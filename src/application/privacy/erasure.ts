import { isOrchestrationError, notFound } from '../../domain/errors.ts';
import { withdrawItem } from '../../domain/inbox/changes.ts';
import { INBOX_DATASET } from '../../domain/inbox/example.ts';
import { type Conversation, MAX_CONVERSATION_ENTRIES } from '../../domain/message/conversation.ts';
import type { Trace } from '../../domain/message/trace.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ItemWriter } from '../inbox/item-writer.ts';

/** How much was erased. */
export interface ErasedCounts {
  readonly traces: number;
  readonly conversations: number;
  readonly inboxItems: number;
  readonly examples: number;
}

/**
 * Deletes what belongs to customers. What it has begun it leaves repeatable: each member may be called again after it
 * rejected with `unavailable`, and then deletes the rest.
 */
export interface Erasure {
  /** Deletes a trace with its inbox item, its example and its entries in a conversation. Rejects with `not_found`. */
  deleteTrace(traceId: string): Promise<void>;
  /** Deletes a conversation with the traces of its messages and all that belongs to them. Rejects with `not_found`. */
  deleteConversation(conversationId: string): Promise<void>;
  /** Deletes the traces, conversations, inbox items and examples of a customer; of items an empty record stays. */
  erase(customerId: string): Promise<ErasedCounts>;
}

/** Records that are read at a time. */
const PAGE = 200;

/** Creates {@link Erasure}. */
export function createErasure(
  ports: Pick<Ports, 'traces' | 'conversations' | 'inbox' | 'examples' | 'storage'>,
  items: ItemWriter,
): Erasure {
  const { traces, conversations, inbox, examples, storage } = ports;

  /** Empties an item. Resolves to false where there is nothing to empty. */
  async function withdraw(itemId: string): Promise<boolean> {
    try {
      await items.change(itemId, withdrawItem);
      return true;
    } catch (error) {
      if (isOrchestrationError(error, 'not_found') || isOrchestrationError(error, 'conflict')) return false;
      throw error;
    }
  }

  /** Deletes an item with its example. The item goes first: one that was withdrawn gives no example any more. */
  async function deleteItem(itemId: string): Promise<void> {
    await withdraw(itemId);
    await examples.delete(INBOX_DATASET, itemId);
  }

  /** Deletes a trace with its own item. The trace goes last, so that whoever repeats the deletion finds the rest. */
  async function deleteWithItem({ traceId, itemId }: Trace): Promise<void> {
    if (itemId !== null) {
      // A message of a held conversation has joined the item of another one. An example outlives its item.
      const item = await inbox.get(itemId);
      const example = await examples.get(INBOX_DATASET, itemId);
      if (item?.subject.id === traceId || example?.traceId === traceId) await deleteItem(itemId);
    }
    await traces.delete(traceId);
  }

  async function deleteAllOf(trace: Trace): Promise<void> {
    if (trace.conversationId != null) {
      await conversations.removeEntries(trace.conversationId, trace.traceId);
    }
    await deleteWithItem(trace);
  }

  /** The ids of the traces of a conversation; of a long one its oldest messages have no entries any more. */
  async function tracesOf({ conversationId, customerId, entries }: Conversation): Promise<Set<string>> {
    const found = new Set(entries.flatMap(({ traceId }) => traceId ?? []));
    if (entries.length < MAX_CONVERSATION_ENTRIES) return found;
    for (let offset = 0; ; offset += PAGE) {
      const { items: page } = await traces.list({ limit: PAGE, offset }, { customerId });
      for (const one of page) if (one.conversationId === conversationId) found.add(one.traceId);
      if (page.length < PAGE) return found;
    }
  }

  /** The entries go last, with the conversation: they name what else there is to delete. */
  async function deleteConversation(conversationId: string): Promise<boolean> {
    const conversation = await conversations.get(conversationId);
    if (conversation === undefined) return conversations.delete(conversationId);
    const { entries, openItemId } = conversation;
    const itemIds = new Set([...entries.map(({ itemId }) => itemId), openItemId]);
    for (const itemId of itemIds) if (itemId !== null) await deleteItem(itemId);
    for (const traceId of await tracesOf(conversation)) {
      const trace = await traces.get(traceId);
      if (trace !== undefined) await deleteWithItem(trace);
      await yieldIfDue();
    }
    await conversations.delete(conversationId);
    return true;
  }

  /** Takes pages of what is left until none of a page can be deleted. Resolves to the number of those that were. */
  async function deletePages<T>(
    listPage: () => Promise<readonly T[]>,
    remove: (record: T) => Promise<boolean>,
  ): Promise<number> {
    let count = 0;
    for (;;) {
      const before = count;
      for (const record of await listPage()) {
        if (await remove(record)) count += 1;
        await yieldIfDue();
      }
      if (count === before) return count;
    }
  }

  const eraseTraces = (customerId: string): Promise<number> =>
    deletePages(
      async () => (await traces.list({ limit: PAGE, offset: 0 }, { customerId })).items,
      async ({ traceId }) => {
        const trace = await traces.get(traceId);
        if (trace === undefined) return traces.delete(traceId);
        await deleteAllOf(trace);
        return true;
      },
    );

  const eraseItems = (customerId: string): Promise<number> =>
    deletePages(
      async () => (await inbox.list({ customerId }, { limit: PAGE })).items,
      ({ itemId }) => withdraw(itemId),
    );

  const eraseExamples = (customerId: string): Promise<number> =>
    deletePages(
      async () => (await examples.list(INBOX_DATASET, { customerId }, { limit: PAGE })).examples,
      ({ exampleId }) => examples.delete(INBOX_DATASET, exampleId),
    );

  return {
    async deleteTrace(traceId) {
      storage.assertAvailable();
      const trace = await traces.get(traceId);
      if (trace === undefined) throw notFound('trace', traceId);
      await deleteAllOf(trace);
    },
    async deleteConversation(conversationId) {
      storage.assertAvailable();
      if (!(await deleteConversation(conversationId))) throw notFound('conversation', conversationId);
    },
    async erase(customerId) {
      storage.assertAvailable();
      // Items and examples first: with a trace go its own.
      const inboxItems = await eraseItems(customerId);
      const erasedExamples = await eraseExamples(customerId);
      const ofCustomer = await conversations.ofCustomer(customerId);
      for (const conversationId of ofCustomer) await conversations.delete(conversationId);
      return {
        traces: await eraseTraces(customerId),
        conversations: ofCustomer.length,
        inboxItems,
        examples: erasedExamples,
      };
    },
  };
}
