import { hash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { conversationExample } from '../../docs/examples-people.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { streamJson } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { noContentResponse } from '../../response.ts';
import { conversationSchema, toConversationResponse } from './conversation-schemas.ts';

const params = z.object({
  id: z.string().openapi({
    param: { description: '`conversation_id` of its messages, percent-encoded' },
    example: 'thread-7',
  }),
});

const getConversationRoute = createRoute({
  method: 'get',
  path: '/conversations/{id}',
  operationId: 'getConversation',
  tags: ['Conversations'],
  summary: 'Get what was said in a conversation, the oldest first',
  description:
    'The messages of the customer, the replies of the service that were sent, and those of people. Drafts are not part of it until a person sends them.',
  request: { params },
  responses: {
    200: jsonContent(conversationSchema, 'The conversation', conversationExample),
    ...errorResponses(404, 503),
  },
});

const deleteConversationRoute = createRoute({
  method: 'delete',
  path: '/conversations/{id}',
  operationId: 'deleteConversation',
  tags: ['Conversations'],
  summary: 'Delete a conversation with the traces of its messages',
  description:
    'And with the examples that were made from them. Their inbox items become empty records with the status `withdrawn`. The log has one line with the SHA-256 of the id.',
  request: { params },
  responses: { 204: { description: 'Deleted' }, ...errorResponses(404, 503) },
});

/** `GET` and `DELETE /conversations/{id}`. */
export function conversationsResource({ orchestrator, logger, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { conversations } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(getConversationRoute), async (c) => {
      const conversation = await conversations.get(c.req.valid('param').id);
      return streamJson(c, toConversationResponse(conversation), 'entries', 200);
    })
    .openapi(endpoint(deleteConversationRoute), async (c) => {
      const { id } = c.req.valid('param');
      await conversations.delete(id);
      // The audit line, as that of `POST /erase`.
      logger.info('conversation erased', { conversation_id_sha256: hash('sha256', id, 'hex') });
      return noContentResponse(c);
    });
}
