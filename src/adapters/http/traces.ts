import { createRoute, z } from '@hono/zod-openapi';
import { stageAgents } from '../../domain/events.ts';
import { decisionSources, intents } from '../../domain/message.ts';
import { pipelineStates } from '../../domain/pipeline.ts';
import { isoTime } from '../../domain/time.ts';
import type { TimelineEvent, Trace, TraceSummary } from '../../domain/trace.ts';
import { anyObjectSchema, errorResponses, jsonContent, pageQuerySchema, pageSchema } from './wire.ts';

const entry = {
  sequence: z.number().int().openapi({ description: 'Place in the one timeline of the trace, from 1' }),
  timestamp: z.iso.datetime(),
};

const transitionSchema = z
  .object({
    ...entry,
    from: z.enum(pipelineStates).nullable(),
    to: z.enum(pipelineStates),
    duration_ms: z.number().openapi({ description: 'Spent in `from`' }),
  })
  .openapi('StateTransition');

const toolCallSchema = z
  .object({
    ...entry,
    tool_name: z.string(),
    input: anyObjectSchema,
    output: anyObjectSchema.nullable(),
    status: z.enum(['success', 'error']),
    attempts: z.number().int(),
    error: z.string().nullable(),
    duration_ms: z.number(),
  })
  .openapi('ToolCall');

const decisionSchema = z
  .object({
    ...entry,
    agent: z.enum(stageAgents),
    source: z.enum(decisionSources),
    summary: z.string(),
    data: anyObjectSchema,
  })
  .openapi('AgentDecision');

const traceSummarySchema = z
  .object({
    trace_id: z.uuid(),
    source: z.string(),
    customer_id: z.string(),
    message: z.string(),
    status: z.enum(pipelineStates).openapi({ description: 'The pipeline state that the message ended in' }),
    intent: z.enum([...intents, 'unknown']),
    confidence: z.number(),
    escalated: z.boolean(),
    response: z.string(),
    error: z.string().nullable().openapi({ description: '`<category>: <text>` of a FAILED message' }),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime(),
    duration_ms: z.number(),
    otel_trace_id: z.string().nullable(),
  })
  .openapi('TraceSummary');

const traceSchema = traceSummarySchema
  .extend({
    state_transitions: z.array(transitionSchema),
    tool_calls: z.array(toolCallSchema),
    agent_decisions: z.array(decisionSchema),
  })
  .openapi('Trace');

export const traceRoute = createRoute({
  method: 'get',
  path: '/trace/{trace_id}',
  operationId: 'getTrace',
  tags: ['Traces'],
  summary: 'Read the whole timeline of one message',
  request: {
    params: z.object({ trace_id: z.string().openapi({ example: '0199aa4c-7c1f-7d2e-9b3a-6f1c2d3e4f50' }) }),
  },
  responses: { 200: jsonContent(traceSchema, 'The trace'), ...errorResponses(404, 503) },
});

export const tracesRoute = createRoute({
  method: 'get',
  path: '/trace/',
  operationId: 'listTraces',
  tags: ['Traces'],
  summary: 'List traces, newest first, without their timelines',
  request: { query: pageQuerySchema },
  responses: {
    200: jsonContent(pageSchema('traces', traceSummarySchema), 'A page of traces'),
    ...errorResponses(422, 503),
  },
});

/** A trace's summary in its wire form. */
export function toWireTraceSummary(trace: TraceSummary): z.input<typeof traceSummarySchema> {
  return {
    trace_id: trace.traceId,
    source: trace.source,
    customer_id: trace.customerId,
    message: trace.message,
    status: trace.status,
    intent: trace.intent,
    confidence: trace.confidence,
    escalated: trace.escalated,
    response: trace.response,
    error: trace.error,
    created_at: trace.createdAt,
    completed_at: trace.completedAt,
    duration_ms: trace.durationMs,
    otel_trace_id: trace.otelTraceId,
  };
}

/** A trace in its wire form: its one timeline as three lists, whose `sequence` keeps the common order. */
export function toWireTrace(trace: Trace): z.input<typeof traceSchema> {
  const wire = {
    ...toWireTraceSummary(trace),
    state_transitions: [] as z.input<typeof transitionSchema>[],
    tool_calls: [] as z.input<typeof toolCallSchema>[],
    agent_decisions: [] as z.input<typeof decisionSchema>[],
  };
  trace.timeline.forEach((event, index) => {
    const place = { sequence: index + 1, timestamp: isoTime(event.at) };
    if (event.type === 'pipeline.transition')
      wire.state_transitions.push({ ...place, ...toWireTransition(event) });
    else if (event.type === 'tool.executed') wire.tool_calls.push({ ...place, ...toWireToolCall(event) });
    else wire.agent_decisions.push({ ...place, ...toWireDecision(event) });
  });
  return wire;
}

type Told<Type extends TimelineEvent['type']> = Extract<TimelineEvent, { type: Type }>;

function toWireTransition({ from, to, durationMs }: Told<'pipeline.transition'>) {
  return { from, to, duration_ms: durationMs };
}

function toWireToolCall({ outcome }: Told<'tool.executed'>) {
  const { toolName, input, output, status, attempts, error, durationMs } = outcome;
  return { tool_name: toolName, input, output, status, attempts, error, duration_ms: durationMs };
}

function toWireDecision({ agent, source, summary, data }: Told<'agent.decided'>) {
  return { agent, source, summary, data };
}
