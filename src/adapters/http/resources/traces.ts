import { z } from '@hono/zod-openapi';
import { concerns, decisionSources, dispositions } from '../../../domain/message/message.ts';
import { pipelineStates, stageNames } from '../../../domain/message/pipeline.ts';
import { automaticKinds, setApartKinds } from '../../../domain/message/prepared.ts';
import {
  type Trace,
  type TraceFilter,
  type TraceSummary,
  traceStatuses,
} from '../../../domain/message/trace.ts';
import { isoTime } from '../../../lib/text/time.ts';
import { RECORDED_INTENT } from '../docs/openapi.ts';
import { conditionalDocs, deleteRoute, getRoute, listRoute, taggedHeaders } from '../docs/routes.ts';
import { streamPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import { routePath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { createTags, unlessCurrent } from '../record-headers.ts';
import { jsonResponse, noContentResponse } from '../response.ts';
import {
  flagSchema,
  givenOnce,
  pageQuerySchema,
  pageSchema,
  statusListSchema,
  textParameter,
  timeRangeShape,
  toFilter,
  toPageRequest,
} from './listing.ts';
import {
  anyObjectSchema,
  count,
  idParameter,
  nullableObjectSchema,
  recordedIntentSchema,
  toolStatusSchema,
} from './schemas.ts';
import { toWire } from './wire.ts';

/** `GET /trace/`, and `GET` and `DELETE /trace/{trace_id}`. */
export function tracesResource({ orchestrator, version, maxBodyBytes, mountPath }: ResolvedHttpAppOptions) {
  const tagOf = createTags(version);
  const listTracesRoute = createListRoute((name) => orchestrator.playbook.intents.has(name));
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(listTracesRoute), (c) => {
      const query = c.req.valid('query');
      return streamPage(c, {
        name: 'traces',
        path: routePath(c, mountPath, listTracesRoute),
        toItem: toTraceSummary,
        list: () => orchestrator.traces.list(toPageRequest(query), toTraceFilter(query)),
      });
    })
    .openapi(endpoint(getTraceRoute, conditionalDocs), async (c) => {
      const trace = await orchestrator.traces.get(c.req.valid('param').trace_id);
      return unlessCurrent(c, tagOf(trace.traceId), (headers) =>
        jsonResponse(c, toTraceResponse(trace), 200, headers),
      );
    })
    .openapi(endpoint(deleteTraceRoute), async (c) => {
      const { trace_id } = c.req.valid('param');
      await orchestrator.traces.delete(trace_id);
      c.set('logFields', { trace_id });
      return noContentResponse(c);
    });
}

const timelineEntry = {
  sequence: count('Position in the timeline of the trace, from 1'),
  timestamp: z.iso.datetime().describe('When it happened'),
};

/** The schema `StateTransition` of the OpenAPI document. */
const transitionSchema = z
  .object({
    ...timelineEntry,
    from: z.enum(pipelineStates).nullable().describe('Null for the first transition'),
    to: z.enum(pipelineStates).describe('The new state'),
    duration_ms: z.number().describe('Milliseconds spent in `from`'),
  })
  .openapi('StateTransition');

/** The schema `ToolCall` of the OpenAPI document. */
export const toolCallSchema = z
  .object({
    ...timelineEntry,
    tool_name: z.string().describe('Name of the tool'),
    input: anyObjectSchema.describe('Input of the call'),
    output: nullableObjectSchema.describe('Output of the call; null when it failed or found nothing'),
    status: toolStatusSchema,
    attempts: count('Number of attempts; 0 when the call was not started'),
    error: z.string().nullable().describe('Why the call failed, else null'),
    duration_ms: z.number().describe('Milliseconds over all attempts'),
  })
  .openapi('ToolCall');

/** The schema `AgentDecision` of the OpenAPI document. */
const decisionSchema = z
  .object({
    ...timelineEntry,
    agent: z.enum(stageNames).describe('The stage that decided'),
    source: z
      .enum(decisionSources)
      .describe('Rules, the language model, or rules because the language model failed'),
    summary: z.string().describe('The decision in one sentence'),
    data: anyObjectSchema.describe('The data of the decision; differs by stage'),
  })
  .openapi('AgentDecision');

/** The schema `PreparedText` of the OpenAPI document. */
const preparedSchema = z
  .object({
    text: z.string().describe('The newest text, without mark-up: what decides'),
    set_apart: z
      .array(z.object({ kind: z.enum(setApartKinds), text: z.string() }))
      .describe('What is context only, in the order of the message'),
    language: z.string().openapi({
      description:
        'Guessed language, an ISO 639-1 code; `und` where the text is too short or in none of the known',
      example: 'en',
    }),
    automatic: z
      .union([z.literal(false), z.enum(automaticKinds)])
      .describe('The kind of automatic message; false when a person wrote it'),
  })
  .openapi('PreparedText');

/** The schema `TraceSummary` of the OpenAPI document. */
const traceSummarySchema = z
  .object({
    trace_id: z.uuid().describe('The same as in the message response'),
    source: z.string().describe('Origin channel of the message'),
    customer_id: z.string().describe('Id of the customer'),
    message: z.string().describe('What the customer wrote; card numbers and passwords are masked'),
    subject: z.string().nullable().describe('Subject line of a mail, else null'),
    conversation_id: z.string().nullable().describe('Id of the conversation, else null'),
    locale: z.string().nullable().describe('Language as the sender named it, else null'),
    metadata: z.record(z.string(), z.string()).nullable().describe('Texts of the sending system, else null'),
    prepared: preparedSchema.nullable().describe('The message as it was read; null in traces of before 0.8'),
    status: z.enum(pipelineStates).openapi({ description: 'The final pipeline state of the message' }),
    intent: recordedIntentSchema.openapi({
      description: 'What the customer wants; `unknown` when classification failed',
    }),
    confidence: z.number().describe('Confidence of the classifier, from 0 to 1'),
    escalated: z.boolean().describe('True when the message was escalated to a person'),
    disposition: z.enum(dispositions).describe('What is to happen with the reply'),
    concerns: z.array(z.enum(concerns)).describe('What a person must see, the most serious first'),
    response: z
      .string()
      .describe('The reply to the customer; empty with `no_reply`, and not to be sent with `draft`'),
    error: z.string().nullable().openapi({ description: '`<category>: <text>` of a FAILED message' }),
    created_at: z.iso.datetime().describe('When the message was received'),
    completed_at: z.iso.datetime().describe('When the message was processed'),
    duration_ms: z.number().describe('Milliseconds from `created_at` to `completed_at`'),
    otel_trace_id: z
      .string()
      .nullable()
      .describe('Id of the OpenTelemetry trace; null when telemetry is off'),
    item_id: z
      .string()
      .nullable()
      .describe('Id of the inbox item through which a person sees the message; null where nobody has to'),
  })
  .openapi('TraceSummary');

/** The schema `Trace` of the OpenAPI document. */
export const traceSchema = traceSummarySchema
  .extend({
    cost: z
      .number()
      .nullable()
      .describe('What the calls of the language model cost; null without calls or without a price'),
    currency: z.string().nullable().describe('The currency of `cost`, else null'),
    state_transitions: z.array(transitionSchema).describe('State transitions, in order'),
    tool_calls: z.array(toolCallSchema).describe('Tool calls, in order'),
    agent_decisions: z.array(decisionSchema).describe('Decisions of the stages, in order'),
  })
  .openapi('Trace');

/** The intents of the listing are those of the playbook in use, and `unknown`. */
function createListRoute(isIntent: (name: string) => boolean) {
  const intent = z
    .string(givenOnce)
    .refine((name) => name === 'unknown' || isIntent(name), {
      error: 'must be an intent of the playbook, or unknown',
    })
    .optional()
    .openapi({
      param: { description: 'Only messages with this intent' },
      format: RECORDED_INTENT,
      example: 'refund',
    });
  return listRoute('/trace/', {
    operationId: 'listTraces',
    tag: 'Traces',
    summary: 'List traces, newest first, without their timelines',
    description:
      '`GET /trace` is the same listing. With filters it has the traces that fit all of them, and `total` is their number.',
    query: pageQuerySchema.extend({
      status: statusListSchema(traceStatuses),
      intent,
      escalated: flagSchema('Only messages that were escalated to a person, or with `false` the others'),
      customer_id: textParameter('Only messages of this customer', 'customer-1'),
      ...timeRangeShape,
    }),
    page: [pageSchema('traces', traceSummarySchema), 'A page of traces'],
  });
}

const params = z.object({ trace_id: idParameter('`trace_id` of a message response') });

const getTraceRoute = getRoute('/trace/{trace_id}', {
  operationId: 'getTrace',
  tag: 'Traces',
  summary: 'Get the complete timeline of one message',
  description:
    'The timeline is returned as three lists: state transitions, tool calls and decisions. `sequence` is the position of an entry in the timeline.',
  params,
  answer: [traceSchema, 'The trace', taggedHeaders],
});

const deleteTraceRoute = deleteRoute('/trace/{trace_id}', {
  operationId: 'deleteTrace',
  tag: 'Traces',
  summary: 'Delete a trace and all that belongs to it',
  description:
    'With the example that was made from it and its entries in a conversation. Its inbox item becomes an empty record with the status `withdrawn`. Nothing of the message stays readable in the store.',
  params,
});

/** The traces that the query of a listing includes; undefined for all. */
function toTraceFilter(
  query: z.output<ReturnType<typeof createListRoute>['request']['query']>,
): TraceFilter | undefined {
  const { status: statuses, intent, escalated, customer_id: customerId, since, until } = query;
  return toFilter({ statuses, intent, escalated, customerId, since, until });
}

const toPrepared = toWire(preparedSchema);

/** Traces that were stored before 0.8 lack the members that came with it. */
type StoredSummary = TraceSummary | Omit<TraceSummary, 'prepared' | 'disposition' | 'concerns' | 'itemId'>;

const toTraceSummary = toWire(traceSummarySchema, (trace: StoredSummary) => ({
  subject: trace.subject ?? null,
  conversation_id: trace.conversationId ?? null,
  locale: trace.locale ?? null,
  metadata: trace.metadata ?? null,
  prepared: 'prepared' in trace ? toPrepared(trace.prepared) : null,
  disposition: 'disposition' in trace ? trace.disposition : trace.escalated ? 'escalated' : 'answered',
  concerns: 'concerns' in trace ? trace.concerns : [],
  item_id: 'itemId' in trace ? trace.itemId : null,
}));

/** A trace on the wire. Splits the timeline into its three lists. */
export function toTraceResponse(trace: Trace): z.input<typeof traceSchema> {
  const state_transitions: z.input<typeof transitionSchema>[] = [];
  const tool_calls: z.input<typeof toolCallSchema>[] = [];
  const agent_decisions: z.input<typeof decisionSchema>[] = [];
  for (const [index, event] of trace.timeline.entries()) {
    const entry = { ...event, sequence: index + 1, timestamp: isoTime(event.at) };
    if (entry.type === 'pipeline.transition') state_transitions.push(toTransition(entry));
    else if (entry.type === 'tool.executed') tool_calls.push(toToolCall({ ...entry, ...entry.outcome }));
    else agent_decisions.push(toDecision(entry));
  }
  return {
    ...toTraceSummary(trace),
    ...costOfTrace(trace),
    state_transitions,
    tool_calls,
    agent_decisions,
  };
}

const toTransition = toWire(transitionSchema);

const toToolCall = toWire(toolCallSchema);

const toDecision = toWire(decisionSchema);

/** The cost of all decisions of a trace; all are made with one model. */
function costOfTrace({ timeline }: Trace): {
  readonly cost: number | null;
  readonly currency: string | null;
} {
  let cost: number | null = null;
  let currency: string | null = null;
  for (const event of timeline) {
    if (event.type !== 'agent.decided') continue;
    const { cost: own, currency: stated } = event.data;
    if (typeof own !== 'number') continue;
    cost = Math.round(((cost ?? 0) + own) * 1e12) / 1e12;
    currency = typeof stated === 'string' ? stated : null;
  }
  return { cost, currency };
}
