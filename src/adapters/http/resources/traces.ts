import { createRoute, z } from '@hono/zod-openapi';
import type { PreparedText } from '../../../domain/message/prepared.ts';
import type { TimelineEvent, Trace, TraceSummary } from '../../../domain/message/trace.ts';
import { isoTime } from '../../../lib/text/time.ts';
import { traceExample, tracesExample } from '../docs/examples.ts';
import { conditionalDocs, linkHeaders, taggedHeaders } from '../docs/headers.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { streamPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import type { MountPath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { createTags, unlessCurrent } from '../record-headers.ts';
import { jsonResponse, noContentResponse } from '../response.ts';
import { idParameter, pageSchema, toPageRequest } from './schemas.ts';
import {
  type decisionSchema,
  type toolCallSchema,
  toTraceFilter,
  traceQuerySchema,
  traceSchema,
  traceSummarySchema,
  type transitionSchema,
} from './trace-schemas.ts';

function createListTracesRoute(isIntent: (name: string) => boolean) {
  return createRoute({
    method: 'get',
    path: '/trace/',
    operationId: 'listTraces',
    tags: ['Traces'],
    summary: 'List traces, newest first, without their timelines',
    description:
      '`GET /trace` is the same listing. With filters it has the traces that fit all of them, and `total` is their number.',
    request: { query: traceQuerySchema(isIntent) },
    responses: {
      200: {
        ...jsonContent(pageSchema('traces', traceSummarySchema), 'A page of traces', tracesExample),
        headers: linkHeaders,
      },
      ...errorResponses(422, 503),
    },
  });
}

const getTraceRoute = createRoute({
  method: 'get',
  path: '/trace/{trace_id}',
  operationId: 'getTrace',
  tags: ['Traces'],
  summary: 'Get the complete timeline of one message',
  description:
    'The timeline is returned as three lists: state transitions, tool calls and decisions. `sequence` is the position of an entry in the timeline.',
  request: {
    params: z.object({ trace_id: idParameter('`trace_id` of a message response') }),
  },
  responses: {
    200: { ...jsonContent(traceSchema, 'The trace', traceExample), headers: taggedHeaders },
    ...errorResponses(404, 503),
  },
});

const deleteTraceRoute = createRoute({
  method: 'delete',
  path: '/trace/{trace_id}',
  operationId: 'deleteTrace',
  tags: ['Traces'],
  summary: 'Delete a trace and all that belongs to it',
  description:
    'With the example that was made from it and its entries in a conversation. Its inbox item becomes an empty record with the status `withdrawn`. Nothing of the message stays readable in the store.',
  request: getTraceRoute.request,
  responses: { 204: { description: 'Deleted' }, ...errorResponses(404, 503) },
});

/** `GET /trace/`, and `GET` and `DELETE /trace/{trace_id}`. */
export function tracesResource(
  { orchestrator, version, maxBodyBytes }: ResolvedHttpAppOptions,
  mountPath: MountPath,
) {
  const tagOf = createTags(version);
  const listTracesRoute = createListTracesRoute((name) => orchestrator.playbook.intents.has(name));
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(listTracesRoute), (c) => {
      const query = c.req.valid('query');
      return streamPage(c, {
        name: 'traces',
        path: `${mountPath(c, listTracesRoute.path)}${listTracesRoute.path}`,
        toItem: toTraceSummaryResponse,
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

/** Traces that were stored before 0.8 lack the members that came with it. */
type StoredSummary = TraceSummary | Omit<TraceSummary, 'prepared' | 'disposition' | 'concerns' | 'itemId'>;

function toTraceSummaryResponse(trace: StoredSummary): z.input<typeof traceSummarySchema> {
  return {
    trace_id: trace.traceId,
    source: trace.source,
    customer_id: trace.customerId,
    message: trace.message,
    subject: trace.subject ?? null,
    conversation_id: trace.conversationId ?? null,
    locale: trace.locale ?? null,
    metadata: trace.metadata ?? null,
    prepared: 'prepared' in trace ? toPreparedResponse(trace.prepared) : null,
    status: trace.status,
    intent: trace.intent,
    confidence: trace.confidence,
    escalated: trace.escalated,
    disposition: 'disposition' in trace ? trace.disposition : trace.escalated ? 'escalated' : 'answered',
    concerns: 'concerns' in trace ? [...trace.concerns] : [],
    response: trace.response,
    error: trace.error,
    created_at: trace.createdAt,
    completed_at: trace.completedAt,
    duration_ms: trace.durationMs,
    otel_trace_id: trace.otelTraceId,
    item_id: 'itemId' in trace ? trace.itemId : null,
  };
}

function toPreparedResponse({ text, setApart, language, automatic }: PreparedText) {
  return { text, set_apart: [...setApart], language, automatic };
}

/** A trace on the wire. Splits the timeline into its three lists. */
export function toTraceResponse(trace: Trace): z.input<typeof traceSchema> {
  const state_transitions: z.input<typeof transitionSchema>[] = [];
  const tool_calls: z.input<typeof toolCallSchema>[] = [];
  const agent_decisions: z.input<typeof decisionSchema>[] = [];
  let sequence = 0;
  for (const event of trace.timeline) {
    sequence += 1;
    if (event.type === 'pipeline.transition') state_transitions.push(toTransitionResponse(sequence, event));
    else if (event.type === 'tool.executed') tool_calls.push(toToolCallResponse(sequence, event));
    else agent_decisions.push(toDecisionResponse(sequence, event));
  }
  return {
    ...toTraceSummaryResponse(trace),
    ...costOfTrace(trace),
    state_transitions,
    tool_calls,
    agent_decisions,
  };
}

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

type EventOf<Type extends TimelineEvent['type']> = Extract<TimelineEvent, { type: Type }>;

function toTransitionResponse(sequence: number, event: EventOf<'pipeline.transition'>) {
  const { at, from, to, durationMs } = event;
  return { sequence, timestamp: isoTime(at), from, to, duration_ms: durationMs };
}

function toToolCallResponse(sequence: number, { at, outcome }: EventOf<'tool.executed'>) {
  const { toolName, input, output, status, attempts, error, durationMs } = outcome;
  return {
    sequence,
    timestamp: isoTime(at),
    tool_name: toolName,
    input,
    output,
    status,
    attempts,
    error,
    duration_ms: durationMs,
  };
}

function toDecisionResponse(sequence: number, event: EventOf<'agent.decided'>) {
  const { at, agent, source, summary, data } = event;
  return { sequence, timestamp: isoTime(at), agent, source, summary, data };
}
