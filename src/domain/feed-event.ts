import type { OrchestrationEvent, RunAppended } from './events.ts';
import { toInboxEvent } from './inbox/inbox-events.ts';
import { toMessageEvent } from './message/message-events.ts';
import { toRoutingEvent } from './routing/routing-events.ts';
import { toSubjectEvent } from './run/subject-events.ts';
import { toScheduleEvent } from './schedule/schedule-events.ts';
import type { Subject, SubjectEvent, SubjectEventType, SubjectKind } from './subject-event.ts';

/**
 * The part of an event that clients see: without inputs, outputs and texts. Nothing of one that belongs to no subject,
 * such as a tool call of an embedder, and of those of a run that its log has too.
 */
export function toFeedEvents(event: OrchestrationEvent): readonly SubjectEvent[] {
  if (event.type === 'run.appended') {
    const about: Subject = { kind: 'execution', id: event.runId, workflowId: event.workflowId };
    return event.events.map((appended) => toSubjectEvent(about, appended));
  }
  const shown = toFeedEvent(event);
  return shown === undefined ? [] : [shown];
}

function toFeedEvent(event: Exclude<OrchestrationEvent, RunAppended>): SubjectEvent | undefined {
  switch (event.type) {
    case 'pipeline.transition':
    case 'agent.decided':
    case 'message.escalated':
    case 'message.finished':
      return toMessageEvent(event, subject('message', event.traceId));
    case 'tool.executed': {
      const { traceId, seq } = event;
      if (traceId === undefined || seq === undefined) return undefined;
      return toMessageEvent({ ...event, seq }, subject('message', traceId));
    }
    case 'routing.started':
    case 'subtask.finished':
    case 'routing.finished':
      return toRoutingEvent(event, subject('routing', event.routingId));
    case 'workflow.created':
    case 'workflow.updated':
    case 'workflow.deleted': {
      const { type, seq, at, workflowId, name } = event;
      return { seq, type, at, subject: subject('workflow', workflowId), data: { name } };
    }
    case 'inbox.opened':
    case 'inbox.claimed':
    case 'inbox.released':
    case 'inbox.resolved':
    case 'inbox.expired':
      return toInboxEvent(event);
    case 'schedule.fired':
    case 'schedule.skipped':
      return toScheduleEvent(event);
    case 'inbox.overdue':
    case 'step.finished':
    case 'run.finished':
    case 'run.released':
      return undefined;
  }
}

function subject(kind: Subject['kind'], id: string): Subject {
  return { kind, id };
}

/** Which events of the feed a reader wants; all of them when empty. */
export interface FeedFilter {
  readonly types?: readonly SubjectEventType[] | undefined;
  readonly kind?: SubjectKind | undefined;
  /** The workflow of an execution, or the workflow itself. */
  readonly workflowId?: string | undefined;
}

/** True for an event that fits the filter. */
export function matchesFilter({ type, subject: about }: SubjectEvent, filter: FeedFilter): boolean {
  const { types = [], kind, workflowId } = filter;
  if (types.length > 0 && !types.includes(type)) return false;
  if (kind !== undefined && about.kind !== kind) return false;
  if (workflowId === undefined) return true;
  return about.workflowId === workflowId || (about.kind === 'workflow' && about.id === workflowId);
}
