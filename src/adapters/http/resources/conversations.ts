import { hash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import type { Conversation } from '../../../domain/message/conversation.ts';
import { dispositions } from '../../../domain/message/message.ts';
import { deleteRoute, getRoute } from '../docs/routes.ts';
import { streamJson } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { noContentResponse } from '../response.ts';
import { toWire } from './wire.ts';

/** `GET` and `DELETE /conversations/{id}`. */
export function conversationsResource({ orchestrator, logger, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { conversations } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(getConversationRoute), async (c) => {
      const conversation = await conversations.get(c.req.valid('param').id);
      return streamJson(c, toConversation(conversation), 'entries', 200);
    })
    .openapi(endpoint(deleteConversationRoute), async (c) => {
      const { id } = c.req.valid('param');
      await conversations.delete(id);
      // The audit line, as that of `POST /erase`.
      logger.info('conversation erased', { conversation_id_sha256: hash('sha256', id, 'hex') });
      return noContentResponse(c);
    });
}

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

const toEntry = toWire(entrySchema);

/** A conversation on the wire. */
export const toConversation = toWire(conversationSchema, ({ entries }: Conversation) => ({
  entries: entries.map(toEntry),
}));

const params = z.object({
  id: z.string().openapi({
    param: { description: '`conversation_id` of its messages, percent-encoded' },
    example: 'thread-7',
  }),
});

const getConversationRoute = getRoute('/conversations/{id}', {
  operationId: 'getConversation',
  tag: 'Conversations',
  summary: 'Get what was said in a conversation, the oldest first',
  description:
    'The messages of the customer, the replies of the service that were sent, and those of people. Drafts are not part of it until a person sends them.',
  params,
  answer: [conversationSchema, 'The conversation'],
});

const deleteConversationRoute = deleteRoute('/conversations/{id}', {
  operationId: 'deleteConversation',
  tag: 'Conversations',
  summary: 'Delete a conversation with the traces of its messages',
  description:
    'And with the examples that were made from them. Their inbox items become empty records with the status `withdrawn`. The log has one line with the SHA-256 of the id.',
  params,
});
