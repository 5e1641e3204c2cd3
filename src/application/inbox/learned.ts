import { type DatasetExample, INBOX_DATASET } from '../../domain/inbox/example.ts';
import type { InboxItem } from '../../domain/inbox/item.ts';
import type { ConversationEntry } from '../../domain/message/conversation.ts';
import type { Trace } from '../../domain/message/trace.ts';

/** The reply of a person to the customer, for the conversation of the item; undefined without one. */
export function replyOf({
  itemId,
  conversationId,
  subject,
  resolution,
}: InboxItem): ConversationEntry | undefined {
  if (conversationId === null || resolution === null || resolution.response === null) return undefined;
  return {
    from: 'person',
    text: resolution.response,
    at: resolution.at,
    traceId: subject.id,
    disposition: null,
    itemId,
    intent: null,
    reasons: [],
  };
}

/**
 * The example that a decision about a message gives: the person's intent, else that of the service, and whether a
 * person had to see it. Undefined where nobody knows the intent, or the message has no text.
 */
export function exampleOf(
  { itemId, resolution }: InboxItem,
  { prepared, intent: recorded, traceId, customerId }: Trace,
): DatasetExample | undefined {
  if (resolution === null || prepared.text.trim() === '') return undefined;
  const { outcome, escalationRight, at } = resolution;
  const intent = resolution.intent ?? (outcome === 'spam' ? 'spam' : recorded);
  if (intent === 'unknown') return undefined;
  return {
    exampleId: itemId,
    datasetId: INBOX_DATASET,
    status: 'proposed',
    message: prepared.text,
    intent,
    escalated: escalationRight ?? (outcome === 'spam' ? false : null),
    traceId,
    customerId,
    createdAt: at,
    decidedBy: null,
    decidedAt: null,
  };
}
