import type { EventSink, OrchestrationEvent, RunAppended, ToolExecuted } from '../../domain/events.ts';
import type { InboxChanged } from '../../domain/inbox/inbox-events.ts';
import type { InboxEventType } from '../../domain/inbox/item.ts';
import type { RunEvent, RunEventType } from '../../domain/run/events.ts';
import type { ScheduleEvent } from '../../domain/schedule/schedule-events.ts';
import type { LogFields } from '../../ports/logger.ts';
import type { ServiceLogger } from './logger.ts';

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

/** The line of an event: its level, its message, and its fields beside the ids of the run. */
type Line<T extends RunEventType> = readonly [
  level: 'debug' | 'info',
  message: string,
  fields: (event: RunEvent<T>) => LogFields,
];

/** The lines by the types of events; null for those whose line another event writes. None has an input or an output. */
const lines: { readonly [T in RunEventType]: Line<T> | null } = {
  'execution.created': [
    'debug',
    'workflow run created',
    ({ version, background, origin, rerunOf, parentRunId }) => ({
      version,
      background,
      origin,
      parent_execution_id: parentRunId,
      rerun_of: rerunOf ?? undefined,
    }),
  ],
  'execution.started': ['debug', 'workflow run started', ({ attempt }) => ({ attempt })],
  'layer.started': ['debug', 'layer started', ({ layer, steps }) => ({ layer, steps: steps.length })],
  'step.started': [
    'debug',
    'step started',
    ({ stepId, kind, layer, attempt }) => ({ step_id: stepId, kind, layer, attempt }),
  ],
  'step.retrying': [
    'debug',
    'step waits for another attempt',
    ({ stepId, attempt, delayMs }) => ({ step_id: stepId, attempt, delay_ms: delayMs }),
  ],
  'step.progress': [
    'debug',
    'items of a step ended',
    ({ stepId, done, failed, total }) => ({ step_id: stepId, done, failed, total }),
  ],
  'step.waiting': [
    'info',
    'step waits',
    ({ stepId, for: kind, itemId, item, until }) => ({
      step_id: stepId,
      for: kind,
      item_id: itemId,
      index: item,
      until: until ?? undefined,
    }),
  ],
  // `step.finished` has the lines of the ends of steps, and `run.finished` those of runs.
  'step.completed': null,
  'step.failed': null,
  'step.cancelled': null,
  'step.skipped': ['debug', 'step skipped', ({ stepId, why }) => ({ step_id: stepId, why })],
  'execution.waiting': ['info', 'workflow run waits', ({ for: kinds }) => ({ for: kinds })],
  'execution.resumed': [
    'info',
    'workflow run resumed',
    ({ by, stepId, outcome, end, isExpired }) => ({
      by,
      step_id: stepId,
      outcome,
      index: end?.index,
      expired: isExpired,
    }),
  ],
  'execution.cancel_requested': [
    'info',
    'workflow run cancel requested',
    ({ by, reason }) => ({ by, reason }),
  ],
  'execution.retried': [
    'info',
    'workflow run retried',
    ({ by, attempt, steps }) => ({ by, attempt, steps: steps.length }),
  ],
  'execution.recovered': [
    'info',
    'workflow run recovered',
    ({ recoveries, recoveriesWithoutProgress, unknownSteps, steps }) => ({
      recoveries,
      recoveries_without_progress: recoveriesWithoutProgress,
      steps: steps.length,
      unknown_steps: unknownSteps.length,
    }),
  ],
  'execution.completed': null,
  'execution.failed': null,
  'execution.cancelled': null,
};

/** Creates the function that logs the events which were added to the log of a run. */
function logRunEvents(logger: ServiceLogger): (appended: RunAppended) => void {
  const debug = logger.isEnabled('debug');

  function log<T extends RunEventType>(run: RunAppended, type: T, event: RunEvent<T>): void {
    const line = lines[type];
    if (line === null) return;
    const [level, message, fields] = line;
    if (level === 'debug' && !debug) return;
    logger[level](message, { execution_id: run.runId, workflow_id: run.workflowId, ...fields(event) });
  }

  return (run) => {
    for (const event of run.events) log(run, event.type, event);
  };
}
