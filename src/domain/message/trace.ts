import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { MessageFinished, PipelineTransition, StageDecided, ToolExecuted } from '../events.ts';
import type { RecordFilter } from '../record-filter.ts';
import type { ConversationEntry } from './conversation.ts';
import type { Concern, Disposition, RecordedIntent } from './message.ts';
import type { PreparedMessage } from './prepared.ts';

/** An event of the timeline of a trace. */
export type TimelineEvent = PipelineTransition | ToolExecuted | StageDecided;

/** The ends of a message: the final states of the pipeline. */
export const traceStatuses = ['COMPLETED', 'FAILED'] as const;

/** One of {@link traceStatuses}. */
export type TraceStatus = (typeof traceStatuses)[number];

/** A trace as listings show it (decisions, section 2). */
export interface TraceSummary extends Omit<PreparedMessage, 'draft' | 'history'> {
  readonly traceId: string;
  readonly status: TraceStatus;
  readonly intent: RecordedIntent;
  readonly confidence: number;
  readonly escalated: boolean;
  readonly disposition: Disposition;
  readonly concerns: readonly Concern[];
  readonly response: string;
  /** `<category>: <safe text>` of a FAILED message, else null. */
  readonly error: string | null;
  readonly createdAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
  readonly otelTraceId: string | null;
  /** The inbox item through which a person sees the message; null where nobody has to. */
  readonly itemId: string | null;
}

/** Which traces a listing includes: those that fit every member that is given. */
export interface TraceFilter extends RecordFilter {
  readonly statuses?: readonly TraceStatus[] | undefined;
}

/** The stored record of one message: its outcome, and its timeline in the order of the events. */
export interface Trace extends TraceSummary {
  readonly timeline: readonly TimelineEvent[];
}

/**
 * Builds the trace of a message from its events and its outcome. It is created with its first event, if there is one.
 */
export function buildTrace(
  message: PreparedMessage,
  timeline: readonly TimelineEvent[],
  finished: MessageFinished,
  otelTraceId: string | null,
): Trace {
  return {
    traceId: finished.traceId,
    source: message.source,
    customerId: message.customerId,
    message: message.message,
    subject: message.subject ?? null,
    conversationId: message.conversationId ?? null,
    locale: message.locale ?? null,
    metadata: message.metadata ?? null,
    prepared: message.prepared,
    status: finished.status,
    intent: finished.intent,
    confidence: finished.confidence,
    escalated: finished.escalated,
    disposition: finished.disposition,
    concerns: finished.concerns,
    response: finished.response,
    error: finished.error,
    createdAt: isoTime(timeline[0]?.at ?? finished.at),
    completedAt: isoTime(finished.at),
    durationMs: finished.durationMs,
    otelTraceId,
    itemId: null,
    timeline,
  };
}

/** A trace without its timeline. */
export function summarizeTrace(trace: Trace): TraceSummary {
  const { timeline: _, ...summary } = trace;
  return summary;
}

/** The response of `POST /messages` and the reply of the agent `support_pipeline`. */
export function messageResponse(trace: TraceSummary): MessageResponse {
  return {
    trace_id: trace.traceId,
    status: trace.status,
    intent: trace.intent,
    confidence: trace.confidence,
    escalated: trace.escalated,
    disposition: trace.disposition,
    response: trace.response,
    // Traces of before 0.8 have none.
    item_id: trace.itemId ?? null,
  };
}

/** The response to a customer message, with its public field names. */
export interface MessageResponse extends JsonObject {
  readonly trace_id: string;
  readonly status: 'COMPLETED' | 'FAILED';
  readonly intent: RecordedIntent;
  readonly confidence: number;
  readonly escalated: boolean;
  readonly disposition: Disposition;
  readonly response: string;
  readonly item_id: string | null;
}

/** The entries that a message adds to its conversation: its text, and the reply where one was sent. */
export function entriesOf(trace: Trace, reasons: readonly string[]): readonly ConversationEntry[] {
  const { traceId, disposition, itemId, intent, prepared, createdAt, completedAt, response } = trace;
  const shared = { traceId, disposition, itemId, intent, reasons };
  const text = prepared.text === '' ? trace.message : prepared.text;
  const entries: ConversationEntry[] = [{ ...shared, from: 'customer', text, at: createdAt }];
  const isSent = disposition === 'answered' || disposition === 'escalated';
  if (isSent) entries.push({ ...shared, from: 'service', text: response, at: completedAt });
  return entries;
}
