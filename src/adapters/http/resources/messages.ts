import { createRoute, z } from '@hono/zod-openapi';
import { type CustomerMessage, intents } from '../../../domain/message/message.ts';
import { messageResponse } from '../../../domain/message/trace.ts';
import {
  batchExample,
  batchResponseExample,
  messageExample,
  messageResponseExample,
} from '../docs/examples.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { requiredText } from './schemas.ts';

/** The schema `MessageRequest` of the OpenAPI document. */
export const messageRequestSchema = z
  .object({
    source: z
      .string()
      .min(1, 'must not be empty')
      .max(64, 'must be at most 64 characters')
      .default('other')
      .openapi({
        description:
          'Origin channel; any value is accepted: `email`, `contact_form`, `ticket`, `chat`, `api`, `other`',
        example: 'email',
      }),
    customer_id: z
      .string({ error: requiredText })
      .min(1, 'must not be empty')
      .max(128, 'must be at most 128 characters')
      .openapi({ description: 'Id of the customer', example: 'customer-42' }),
    message: z
      .string({ error: requiredText })
      .min(1, { error: 'must not be empty', abort: true })
      .max(32_768, { error: 'must be at most 32768 characters', abort: true })
      .refine((value) => value.trim() !== '', 'must not be only white space')
      .openapi({
        description: 'What the customer wrote',
        example: 'I want a refund for the blender that I bought last week.',
      }),
  })
  .openapi('MessageRequest');

const messageResponseSchema = z
  .object({
    trace_id: z.uuid().openapi({ description: 'Id of the trace, for `GET /trace/{trace_id}`' }),
    status: z
      .enum(['COMPLETED', 'FAILED'])
      .describe('`FAILED` when the pipeline failed; the response is a safe text then'),
    intent: z.enum([...intents, 'unknown']).openapi({
      description: 'What the customer wants; `unknown` when classification failed',
      example: 'refund',
    }),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .openapi({ description: 'Confidence of the classifier', example: 0.93 }),
    escalated: z
      .boolean()
      .describe('True when the verifier escalated the message to a person, and when the pipeline failed'),
    response: z.string().openapi({ description: 'The reply to the customer' }),
  })
  .openapi('MessageResponse');

const processMessageRoute = createRoute({
  method: 'post',
  path: '/messages',
  operationId: 'processMessage',
  tags: ['Messages'],
  summary: 'Process one customer message',
  description:
    'Runs the message through classify, plan, execute tools, verify and respond, and stores a trace of it. Returns 200 with status `FAILED` when the pipeline fails.',
  request: { body: { ...jsonContent(messageRequestSchema, 'The message', messageExample), required: true } },
  responses: {
    200: {
      ...jsonContent(messageResponseSchema, 'The reply, with the id of its trace', messageResponseExample),
      headers: z.object({ 'X-Trace-Id': z.string().openapi({ description: 'The same as `trace_id`' }) }),
    },
    ...errorResponses(400, 413, 415, 422, 503),
  },
});

const batchResponseSchema = z
  .object({ results: z.array(messageResponseSchema).describe('In the order of the messages') })
  .openapi('BatchResponse');

function processBatchRoute(maxBatchSize: number) {
  const requestSchema = z
    .object({
      messages: z
        .array(messageRequestSchema, { error: 'must be an array of messages' })
        .min(1, 'must contain at least 1 message')
        .max(maxBatchSize, `must contain at most ${maxBatchSize} messages`)
        .openapi({ description: 'Processed concurrently' }),
    })
    .openapi('BatchRequest');
  return createRoute({
    method: 'post',
    path: '/messages/batch',
    operationId: 'processMessages',
    tags: ['Messages'],
    summary: 'Process many customer messages concurrently',
    description:
      'Results are in the order of the messages. A message that fails does not affect the others; one invalid item rejects the complete batch before any is processed.',
    request: { body: { ...jsonContent(requestSchema, 'The messages', batchExample), required: true } },
    responses: {
      200: jsonContent(
        batchResponseSchema,
        'One result per message, in the order sent',
        batchResponseExample,
      ),
      ...errorResponses(400, 413, 415, 422, 503),
    },
  });
}

/** `POST /messages` and `POST /messages/batch`. */
export function messagesResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(processMessageRoute), async (c) => {
      const trace = await orchestrator.messages.process(toCustomerMessage(c.req.valid('json')));
      c.set('logFields', { trace_id: trace.traceId });
      return jsonResponse(c, messageResponse(trace), 200, { 'X-Trace-Id': trace.traceId });
    })
    .openapi(endpoint(processBatchRoute(orchestrator.limits.maxBatchSize)), async (c) => {
      const messages = c.req.valid('json').messages.map(toCustomerMessage);
      const traces = await orchestrator.messages.processBatch(messages);
      return jsonResponse(c, { results: traces.map(messageResponse) }, 200);
    });
}

function toCustomerMessage(request: z.output<typeof messageRequestSchema>): CustomerMessage {
  return { source: request.source, customerId: request.customer_id, message: request.message };
}
