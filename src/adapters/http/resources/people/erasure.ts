import { hash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { erasedExample, eraseRequestExample } from '../../docs/examples-people.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { jsonResponse } from '../../response.ts';
import { customerIdSchema } from '../schemas.ts';

const eraseRequestSchema = z
  .object({
    customer_id: customerIdSchema.openapi({ description: 'Id of the customer' }),
  })
  .openapi('EraseRequest');

const count = z.number().int();

const erasedSchema = z
  .object({
    traces: count.describe('Traces that were deleted'),
    conversations: count.describe('Conversations that were deleted'),
    inbox_items: count.describe('Inbox items that were emptied and withdrawn'),
    examples: count.describe('Examples of datasets that were deleted'),
    runs: count.describe('Executions that were deleted, child executions included'),
    routes: count.describe('Routing runs that were deleted'),
  })
  .openapi('Erased');

const eraseRoute = createRoute({
  method: 'post',
  path: '/erase',
  operationId: 'eraseCustomer',
  tags: ['Privacy'],
  summary: 'Erase everything of a customer',
  description:
    'Deletes the executions, routing runs, traces, conversations and examples of the customer, and empties their inbox items. What goes on is cancelled first: the reply comes when it has ended. With 200 nothing is left, and nothing that had begun before leaves a record later. With 503 an execution had not ended in time, or the store was unavailable: repeat it to erase the rest. A repeat is no error. The log has one line with the counts and the SHA-256 of the id.',
  request: { body: { ...jsonContent(eraseRequestSchema, 'Who', eraseRequestExample), required: true } },
  responses: {
    200: jsonContent(erasedSchema, 'How much was erased', erasedExample),
    ...errorResponses(400, 413, 415, 422, 503),
  },
});

/** `POST /erase`. */
export function erasureResource({ orchestrator, logger, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(eraseRoute), async (c) => {
    const { customer_id: customerId } = c.req.valid('json');
    const { inboxItems, ...counts } = await orchestrator.erase(customerId);
    const { traces, conversations, examples, runs, routes } = counts;
    const erased = { traces, conversations, inbox_items: inboxItems, examples, runs, routes };
    // The audit line: who it was can be checked by whoever knows the id, and not read.
    logger.info('customer erased', { customer_id_sha256: hash('sha256', customerId, 'hex'), ...erased });
    return jsonResponse(c, erased, 200);
  });
}
