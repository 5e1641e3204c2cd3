import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { InboxItem, Priority } from '../inbox/item.ts';
import type { Playbook } from '../playbook/playbook.ts';
import type { ApprovalStep, Step } from '../workflow/definition.ts';
import { countNotStarted } from './foreach.ts';
import type { StepResult } from './run.ts';
import type { ForeachState, RunHead, StepWait } from './state.ts';

/** The most characters of a title. */
const MAX_TITLE = 200;

const APPROVAL_PRIORITY: Priority = 3;

/**
 * The item that asks a person to approve a step. It is due when it expires, at the latest. It has no `expiresAt` of its
 * own: the run ends it when the time for a decision is over.
 */
export function approvalItem({
  head,
  wait,
  step,
  title,
  payload,
  playbook,
}: {
  readonly head: RunHead;
  readonly wait: StepWait;
  readonly step: ApprovalStep;
  /** The title and the payload, resolved. */
  readonly title: string;
  readonly payload: JsonObject;
  readonly playbook: Pick<Playbook, 'dueAt'>;
}): InboxItem {
  const dueMs = playbook.dueAt(wait.since, APPROVAL_PRIORITY);
  const untilMs = wait.until === null ? dueMs : Math.min(dueMs, Date.parse(wait.until));
  return {
    itemId: wait.itemId,
    kind: 'approval',
    status: 'open',
    priority: APPROVAL_PRIORITY,
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

/** The most characters of each name in a title. */
const MAX_NAME = 80;

const RECOVERY_PRIORITY: Priority = 2;

/** The item that asks whether a step has happened whose process stopped while it was under way. It does not expire. */
export function recoveryItem({
  head,
  wait,
  step,
  result,
  items,
  input,
  effect,
  playbook,
}: {
  readonly head: RunHead;
  readonly wait: StepWait;
  readonly step: Step;
  readonly result: StepResult;
  /** The items of a step with `foreach`; undefined where there are none, or nothing is known of them. */
  readonly items: ForeachState | undefined;
  /** The resolved input of the step; null where it could not be resolved. */
  readonly input: JsonObject | null;
  readonly effect: string;
  readonly playbook: Pick<Playbook, 'dueAt'>;
}): InboxItem {
  const { workflowId, workflowName, runId } = head;
  const target = targetOf(step);
  return {
    itemId: wait.itemId,
    kind: 'recovery',
    status: 'open',
    priority: RECOVERY_PRIORITY,
    title: `Did step ${quoted(step.id)} of ${quoted(workflowName)} happen?${notStartedText(items)}`,
    reasons: ['unknown_outcome'],
    subject: { kind: 'execution', id: runId, stepId: step.id },
    customerId: head.customerId,
    conversationId: null,
    excerpt: null,
    draft: null,
    assignee: null,
    claimedUntil: null,
    openedAt: isoTime(wait.since),
    dueAt: isoTime(playbook.dueAt(wait.since, RECOVERY_PRIORITY)),
    isOverdue: false,
    expiresAt: null,
    endedAt: null,
    resolution: null,
    payload: {
      workflow_id: workflowId,
      workflow_name: workflowName,
      step_id: step.id,
      ...target,
      effect,
      input,
      attempts: result.attempts,
      since: result.startedAt,
      ...(items && {
        items: { total: items.total, ended: items.results.size, not_called: countNotStarted(items) },
      }),
    },
    responseSchema: null,
    notes: [],
    version: 1,
    lastSeq: 1,
  };
}

/** The answer is about the whole step: the person who gives it must know that a part of it has not happened. */
function notStartedText(items: ForeachState | undefined): string {
  const count = items === undefined ? 0 : countNotStarted(items);
  if (items === undefined || count === 0) return '';
  return ` ${count} of its ${items.total} items ${count === 1 ? 'was' : 'were'} not called.`;
}

function quoted(name: string): string {
  return `“${truncate(name.replaceAll(/\s+/gu, ' ').trim(), MAX_NAME)}”`;
}

/** The target of the step. Steps that only wait have no unknown outcome. */
function targetOf(step: Step): JsonObject {
  if (step.kind === 'tool') return { tool_name: step.toolName };
  return step.kind === 'agent' ? { agent_name: step.agentName } : {};
}
