import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { InboxItem, Priority } from '../inbox/item.ts';
import type { Playbook } from '../playbook/playbook.ts';
import type { Step } from '../workflow/definition.ts';
import type { StepResult } from './run.ts';
import type { RunHead } from './state.ts';
import { countUncalled, type ForeachState } from './steps/foreach.ts';
import type { StepWait } from './waits.ts';

/** What the item of a step of unknown outcome is made from. */
export interface RecoveryItemInput {
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
}

/** The most characters of each name in a title. */
const MAX_NAME = 80;

const PRIORITY: Priority = 2;

/** The item that asks whether a step has happened whose process stopped while it was under way. It does not expire. */
export function recoveryItem(given: RecoveryItemInput): InboxItem {
  const { head, wait, step, result, items, input, effect, playbook } = given;
  const { workflowId, workflowName, runId } = head;
  const target = targetOf(step);
  return {
    itemId: wait.itemId,
    kind: 'recovery',
    status: 'open',
    priority: PRIORITY,
    title: `Did step ${quoted(step.id)} of ${quoted(workflowName)} happen?${uncalledText(items)}`,
    reasons: ['unknown_outcome'],
    subject: { kind: 'execution', id: runId, stepId: step.id },
    customerId: head.customerId,
    conversationId: null,
    excerpt: null,
    draft: null,
    assignee: null,
    claimedUntil: null,
    openedAt: isoTime(wait.since),
    dueAt: isoTime(playbook.dueAt(wait.since, PRIORITY)),
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
        items: { total: items.total, ended: items.ends.size, not_called: countUncalled(items) },
      }),
    },
    responseSchema: null,
    notes: [],
    version: 1,
    lastSeq: 1,
  };
}

/** The answer is about the whole step: whoever says that it has happened must know that a part of it has not. */
function uncalledText(items: ForeachState | undefined): string {
  const count = items === undefined ? 0 : countUncalled(items);
  if (items === undefined || count === 0) return '';
  return ` ${count} of its ${items.total} items ${count === 1 ? 'was' : 'were'} not called.`;
}

function quoted(name: string): string {
  return `“${truncate(name.replaceAll(/\s+/gu, ' ').trim(), MAX_NAME)}”`;
}

/** What the step calls. Steps that only wait have no unknown outcome. */
function targetOf(step: Step): JsonObject {
  if (step.kind === 'tool') return { tool_name: step.toolName };
  return step.kind === 'agent' ? { agent_name: step.agentName } : {};
}
