import { createRoute, z } from '@hono/zod-openapi';
import { messageResponse, type Trace } from '../../../domain/message/trace.ts';
import {
  batchExample,
  batchResponseExample,
  messageExample,
  messageResponseExample,
} from '../docs/examples.ts';
import { errorResponses, jsonContent, stateConflict } from '../docs/responses.ts';
import { createOnce } from '../idempotency/once.ts';
import { findRecord, findTraces, resumeBatch } from '../idempotency/records.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { messageRequestSchema, messageResponseSchema, toCustomerMessage } from './message-schemas.ts';

const foreignConversation = stateConflict(
  'A conversation belongs to another customer',
  'conversation_id: "thread-7" is a conversation of another customer',
);

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
    ...foreignConversation,
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
      ...foreignConversation,
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
        isPrivate: true,
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
        isPrivate: true,
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
