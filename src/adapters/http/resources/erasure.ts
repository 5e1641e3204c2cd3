import { hash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { actionRoute, answer } from '../docs/routes.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { count, customerIdSchema } from './schemas.ts';
import { toWire } from './wire.ts';

/** `POST /erase`. */
export function erasureResource({ orchestrator, logger, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(eraseRoute), async (c) => {
    const { customer_id: customerId } = c.req.valid('json');
    const erased = toErased(await orchestrator.erase(customerId));
    // The audit line: who it was can be checked by whoever knows the id, and not read.
    logger.info('customer erased', { customer_id_sha256: hash('sha256', customerId, 'hex'), ...erased });
    return jsonResponse(c, erased, 200);
  });
}

const eraseRequestSchema = z
  .object({
    customer_id: customerIdSchema.openapi({ description: 'Id of the customer' }),
  })
  .openapi('EraseRequest');

const erasedSchema = z
  .object({
    traces: count('Traces that were deleted'),
    conversations: count('Conversations that were deleted'),
    inbox_items: count('Inbox items that were emptied and withdrawn'),
    examples: count('Examples of datasets that were deleted'),
    runs: count('Executions that were deleted, child executions included'),
    routes: count('Routing runs that were deleted'),
  })
  .openapi('Erased');

const eraseRoute = actionRoute('/erase', {
  operationId: 'eraseCustomer',
  tag: 'Privacy',
  summary: 'Erase everything of a customer',
  description:
    'Deletes the executions, routing runs, traces, conversations and examples of the customer, and empties their inbox items. What goes on is cancelled first: the reply comes when it has ended. With 200 nothing is left, and nothing that had begun before leaves a record later. With 503 an execution had not ended in time, or the store was unavailable: repeat it to erase the rest. A repeat is no error. The log has one line with the counts and the SHA-256 of the id.',
  body: [eraseRequestSchema, 'Who'],
  answers: { 200: answer(erasedSchema, 'How much was erased') },
});

const toErased = toWire(erasedSchema);
