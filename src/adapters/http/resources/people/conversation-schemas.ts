import { z } from '@hono/zod-openapi';
import type { Conversation, ConversationEntry } from '../../../../domain/message/conversation.ts';
import { dispositions } from '../../../../domain/message/message.ts';

const entrySchema = z
  .object({
    from: z.enum(['customer', 'service', 'person']).describe('Who wrote it'),
    text: z.string().describe('The newest text of a message, or a reply that was sent'),
    at: z.iso.datetime().describe('When'),
    trace_id: z.string().nullable().describe('The trace of the message that it is or answers, else null'),
    disposition: z
      .enum(dispositions)
      .nullable()
      .describe('What happened with the reply to the message; null for what a person wrote'),
    item_id: z.string().nullable().describe('The inbox item that the message belongs to, else null'),
  })
  .openapi('ConversationEntry');

/** The schema `Conversation` of the OpenAPI document. */
export const conversationSchema = z
  .object({
    conversation_id: z.string().describe('Id of the conversation'),
    customer_id: z.string().describe('Id of its customer: it takes no messages of another one'),
    open_item_id: z
      .string()
      .nullable()
      .describe('The inbox item through which a person holds the conversation; null while nobody does'),
    entries: z.array(entrySchema).describe('The newest 500, the oldest of them first'),
    created_at: z.iso.datetime().describe('When its first message came'),
    updated_at: z.iso.datetime().describe('When something was said last'),
  })
  .openapi('Conversation');

/** A conversation on the wire. */
export function toConversationResponse(conversation: Conversation): z.input<typeof conversationSchema> {
  return {
    conversation_id: conversation.conversationId,
    customer_id: conversation.customerId,
    open_item_id: conversation.openItemId,
    entries: conversation.entries.map(toEntryResponse),
    created_at: conversation.createdAt,
    updated_at: conversation.updatedAt,
  };
}

function toEntryResponse(entry: ConversationEntry): z.input<typeof entrySchema> {
  return {
    from: entry.from,
    text: entry.text,
    at: entry.at,
    trace_id: entry.traceId,
    disposition: entry.disposition,
    item_id: entry.itemId,
  };
}
