import { createRoute, z } from '@hono/zod-openapi';
import { type CustomerMessage, dispositions } from '../../../domain/message/message.ts';
import { messageResponse, type Trace } from '../../../domain/message/trace.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import { hasAtMostCharacters } from '../../../lib/text/characters.ts';
import {
  batchExample,
  batchResponseExample,
  messageExample,
  messageResponseExample,
} from '../docs/examples.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createOnce } from '../idempotency/once.ts';
import { findRecord, findTraces, resumeBatch } from '../idempotency/records.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { recordedIntentSchema, requiredText } from './schemas.ts';

const MAX_METADATA = 16;
const MAX_METADATA_TEXT = 256;

/** An optional text of 1 to `max` characters; null is the same as absent. */
function optionalText(max: number) {
  return z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`).nullish();
}

/** Texts by name. Not a `z.record`, which drops the name `__proto__`. */
const metadataSchema = z
  .custom<Readonly<Record<string, string>> | null>(
    (value) => value === null || isPlainObject(value),
    'must be an object of texts',
  )
  .superRefine((values, context) => {
    for (const [path, message] of metadataIssues(values ?? {})) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .optional();

/** The issues of metadata, each with the name that it is about. */
function* metadataIssues(values: Readonly<Record<string, unknown>>): Generator<[readonly string[], string]> {
  const entries = Object.entries(values);
  if (entries.length > MAX_METADATA) return yield [[], `must have at most ${MAX_METADATA} members`];
  for (const [name, value] of entries) {
    if (name === '') yield [[], 'must not have an empty name'];
    else if (isTooLong(name)) yield [[], `must have names of at most ${MAX_METADATA_TEXT} characters`];
    else if (typeof value !== 'string') yield [[name], 'must be a text'];
    else if (isTooLong(value)) yield [[name], `must be at most ${MAX_METADATA_TEXT} characters`];
  }
}

function isTooLong(text: string): boolean {
  return !hasAtMostCharacters(text, MAX_METADATA_TEXT);
}

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
    subject: optionalText(256).openapi({ description: 'Subject line of a mail', example: 'My blender' }),
    conversation_id: optionalText(128).openapi({
      description: 'Id of the conversation that the message belongs to',
      example: 'thread-7',
    }),
    locale: optionalText(35).openapi({
      description: 'Language of the customer, as a BCP 47 tag, as far as the sender knows it',
      example: 'en-GB',
    }),
    metadata: metadataSchema.openapi({
      type: ['object', 'null'],
      maxProperties: MAX_METADATA,
      additionalProperties: { type: 'string', maxLength: MAX_METADATA_TEXT },
      description:
        'Up to 16 texts of the system that sends the message, with names of 1 to 256 characters; kept in the trace',
      example: { shop: 'uk' },
    }),
  })
  .openapi('MessageRequest');

const messageResponseSchema = z
  .object({
    trace_id: z.uuid().openapi({ description: 'Id of the trace, for `GET /trace/{trace_id}`' }),
    status: z
      .enum(['COMPLETED', 'FAILED'])
      .describe('`FAILED` when the pipeline failed; the response is a safe text then'),
    intent: recordedIntentSchema.openapi({
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
    disposition: z.enum(dispositions).openapi({
      description:
        'What is to happen with the reply. `answered`: send it. `escalated`: send it; a person must see the message. `no_reply`: the response is empty and nothing must be sent (automatic replies, bounces, spam, messages without text).',
      example: 'answered',
    }),
    response: z.string().openapi({ description: 'The reply to the customer; empty with `no_reply`' }),
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
export function messagesResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, maxBodyBytes, newId } = options;
  const { app, idempotentEndpoint } = createResource(maxBodyBytes);
  const once = createOnce(options);
  return app
    .openapi(idempotentEndpoint(processMessageRoute), (c) => {
      const respond = (trace: Trace) => {
        c.set('logFields', { trace_id: trace.traceId });
        return jsonResponse(c, messageResponse(trace), 200, { 'X-Trace-Id': trace.traceId });
      };
      const message = toCustomerMessage(c.req.valid('json'));
      return once(c, {
        createReference: newId,
        async perform(id) {
          const traceIds = id === undefined ? undefined : [id];
          return respond(await orchestrator.messages.process(message, { traceIds }));
        },
        async recall(id) {
          const trace = await findRecord(orchestrator.traces.get(id));
          return trace && { response: respond(trace) };
        },
      });
    })
    .openapi(idempotentEndpoint(processBatchRoute(orchestrator.limits.maxBatchSize)), (c) => {
      const messages = c.req.valid('json').messages.map(toCustomerMessage);
      const respond = (traces: readonly Trace[]) =>
        jsonResponse(c, { results: traces.map(messageResponse) }, 200);
      return once(c, {
        createReference: () => messages.map(newId).join(),
        async perform(ids, isResumed) {
          const traceIds = ids?.split(',');
          if (traceIds !== undefined && isResumed)
            return respond(await resumeBatch(orchestrator, messages, traceIds));
          return respond(await orchestrator.messages.processBatch(messages, { traceIds }));
        },
        async recall(ids) {
          const traces = await findTraces(orchestrator, ids.split(','));
          return traces && { response: respond(traces) };
        },
      });
    });
}

function toCustomerMessage(request: z.output<typeof messageRequestSchema>): CustomerMessage {
  return {
    source: request.source,
    customerId: request.customer_id,
    message: request.message,
    subject: request.subject,
    conversationId: request.conversation_id,
    locale: request.locale,
    metadata: request.metadata,
  };
}
