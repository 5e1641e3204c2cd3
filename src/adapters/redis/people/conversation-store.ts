import { MAX_CONVERSATION_ENTRIES, MAX_HISTORY } from '../../../domain/message/conversation.ts';
import type { ConversationStore } from '../../../ports/storage/conversation-store.ts';
import { throwUnavailable } from '../client/errors.ts';
import { decodeConversation, decodeHead, encodeHead } from './conversation-encoding.ts';
import type { StoredConversation } from './conversation-scripts.ts';
import type { PeopleParts } from './parts.ts';
import { digestOf } from './stored-ids.ts';

/** About how many conversations a script reads at a time. */
const BATCH_SIZE = '200';

/** Creates the conversations of all replicas; `record` stores messages. */
export function createRedisConversations(
  { keys, connection, writes, retentionMs }: PeopleParts,
  record: ConversationStore['record'],
): ConversationStore {
  const locate = (conversationId: string) => {
    const digest = digestOf(conversationId);
    return { digest, scriptKeys: [keys.conversations + digest, keys.allConversations] };
  };
  const decode = (stored: StoredConversation | undefined) =>
    stored === undefined ? undefined : decodeConversation(stored);

  async function enter(conversationId: string, customerId: string, at: string) {
    const { digest, scriptKeys } = locate(conversationId);
    const head = encodeHead({ conversationId, customerId, createdAt: at });
    const values = [digest, JSON.stringify(customerId), head, at, String(retentionMs), String(MAX_HISTORY)];
    return decode(
      await writes.run((client, deadline) => client.enterConversation(scriptKeys, [deadline, ...values])),
    );
  }

  async function get(conversationId: string) {
    const key = keys.conversations + digestOf(conversationId);
    const stored = await connection.run('EVALSHA', (client) =>
      client.getConversation([key], [String(MAX_CONVERSATION_ENTRIES)]),
    );
    return stored === undefined || stored.entries.length === 0 ? undefined : decode(stored);
  }

  async function removeEntries(conversationId: string, traceId: string): Promise<void> {
    const { digest, scriptKeys } = locate(conversationId);
    const values = [digest, JSON.stringify(traceId)];
    await writes.run((client, deadline) => client.removeEntries(scriptKeys, [deadline, ...values]));
  }

  async function remove(conversationId: string): Promise<boolean> {
    const { digest, scriptKeys } = locate(conversationId);
    const deleted = await writes.run((client, deadline) =>
      client.deleteConversation(scriptKeys, [deadline, digest]),
    );
    return deleted === 1;
  }

  async function ofCustomer(customerId: string): Promise<readonly string[]> {
    // A scan may find a conversation twice.
    const found = new Set<string>();
    let cursor = '0';
    do {
      const values = [cursor, BATCH_SIZE, keys.conversations, JSON.stringify(customerId)];
      const page = await connection.run('EVALSHA', (client) =>
        client.scanConversations([keys.allConversations], values),
      );
      for (const head of page.heads) {
        const conversationId = decodeHead(head)?.conversationId;
        if (conversationId !== undefined) found.add(conversationId);
      }
      cursor = page.cursor;
    } while (cursor !== '0');
    return [...found];
  }

  return {
    record,
    enter: (conversationId, customerId, at) => enter(conversationId, customerId, at).catch(throwUnavailable),
    get: (conversationId) => get(conversationId).catch(throwUnavailable),
    removeEntries: (conversationId, traceId) =>
      removeEntries(conversationId, traceId).catch(throwUnavailable),
    delete: (conversationId) => remove(conversationId).catch(throwUnavailable),
    ofCustomer: (customerId) => ofCustomer(customerId).catch(throwUnavailable),
  };
}
