import type { MessageFinished, OrchestrationEvent, ToolExecuted } from '../events.ts';
import type { InboxChanged } from '../inbox/inbox-events.ts';
import type { Disposition } from '../message/message.ts';
import type { RoutingStatus } from '../routing/routing.ts';
import type { RunEventType } from '../run/events.ts';
import { type Counter, latencyBucket, latencyCounters } from './counters.ts';

const byDisposition = {
  answered: 'messages.answered',
  escalated: 'messages.escalated',
  no_reply: 'messages.no_reply',
  draft: 'messages.draft',
} as const satisfies Record<Disposition, Counter>;

const byRoutingStatus = {
  completed: 'routes.completed',
  partial: 'routes.partial',
  failed: 'routes.failed',
} as const satisfies Record<RoutingStatus, Counter>;

/** The counter of each type of event in the log of a run; null for none. */
const byRunEvent = {
  'execution.created': null,
  'execution.started': 'runs.started',
  'layer.started': null,
  'step.started': null,
  'step.retrying': null,
  'step.progress': null,
  'step.waiting': null,
  'execution.waiting': null,
  'execution.resumed': null,
  'step.completed': null,
  'step.failed': 'steps.failed',
  'step.skipped': null,
  'step.cancelled': null,
  'execution.cancel_requested': null,
  'execution.retried': null,
  'execution.recovered': null,
  'execution.completed': 'runs.completed',
  'execution.failed': 'runs.failed',
  'execution.cancelled': 'runs.cancelled',
} as const satisfies Record<RunEventType, Counter | null>;

/**
 * Calls `add` for each counter that an event adds 1 to. Runs are counted by what was saved to their logs, so that each
 * counts once, in the process that saved it.
 */
export function countEvent(event: OrchestrationEvent, add: (counter: Counter) => void): void {
  switch (event.type) {
    case 'message.finished':
      countMessage(event, add);
      return;
    case 'tool.executed':
      countTool(event, add);
      return;
    case 'run.appended':
      for (const { type } of event.events) {
        const counter = byRunEvent[type];
        if (counter !== null) add(counter);
      }
      return;
    case 'routing.finished':
      add(byRoutingStatus[event.status]);
      return;
    case 'inbox.opened':
    case 'inbox.resolved':
    case 'inbox.expired':
      countItem(event, add);
      return;
    case 'inbox.overdue':
      add('inbox.overdue');
      return;
    case 'inbox.claimed':
    case 'inbox.released':
    case 'pipeline.transition':
    case 'agent.decided':
    case 'message.escalated':
    case 'step.finished':
    case 'run.finished':
    case 'run.released':
    case 'routing.started':
    case 'subtask.finished':
    case 'workflow.created':
    case 'workflow.updated':
    case 'workflow.deleted':
    case 'schedule.fired':
    case 'schedule.skipped':
      return;
  }
}

function countMessage(
  { status, disposition, durationMs }: MessageFinished,
  add: (counter: Counter) => void,
): void {
  add(status === 'FAILED' ? 'messages.failed' : byDisposition[disposition]);
  const latency = latencyCounters[latencyBucket(durationMs)];
  if (latency !== undefined) add(latency);
}

/** Neither a call that finds nothing nor one that was cancelled is an error. */
function countTool({ outcome }: ToolExecuted, add: (counter: Counter) => void): void {
  add('tools.calls');
  if (outcome.notFound === true) add('tools.not_found');
  else if (outcome.status === 'error' && outcome.cancelled !== true) add('tools.errors');
}

function countItem({ type, outcome }: InboxChanged, add: (counter: Counter) => void): void {
  if (type === 'inbox.opened') add('inbox.opened');
  else if (type === 'inbox.expired') add('inbox.expired');
  else add(outcome === 'withdrawn' ? 'inbox.withdrawn' : 'inbox.resolved');
}
