import { z } from '@hono/zod-openapi';
import type { Orchestrator } from '../../../application/orchestrator.ts';
import { type CustomerMessage, dispositions } from '../../../domain/message/message.ts';
import { messageResponse, type Trace } from '../../../domain/message/trace.ts';
import { itemAt } from '../../../lib/array.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import { hasAtMostCharacters } from '../../../lib/text/characters.ts';
import { actionRoute, answer } from '../docs/routes.ts';
import { createIdempotent, findRecord } from '../idempotency/idempotent.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { booleanSchema, customerIdSchema, filledText, recordedIntentSchema, text } from './schemas.ts';
import { fromWire } from './wire.ts';

/** `POST /messages` and `POST /messages/batch`. */
export function messagesResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, maxBodyBytes, newId } = options;
  const { app, idempotentEndpoint } = createResource(maxBodyBytes);
  const idempotent = createIdempotent(options);
  return app
    .openapi(idempotentEndpoint(processMessageRoute), (c) => {
      const respond = (trace: Trace) => {
        c.set('logFields', { trace_id: trace.traceId });
        return jsonResponse(c, messageResponse(trace), 200, { 'X-Trace-Id': trace.traceId });
      };
      const message = fromWire(c.req.valid('json'));
      return idempotent(c, {
        createRecordIds: newId,
        isPrivate: true,
        async handle(id) {
          const traceIds = id === undefined ? undefined : [id];
          return respond(await orchestrator.messages.process(message, { traceIds }));
        },
        async replay(id) {
          const trace = await findRecord(orchestrator.traces.get(id));
          return trace && { response: respond(trace) };
        },
      });
    })
    .openapi(idempotentEndpoint(processBatchRoute(orchestrator.limits.maxBatchSize)), (c) => {
      const messages = c.req.valid('json').messages.map((message) => fromWire(message));
      const respond = (traces: readonly Trace[]) =>
        jsonResponse(c, { results: traces.map(messageResponse) }, 200);
      return idempotent(c, {
        createRecordIds: () => messages.map(newId).join(),
        isPrivate: true,
        async handle(ids, isResumed) {
          const traceIds = ids?.split(',');
          if (traceIds !== undefined && isResumed)
            return respond(await resumeBatch(orchestrator, messages, traceIds));
          return respond(await orchestrator.messages.processBatch(messages, { traceIds }));
        },
        async replay(ids) {
          const traces = await findTraces(orchestrator, ids.split(','));
          return traces && { response: respond(traces) };
        },
      });
    });
}

/** The traces with these ids, in their order; undefined unless all are stored. */
async function findTraces(
  { traces }: Orchestrator,
  traceIds: readonly string[],
): Promise<readonly Trace[] | undefined> {
  const found: Trace[] = [];
  // One after the other: while a batch is under way, the first is usually missing.
  for (const traceId of traceIds) {
    const trace = await findRecord(traces.get(traceId));
    if (trace === undefined) return undefined;
    found.push(trace);
  }
  return found;
}

/** Processes the messages of a batch that a process has left unfinished: those that have no trace yet. */
async function resumeBatch(
  { messages, traces }: Orchestrator,
  batch: readonly CustomerMessage[],
  traceIds: readonly string[],
): Promise<readonly Trace[]> {
  const stored = await Promise.all(traceIds.map((traceId) => findRecord(traces.get(traceId))));
  const missing = batch.flatMap((message, index) =>
    stored[index] === undefined ? [{ message, traceId: itemAt(traceIds, index) }] : [],
  );
  const processed = await messages.processBatch(
    missing.map(({ message }) => message),
    { traceIds: missing.map(({ traceId }) => traceId) },
  );
  const rest = processed.values();
  return stored.flatMap((trace) => trace ?? rest.next().value ?? []);
}

const MAX_METADATA = 16;
const MAX_METADATA_TEXT = 256;

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
    source: text(64).default('other').openapi({
      description:
        'Origin channel; any value is accepted: `email`, `contact_form`, `ticket`, `chat`, `api`, `other`',
      example: 'email',
    }),
    customer_id: customerIdSchema.openapi({ description: 'Id of the customer', example: 'customer-42' }),
    message: filledText(32_768).openapi({
      description: 'What the customer wrote',
      example: 'I want a refund for the blender that I bought last week.',
    }),
    subject: text(256).nullish().openapi({ description: 'Subject line of a mail', example: 'My blender' }),
    conversation_id: text(128).nullish().openapi({
      description:
        'Id of the conversation that the message belongs to. A conversation belongs to the customer of its first message',
      example: 'thread-7',
    }),
    locale: text(35).nullish().openapi({
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
    draft: booleanSchema.optional().openapi({
      default: false,
      description:
        'Whether a person has to see the reply before it is sent: it is then a draft in the inbox. Not possible while the inbox is off',
    }),
  })
  .openapi('MessageRequest');

/** The schema `MessageResponse` of the OpenAPI document. */
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
        'What is to happen with the reply. `answered`: send it. `escalated`: send it; a person must see the message. `no_reply`: the response is empty and nothing must be sent (automatic replies, bounces, spam, messages without text). `draft`: nothing must be sent yet; the response waits in the inbox for a person to send, change or discard it.',
      example: 'answered',
    }),
    response: z.string().openapi({
      description: 'The reply to the customer; empty with `no_reply`, and not to be sent with `draft`',
    }),
    item_id: z.string().nullable().openapi({
      description: 'Id of the inbox item through which a person sees the message; null where nobody has to',
      example: null,
    }),
  })
  .openapi('MessageResponse');

const foreignConversation = [
  'A conversation belongs to another customer',
  'conversation_id: "thread-7" is a conversation of another customer',
] as const;

const processMessageRoute = actionRoute('/messages', {
  operationId: 'processMessage',
  tag: 'Messages',
  summary: 'Process one customer message',
  description:
    'Runs the message through classify, plan, execute tools, verify and respond, and stores a trace of it. Returns 200 with status `FAILED` when the pipeline fails.',
  body: [messageRequestSchema, 'The message'],
  answers: {
    200: answer(
      messageResponseSchema,
      'The reply, with the id of its trace',
      z.object({ 'X-Trace-Id': z.string().openapi({ description: 'The same as `trace_id`' }) }),
    ),
  },
  conflict: foreignConversation,
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
  return actionRoute('/messages/batch', {
    operationId: 'processMessages',
    tag: 'Messages',
    summary: 'Process many customer messages concurrently',
    description:
      'Results are in the order of the messages. A message that fails does not affect the others; one invalid item rejects the complete batch before any is processed.',
    body: [requestSchema, 'The messages'],
    answers: { 200: answer(batchResponseSchema, 'One result per message, in the order sent') },
    conflict: foreignConversation,
  });
}
