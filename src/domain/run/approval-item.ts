import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { InboxItem, Priority } from '../inbox/item.ts';
import type { Playbook } from '../playbook/playbook.ts';
import type { ApprovalStep } from '../workflow/definition.ts';
import type { RunHead } from './state.ts';
import type { StepWait } from './waits.ts';

/** What the item of an approval is made from. */
export interface ApprovalItemInput {
  readonly head: RunHead;
  readonly wait: StepWait;
  readonly step: ApprovalStep;
  /** The title and the payload, resolved. */
  readonly title: string;
  readonly payload: JsonObject;
  readonly playbook: Pick<Playbook, 'dueAt'>;
}

/** The most characters of a title. */
const MAX_TITLE = 200;

const PRIORITY: Priority = 3;

/**
 * The item that asks a person to approve a step. It is due when it expires, at the latest. It has no `expiresAt` of its
 * own: the run ends it when nobody has decided in time.
 */
export function approvalItem({ head, wait, step, title, payload, playbook }: ApprovalItemInput): InboxItem {
  const dueMs = playbook.dueAt(wait.since, PRIORITY);
  const untilMs = wait.until === null ? dueMs : Math.min(dueMs, Date.parse(wait.until));
  return {
    itemId: wait.itemId,
    kind: 'approval',
    status: 'open',
    priority: PRIORITY,
    title: truncate(title.replaceAll(/\s+/gu, ' ').trim(), MAX_TITLE),
    reasons: ['approval'],
    subject: { kind: 'execution', id: head.runId, stepId: step.id },
    customerId: head.customerId,
    conversationId: null,
    excerpt: null,
    draft: null,
    assignee: null,
    claimedUntil: null,
    openedAt: isoTime(wait.since),
    dueAt: isoTime(untilMs),
    isOverdue: false,
    expiresAt: null,
    endedAt: null,
    resolution: null,
    payload,
    responseSchema: step.responseSchema ?? null,
    notes: [],
    version: 1,
    lastSeq: 1,
  };
}
