import type { MessageFinished, RoutingFinished, ToolExecuted } from '../../src/domain/events.ts';
import type { InboxChanged } from '../../src/domain/inbox/inbox-events.ts';
import type { InboxEventType } from '../../src/domain/inbox/item.ts';
import type { ToolOutcome } from '../../src/domain/message/message.ts';
import type { RoutingStatus } from '../../src/domain/routing/routing.ts';

/** The end of a message. */
export function messageFinished(changes: Partial<MessageFinished> = {}): MessageFinished {
  return {
    type: 'message.finished',
    traceId: 't',
    seq: 9,
    at: 0,
    status: 'COMPLETED',
    intent: 'refund',
    confidence: 1,
    escalated: false,
    disposition: 'answered',
    concerns: [],
    response: '',
    error: null,
    durationMs: 1,
    ...changes,
  };
}

/** A tool call of an embedder. */
export function toolExecuted(changes: Partial<ToolOutcome>): ToolExecuted {
  const outcome: ToolOutcome = {
    toolName: 'lookup',
    input: {},
    output: null,
    status: 'success',
    attempts: 1,
    error: null,
    durationMs: 1,
    ...changes,
  };
  return { type: 'tool.executed', at: 0, registered: true, outcome };
}

/** The end of a routed goal. */
export function routingFinished(status: RoutingStatus): RoutingFinished {
  const counts = { total: 1, completed: 1, failed: 0, error: null, durationMs: 1 };
  return { type: 'routing.finished', routingId: 'r', seq: 3, at: 0, status, ...counts };
}

/** Something that happened to an item. */
export function inboxEvent(type: InboxEventType, outcome: string | null = null): InboxChanged {
  return { type, itemId: 'i', itemKind: 'escalation', seq: 1, at: 0, by: 'service', outcome, ageMs: 0 };
}
