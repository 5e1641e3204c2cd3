import type { EventSink, OrchestrationEvent, ToolExecuted } from '../../domain/events.ts';
import type { InboxChanged, InboxEventType } from '../../domain/inbox/inbox-events.ts';
import type { ScheduleEvent } from '../../domain/schedule/schedule-events.ts';
import type { LogFields } from '../../ports/logger.ts';
import type { ServiceLogger } from './logger.ts';
import { logRunEvents } from './run-lines.ts';

/**
 * Creates an event sink that logs: the end of each message, run and route, the requests to cancel and retry a run, its
 * hand-over, the inbox items that end or are overdue, and the fires of schedules, at `info`; failed tools, steps and
 * subtasks, lost runs, and fires that start no run, at `warn`; everything else at `debug`. No line contains the text of
 * a message, an input or an output.
 */
export function logEvents(logger: ServiceLogger): EventSink {
  const debug = logger.isEnabled('debug');
  const runAppended = logRunEvents(logger);
  return (event) => {
    switch (event.type) {
      case 'message.finished':
        return logger.info('message finished', {
          trace_id: event.traceId,
          status: event.status,
          intent: event.intent,
          confidence: event.confidence,
          escalated: event.escalated,
          disposition: event.disposition,
          concerns: event.concerns,
          duration_ms: event.durationMs,
        });
      case 'run.finished':
        return logger.info('workflow run finished', {
          execution_id: event.runId,
          workflow_id: event.workflowId,
          status: event.status,
          error: event.error,
          cancelled_by: event.cancelledBy ?? undefined,
          duration_ms: event.durationMs,
        });
      case 'run.released': {
        const ids = { execution_id: event.runId, workflow_id: event.workflowId };
        if (event.reason === 'lost') return logger.warn('workflow run lost to another process', ids);
        return logger.info('workflow run handed over', ids);
      }
      case 'routing.finished':
        return logger.info('routing finished', {
          routing_id: event.routingId,
          status: event.status,
          total: event.total,
          failed: event.failed,
          duration_ms: event.durationMs,
        });
      case 'tool.executed':
        if (hasFailed(event)) return logger.warn('tool failed', toolFields(event));
        return debug ? logger.debug('tool executed', toolFields(event)) : undefined;
      case 'step.finished':
      case 'subtask.finished':
        if (event.status === 'FAILED' || event.status === 'failed')
          return logger.warn(`${partNames[event.type]} failed`, partFields(event));
        return debug ? logger.debug(`${partNames[event.type]} finished`, partFields(event)) : undefined;
      case 'pipeline.transition':
      case 'agent.decided':
      case 'message.escalated':
        return debug ? logger.debug(...progressLine(event)) : undefined;
      case 'run.appended':
        return runAppended(event);
      case 'inbox.opened':
      case 'inbox.claimed':
      case 'inbox.released':
        return debug ? logger.debug(inboxLines[event.type], inboxFields(event)) : undefined;
      case 'inbox.resolved':
      case 'inbox.expired':
        return logger.info(inboxLines[event.type], inboxFields(event));
      case 'inbox.overdue':
        return logger.info('inbox item overdue', { item_id: event.itemId, kind: event.itemKind });
      case 'schedule.fired':
        return logger.info('schedule fired', { ...scheduleFields(event), execution_id: event.runId });
      case 'schedule.skipped':
        return logger.warn('schedule skipped', { ...scheduleFields(event), reason: event.reason });
      case 'routing.started':
      case 'workflow.created':
      case 'workflow.updated':
      case 'workflow.deleted':
        return;
    }
  };
}

const inboxLines = {
  'inbox.opened': 'inbox item opened',
  'inbox.claimed': 'inbox item claimed',
  'inbox.released': 'inbox item released',
  'inbox.resolved': 'inbox item resolved',
  'inbox.expired': 'inbox item expired',
} as const satisfies Record<InboxEventType, string>;

function inboxFields({ itemId, itemKind, by, outcome, ageMs }: InboxChanged): LogFields {
  return { item_id: itemId, kind: itemKind, by, outcome: outcome ?? undefined, age_ms: ageMs };
}

function scheduleFields({ scheduleId, workflowId, dueAt }: ScheduleEvent): LogFields {
  const due_at = dueAt === null ? undefined : new Date(dueAt).toISOString();
  return { schedule_id: scheduleId, workflow_id: workflowId, due_at };
}

type ProgressEvent = Extract<
  OrchestrationEvent,
  { type: 'pipeline.transition' | 'agent.decided' | 'message.escalated' }
>;

type PartFinished = Extract<OrchestrationEvent, { type: 'step.finished' | 'subtask.finished' }>;

const partNames = { 'step.finished': 'step', 'subtask.finished': 'subtask' } as const;

/** Finding nothing and a cancel are no failures. */
function hasFailed({ outcome }: ToolExecuted): boolean {
  return outcome.status === 'error' && outcome.notFound !== true && outcome.cancelled !== true;
}

function toolFields({ outcome, registered }: ToolExecuted) {
  return {
    tool_name: outcome.toolName,
    registered,
    attempts: outcome.attempts,
    error: outcome.error ?? undefined,
    duration_ms: outcome.durationMs,
  };
}

function partFields(event: PartFinished) {
  const outcome = { status: event.status, error: event.error ?? undefined, duration_ms: event.durationMs };
  return event.type === 'step.finished'
    ? { execution_id: event.runId, step_id: event.stepId, kind: event.kind, ...outcome }
    : { routing_id: event.routingId, task_id: event.taskId, agent_name: event.agentName, ...outcome };
}

function progressLine(event: ProgressEvent): [string, LogFields] {
  const trace_id = event.traceId;
  switch (event.type) {
    case 'pipeline.transition':
      return ['state entered', { trace_id, from: event.from, to: event.to, duration_ms: event.durationMs }];
    case 'agent.decided':
      return ['stage decided', { trace_id, agent: event.agent, source: event.source }];
    case 'message.escalated':
      return ['message escalated', { trace_id, reasons: event.reasons }];
  }
}
