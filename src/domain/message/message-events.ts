import type {
  MessageEscalated,
  MessageFinished,
  PipelineTransition,
  StageDecided,
  ToolExecuted,
} from '../events.ts';
import type { Subject, SubjectEvent } from '../subject-event.ts';
import type { TimelineEvent, Trace } from './trace.ts';

/** An event of a message. A tool call of a message has its number. */
export type MessageEvent =
  | PipelineTransition
  | StageDecided
  | (ToolExecuted & { readonly seq: number })
  | MessageEscalated
  | MessageFinished;

/** An event of a message as clients see it: without inputs, outputs and texts. */
export function toMessageEvent(event: MessageEvent, subject: Subject): SubjectEvent {
  const { seq, at } = event;
  switch (event.type) {
    case 'pipeline.transition': {
      const { from, to, durationMs } = event;
      return { seq, type: event.type, at, subject, data: { from, to, durationMs } };
    }
    case 'agent.decided': {
      const { agent: stage, source, summary } = event;
      return { seq, type: 'stage.decided', at, subject, data: { stage, source, summary } };
    }
    case 'tool.executed': {
      const { toolName, status, attempts, error, durationMs } = event.outcome;
      return { seq, type: event.type, at, subject, data: { toolName, status, attempts, error, durationMs } };
    }
    case 'message.escalated':
      return { seq, type: event.type, at, subject, data: { reasons: event.reasons } };
    case 'message.finished': {
      const { status, intent, confidence, escalated, disposition, error, durationMs } = event;
      const data = { status, intent, confidence, escalated, disposition, error, durationMs };
      return { seq, type: event.type, at, subject, data };
    }
  }
}

/** The events of a stored trace, with the numbers under which they were emitted. */
export function traceEvents(trace: Trace): readonly SubjectEvent[] {
  const subject: Subject = { kind: 'message', id: trace.traceId };
  const events: SubjectEvent[] = [];
  let decision: StageDecided | undefined;
  for (const event of trace.timeline) {
    if (decision !== undefined && wasEscalated(decision, event, events.length)) {
      const reasons = reasonsOf(decision);
      const data = { reasons };
      events.push({ seq: events.length + 1, type: 'message.escalated', at: decision.at, subject, data });
    }
    events.push(toMessageEvent({ ...event, seq: events.length + 1 }, subject));
    decision = event.type === 'agent.decided' ? event : undefined;
  }
  events.push(finishedEvent(trace, subject, events.length + 1));
  return events;
}

/**
 * True where the message was escalated between the decision of a stage and the event after it: then a number is missing
 * there. Traces of before 0.8 have no numbers: the decision itself tells.
 */
function wasEscalated(decision: StageDecided, next: Stored<TimelineEvent>, count: number): boolean {
  if (next.seq !== undefined) return next.seq > count + 1;
  return decision.agent === 'verifier' && decision.data['escalated'] === true;
}

/** Events that were stored before 0.8 have no number. */
type Stored<E extends { readonly seq?: number | undefined }> = Omit<E, 'seq'> & Partial<Pick<E, 'seq'>>;

/** The reasons of a verifier's decision; none where a stage of the embedder does not record them. */
function reasonsOf({ data }: StageDecided): readonly string[] {
  const { reasons } = data;
  if (!Array.isArray(reasons)) return [];
  return reasons.filter((reason) => typeof reason === 'string');
}

/** The last event of a message. Traces of before 0.8 have no disposition. */
function finishedEvent(trace: Trace, subject: Subject, seq: number): SubjectEvent {
  const { status, intent, confidence, escalated, error, durationMs, completedAt } = trace;
  const disposition = storedDisposition(trace);
  const data = { status, intent, confidence, escalated, disposition, error, durationMs };
  return { seq, type: 'message.finished', at: Date.parse(completedAt), subject, data };
}

function storedDisposition(trace: Trace | Omit<Trace, 'disposition'>) {
  if ('disposition' in trace) return trace.disposition;
  return trace.escalated ? 'escalated' : 'answered';
}
