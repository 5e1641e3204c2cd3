import { createRoute, z } from '@hono/zod-openapi';
import { type CustomerMessage, intents } from '../../../domain/message/message.ts';
import { batchExample, batchResponseExample, messageExample, messageResponseExample } from '../docs/examples.ts';
import { errorResponses, jsonContent, requiredText } from './schemas.ts';

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
      .openapi({ description: 'Who the message is from', example: 'customer-42' }),
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
    trace_id: z.uuid().openapi({ description: 'Where `GET /trace/{trace_id}` finds the whole story' }),
    status: z
      .enum(['COMPLETED', 'FAILED'])
      .describe('`FAILED` where something inside broke; the reply is a safe text then'),
    intent: z.enum([...intents, 'unknown']).openapi({
      description: 'What the customer wants; `unknown` only where classification failed',
      example: 'refund',
    }),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .openapi({ description: 'How sure the classifier is', example: 0.93 }),
    escalated: z
      .boolean()
      .describe('True when the verifier handed the message to a person, and where the pipeline failed'),
    response: z.string().openapi({ description: 'The reply for the customer' }),
  })
  .openapi('MessageResponse');

export const messageRoute = createRoute({
  method: 'post',
  path: '/messages',
  operationId: 'processMessage',
  tags: ['Messages'],
  summary: 'Process one customer message',
  description:
    'Runs the message through classify, plan, execute tools, verify and respond, and stores a trace of it. A failing pipeline answers 200 with status `FAILED`.',
  request: { body: { ...jsonContent(messageRequestSchema, 'The message', messageExample), required: true } },
  responses: {
    200: {
      ...jsonContent(messageResponseSchema, 'The reply, with the id of its trace', messageResponseExample),
      headers: z.object({ 'X-Trace-Id': z.string().openapi({ description: 'The same as `trace_id`' }) }),
    },
    ...errorResponses(400, 413, 415, 422, 503),
  },
});

/** `POST /messages/batch` for batches of at most `maxBatchSize` messages. */
export function batchRoute(maxBatchSize: number) {
  return createRoute({
    method: 'post',
    path: '/messages/batch',
    operationId: 'processMessages',
    tags: ['Messages'],
    summary: 'Process many customer messages concurrently',
    description:
      'Results come in the order of the messages. One failing message never harms the others; one invalid item refuses the whole batch before any is run.',
    request: {
      body: {
        ...jsonContent(batchRequestSchema(maxBatchSize), 'The messages', batchExample),
        required: true,
      },
    },
    responses: {
      200: jsonContent(
        z
          .object({ results: z.array(messageResponseSchema).describe('In the order of the messages') })
          .openapi('BatchResponse'),
        'One result per message, in the order sent',
        batchResponseExample,
      ),
      ...errorResponses(400, 413, 415, 422, 503),
    },
  });
}

function batchRequestSchema(maxBatchSize: number) {
  return z
    .object({
      messages: z
        .array(messageRequestSchema, { error: 'must be an array of messages' })
        .min(1, 'must hold at least 1 message')
        .max(maxBatchSize, `must hold at most ${maxBatchSize} messages`)
        .openapi({ description: 'Processed concurrently' }),
    })
    .openapi('BatchRequest');
}

/** A message as the core knows it. */
export function toCustomerMessage(request: z.output<typeof messageRequestSchema>): CustomerMessage {
  return { source: request.source, customerId: request.customer_id, message: request.message };
}
