import type { Conversation, ConversationEntry } from '../../../domain/message/conversation.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { parseStored } from '../client/stored-json.ts';
import type { StoredConversation } from './conversation-scripts.ts';
import { fromStoredId } from './stored-ids.ts';

/** What never changes in a conversation. */
type Head = Pick<Conversation, 'conversationId' | 'customerId' | 'createdAt'>;

/** The field `head` of a conversation. */
export function encodeHead({ conversationId, customerId, createdAt }: Head): string {
  return JSON.stringify({ conversationId, customerId, createdAt });
}

/** Converts the field `head` back; undefined for one of another program. */
export function decodeHead(text: string): Head | undefined {
  return parseStored<Head>(text, [], ({ conversationId }) => typeof conversationId === 'string');
}

/** An entry as it is stored: the JSON of its trace id, a line break, which JSON never contains, and its JSON. */
export function encodeEntry(entry: ConversationEntry): string {
  return `${JSON.stringify(entry.traceId)}\n${JSON.stringify(entry)}`;
}

/** Converts a stored conversation back; undefined for one of another program. */
export async function decodeConversation(stored: StoredConversation): Promise<Conversation | undefined> {
  const head = decodeHead(stored.head);
  if (head === undefined) return undefined;
  const entries: ConversationEntry[] = [];
  for (const text of stored.entries) {
    await yieldIfDue();
    const json = text.slice(text.indexOf('\n') + 1);
    const entry = parseStored<ConversationEntry>(json, ['reasons'], () => true);
    if (entry !== undefined) entries.push(entry);
  }
  const { conversationId, customerId, createdAt } = head;
  const openItemId = stored.openItemId === '' ? null : fromStoredId(stored.openItemId);
  return { conversationId, customerId, openItemId, entries, createdAt, updatedAt: stored.updatedAt };
}
