import { isoTime } from '../../lib/text/time.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { Concern } from '../message/message.ts';
import type { Trace } from '../message/trace.ts';
import type { Playbook } from '../playbook/playbook.ts';
import type { InboxItem, Priority } from './item.ts';

/** The most characters of a title and of an excerpt. */
const MAX_TITLE = 80;
const MAX_EXCERPT = 500;

/** The priority of a message without a concern. */
const ORDINARY: Priority = 4;

/** The reasons of the verifier for which somebody waits more urgently than others. */
const urgentReasons: ReadonlySet<string> = new Set([
  ...['human_requested', 'not_resolved', 'upset_customer', 'repeated_wish', 'third_turn', 'pipeline_failed'],
]);

/** The priority of a message: by its concerns, as the playbook says, else by the reasons for its escalation. */
export function priorityOf(
  { concerns }: { readonly concerns: readonly Concern[] },
  reasons: readonly string[],
  playbook: Playbook,
): Priority {
  const ordinary: Priority = reasons.some((reason) => urgentReasons.has(reason)) ? 3 : ORDINARY;
  const stated = concerns.map((concern) => playbook.concerns[concern].priority);
  return stated.reduce((a, b) => (b < a ? b : a), stated[0] ?? ordinary);
}

/** The sources of an item about a message. */
export interface MessageItemInput {
  readonly itemId: string;
  readonly trace: Trace;
  readonly reasons: readonly string[];
  /** A reply that was made and must not be sent. */
  readonly draft?: string | undefined;
  readonly playbook: Playbook;
  /** Milliseconds until it expires. */
  readonly expiryMs: number;
}

/**
 * The item for a message that was escalated, or whose reply is a draft. It is opened when the message was completed.
 */
export function messageItem(input: MessageItemInput): InboxItem {
  const { itemId, trace, reasons, draft = null, playbook, expiryMs } = input;
  const { prepared, subject, conversationId = null, customerId } = trace;
  const isDraft = trace.disposition === 'draft';
  const text = prepared.text === '' ? trace.message : prepared.text;
  const openedAt = Date.parse(trace.completedAt);
  const priority = priorityOf(trace, reasons, playbook);
  return {
    itemId,
    kind: isDraft ? 'draft' : 'escalation',
    status: 'open',
    priority,
    title: oneLine(subject ?? '') || oneLine(text) || 'A message without text',
    reasons: [...new Set([...trace.concerns, ...reasons])],
    subject: { kind: 'message', id: trace.traceId, stepId: null },
    customerId,
    conversationId,
    excerpt: truncate(text, MAX_EXCERPT),
    draft: isDraft ? trace.response : draft,
    assignee: null,
    claimedUntil: null,
    openedAt: isoTime(openedAt),
    dueAt: isoTime(playbook.dueAt(openedAt, priority)),
    isOverdue: false,
    expiresAt: isoTime(openedAt + expiryMs),
    endedAt: null,
    resolution: null,
    payload: null,
    responseSchema: null,
    notes: [],
    version: 1,
    lastSeq: 1,
  };
}

/** The beginning of a text, without line breaks and other control characters. */
function oneLine(text: string): string {
  const beginning = truncate(text, 4 * MAX_TITLE).replaceAll(/[\s\p{Cc}]+/gu, ' ');
  return truncate(beginning.trim(), MAX_TITLE);
}
