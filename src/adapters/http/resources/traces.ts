import { createRoute, z } from '@hono/zod-openapi';
import { stageNames } from '../../../domain/events.ts';
import { decisionSources, intents } from '../../../domain/message/message.ts';
import { pipelineStates } from '../../../domain/message/pipeline.ts';
import type { TimelineEvent, Trace, TraceSummary } from '../../../domain/message/trace.ts';
import { isoTime } from '../../../lib/text/time.ts';
import { traceExample, tracesExample } from '../docs/examples.ts';
import {
  anyObjectSchema,
  errorResponses,
  idParameter,
  jsonContent,
  nullableObjectSchema,
  pageQuerySchema,
  pageSchema,
} from './schemas.ts';

const entry = {
  sequence: z.number().int().openapi({ description: 'Place in the one timeline of the trace, from 1' }),
  timestamp: z.iso.datetime().describe('When it happened'),
};

const transitionSchema = z
  .object({
    ...entry,
    from: z.enum(pipelineStates).nullable().describe('Null for the first transition'),
    to: z.enum(pipelineStates).describe('The state entered'),
    duration_ms: z.number().describe('Milliseconds spent in `from`'),
  })
  .openapi('StateTransition');

const toolCallSchema = z
  .object({
    ...entry,
    tool_name: z.string().describe('The tool called'),
    input: anyObjectSchema.describe('What it was given'),
    output: nullableObjectSchema.describe('What it returned; null when the call failed'),
    status: z.enum(['success', 'error']).describe('How the last attempt ended'),
    attempts: z.number().int().describe('How often it was tried; 0 when it was never begun'),
    error: z.string().nullable().describe('Why the call failed; null when it did not'),
    duration_ms: z.number().describe('Milliseconds over all attempts'),
  })
  .openapi('ToolCall');

const decisionSchema = z
  .object({
    ...entry,
    agent: z.enum(stageNames).describe('The stage that decided'),
    source: z
      .enum(decisionSources)
      .describe('Rules, the language model, or rules because the language model failed'),
    summary: z.string().describe('The decision in a sentence'),
    data: anyObjectSchema.describe('What it was made from; differs by stage'),
  })
  .openapi('AgentDecision');

const traceSummarySchema = z
  .object({
    trace_id: z.uuid().describe('The same as in the message response'),
    source: z.string().describe('Origin channel of the message'),
    customer_id: z.string().describe('Who the message was from'),
    message: z.string().describe('What the customer wrote'),
    status: z.enum(pipelineStates).openapi({ description: 'The pipeline state that the message ended in' }),
    intent: z
      .enum([...intents, 'unknown'])
      .describe('What the customer wants; `unknown` where nobody found out'),
    confidence: z.number().describe('How sure the classifier was, from 0 to 1'),
    escalated: z.boolean().describe('True where the message went to a person'),
    response: z.string().describe('The reply for the customer'),
    error: z.string().nullable().openapi({ description: '`<category>: <text>` of a FAILED message' }),
    created_at: z.iso.datetime().describe('When the message came in'),
    completed_at: z.iso.datetime().describe('When it was answered'),
    duration_ms: z.number().describe('Milliseconds between the two'),
    otel_trace_id: z
      .string()
      .nullable()
      .describe('Id of the OpenTelemetry trace; null while telemetry is off'),
  })
  .openapi('TraceSummary');

const traceSchema = traceSummarySchema
  .extend({
    state_transitions: z.array(transitionSchema).describe('The states it went through, in order'),
    tool_calls: z.array(toolCallSchema).describe('The tools that were called, in order'),
    agent_decisions: z.array(decisionSchema).describe('What the stages decided, in order'),
  })
  .openapi('Trace');

export const traceRoute = createRoute({
  method: 'get',
  path: '/trace/{trace_id}',
  operationId: 'getTrace',
  tags: ['Traces'],
  summary: 'Read the whole timeline of one message',
  description:
    'State transitions, tool calls and decisions stand in three lists; `sequence` is the place of an entry in their one timeline.',
  request: {
    params: z.object({ trace_id: idParameter('`trace_id` of a message response') }),
  },
  responses: { 200: jsonContent(traceSchema, 'The trace', traceExample), ...errorResponses(404, 503) },
});

export const tracesRoute = createRoute({
  method: 'get',
  path: '/trace/',
  operationId: 'listTraces',
  tags: ['Traces'],
  summary: 'List traces, newest first, without their timelines',
  description: '`GET /trace` is the same listing.',
  request: { query: pageQuerySchema },
  responses: {
    200: jsonContent(pageSchema('traces', traceSummarySchema), 'A page of traces', tracesExample),
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
  const state_transitions: z.input<typeof transitionSchema>[] = [];
  const tool_calls: z.input<typeof toolCallSchema>[] = [];
  const agent_decisions: z.input<typeof decisionSchema>[] = [];
  let sequence = 0;
  for (const event of trace.timeline) {
    sequence += 1;
    if (event.type === 'pipeline.transition') state_transitions.push(toWireTransition(sequence, event));
    else if (event.type === 'tool.executed') tool_calls.push(toWireToolCall(sequence, event));
    else agent_decisions.push(toWireDecision(sequence, event));
  }
  return { ...toWireTraceSummary(trace), state_transitions, tool_calls, agent_decisions };
}

type Told<Type extends TimelineEvent['type']> = Extract<TimelineEvent, { type: Type }>;

function toWireTransition(sequence: number, { at, from, to, durationMs }: Told<'pipeline.transition'>) {
  return { sequence, timestamp: isoTime(at), from, to, duration_ms: durationMs };
}

function toWireToolCall(sequence: number, { at, outcome }: Told<'tool.executed'>) {
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

function toWireDecision(sequence: number, { at, agent, source, summary, data }: Told<'agent.decided'>) {
  return { sequence, timestamp: isoTime(at), agent, source, summary, data };
}
