import type { Inbox } from '../../src/application/inbox/inbox.ts';
import { createItemWriter } from '../../src/application/inbox/item-writer.ts';
import {
  createOrchestrator,
  type Orchestrator,
  type OrchestratorOptions,
} from '../../src/application/orchestrator.ts';
import type { InboxChanged } from '../../src/domain/inbox/inbox-events.ts';
import { type InboxItem, inboxEventTypes } from '../../src/domain/inbox/item.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { Verdict } from '../../src/domain/message/message.ts';
import type { Ports } from '../../src/ports/ports.ts';
import { testPorts } from './ports.ts';
import { type Script, scriptedStages } from './stages.ts';

/** When {@link sampleItem} was opened, and the clock of tests starts. */
export const OPENED_AT = Date.UTC(2026, 0, 1);

/** A time in ISO 8601, in milliseconds after {@link OPENED_AT}. */
export const timeAfter = (ms: number): string => new Date(OPENED_AT + ms).toISOString();

/** An open item about a message; `changes` replaces members. */
export function sampleItem(changes: Partial<InboxItem> = {}): InboxItem {
  return {
    itemId: 'item-1',
    kind: 'escalation',
    status: 'open',
    priority: 3,
    title: 'My kettle is broken',
    reasons: ['upset_customer'],
    subject: { kind: 'message', id: 'trace-1', stepId: null },
    customerId: 'customer-1',
    conversationId: null,
    excerpt: 'My kettle is broken, and nobody answers.',
    draft: null,
    assignee: null,
    claimedUntil: null,
    openedAt: timeAfter(0),
    dueAt: timeAfter(3_600_000),
    isOverdue: false,
    expiresAt: timeAfter(86_400_000),
    endedAt: null,
    resolution: null,
    payload: null,
    responseSchema: null,
    notes: [],
    version: 1,
    lastSeq: 1,
    ...changes,
  };
}

/** Items with the ids `item-0`, `item-1`, …, the oldest first. */
export function sampleItems(count: number): readonly InboxItem[] {
  return Array.from({ length: count }, (_, index) =>
    sampleItem({ itemId: `item-${index}`, openedAt: timeAfter(index) }),
  );
}

/** The events of items among recorded ones, as `type by`, with the outcome where there is one. */
export function inboxEventsIn(events: readonly unknown[], itemId?: string): readonly InboxChanged[] {
  const types: ReadonlySet<string> = new Set(inboxEventTypes);
  const isInboxChanged = (event: unknown): event is InboxChanged =>
    typeof event === 'object' && event !== null && 'type' in event && types.has(String(event.type));
  return events.filter(isInboxChanged).filter((event) => itemId === undefined || event.itemId === itemId);
}

/** An event as a short text: `inbox.released service lapsed`. */
export function inboxEventText({ type, by, outcome }: InboxChanged): string {
  return [type, by, outcome].filter((part) => part !== null).join(' ');
}

/** The verdict that gives every message to a person. */
export const escalated: Verdict = { escalated: true, reasons: ['low_confidence'] };

/** Options of {@link createInboxService}. */
export interface InboxServiceOptions extends OrchestratorOptions {
  readonly script?: Script;
  readonly ports?: Partial<Ports>;
  readonly limits?: Partial<Limits>;
}

/** The inbox of a core. Throws where it is off. */
export function inboxOf({ inbox }: Orchestrator): Inbox {
  if (inbox === undefined) throw new Error('the inbox is off');
  return inbox;
}

/** The core over memory whose stages escalate every message unless a script says something else. */
export function createMessageService({ script, ports: own, limits, ...options }: InboxServiceOptions = {}) {
  const stages = scriptedStages({ verdict: escalated, reply: 'A colleague will answer.', ...script });
  const { ports, clock, recorded, logger } = testPorts({ stages, ...own });
  const orchestrator = createOrchestrator(ports, limits, options);
  const eventTexts = (itemId?: string) => inboxEventsIn(recorded.events, itemId).map(inboxEventText);
  return {
    ports,
    clock,
    recorded,
    logger,
    orchestrator,
    eventTexts,
    writer: createItemWriter(ports),
    /** Handles a message of customer-1, in a conversation unless that is undefined. */
    send: (message: string, conversationId?: string, customerId = 'customer-1') =>
      orchestrator.messages.process({ source: 'email', customerId, message, conversationId }),
  };
}

/** As {@link createMessageService}, with its inbox. */
export function createInboxService(options: InboxServiceOptions = {}) {
  const service = createMessageService(options);
  return { ...service, inbox: inboxOf(service.orchestrator) };
}
