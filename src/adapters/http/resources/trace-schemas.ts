import { z } from '@hono/zod-openapi';
import { stageNames } from '../../../domain/events.ts';
import { concerns, decisionSources, dispositions } from '../../../domain/message/message.ts';
import { pipelineStates } from '../../../domain/message/pipeline.ts';
import { automaticKinds, setApartKinds } from '../../../domain/message/prepared.ts';
import { type TraceFilter, traceStatuses } from '../../../domain/message/trace.ts';
import { RECORDED_INTENT } from '../docs/intents.ts';
import { flagSchema, statusListSchema, textSchema, timeRangeShape, toFilter } from './listing/filters.ts';
import {
  anyObjectSchema,
  nullableObjectSchema,
  pageQuerySchema,
  recordedIntentSchema,
  toolStatusSchema,
} from './schemas.ts';

const timelineEntry = {
  sequence: z.number().int().openapi({ description: 'Position in the timeline of the trace, from 1' }),
  timestamp: z.iso.datetime().describe('When it happened'),
};

/** The schema `StateTransition` of the OpenAPI document. */
export const transitionSchema = z
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
    attempts: z.number().int().describe('Number of attempts; 0 when the call was not started'),
    error: z.string().nullable().describe('Why the call failed, else null'),
    duration_ms: z.number().describe('Milliseconds over all attempts'),
  })
  .openapi('ToolCall');

/** The schema `AgentDecision` of the OpenAPI document. */
export const decisionSchema = z
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
export const traceSummarySchema = z
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

/** The query of `GET /trace/`. Its intents are those of the playbook in use, and `unknown`. */
export function traceQuerySchema(isIntent: (name: string) => boolean) {
  return pageQuerySchema.extend({
    status: statusListSchema(traceStatuses),
    intent: z
      .string({ error: 'must be given once' })
      .refine((intent) => intent === 'unknown' || isIntent(intent), {
        error: 'must be an intent of the playbook, or unknown',
      })
      .optional()
      .openapi({
        param: { description: 'Only messages with this intent' },
        format: RECORDED_INTENT,
        example: 'refund',
      }),
    escalated: flagSchema('Only messages that were escalated to a person, or with `false` the others'),
    customer_id: textSchema('Only messages of this customer', 'customer-1'),
    ...timeRangeShape,
  });
}

/** The traces that the query of a listing includes; undefined for all. */
export function toTraceFilter(query: z.output<ReturnType<typeof traceQuerySchema>>): TraceFilter | undefined {
  const { status: statuses, intent, escalated, customer_id: customerId, since, until } = query;
  return toFilter({ statuses, intent, escalated, customerId, since, until });
}
