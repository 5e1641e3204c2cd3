import { isOrchestrationError } from '../../domain/errors.ts';
import { expireItem, resolveItem, withdrawItem } from '../../domain/inbox/changes.ts';
import { type InboxItem, isWaiting, type Resolution } from '../../domain/inbox/item.ts';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import type { RunEvent } from '../../domain/run/events.ts';
import { replay } from '../../domain/run/evolve.ts';
import { approvalItem, recoveryItem } from '../../domain/run/inbox-items.ts';
import type { StepWait } from '../../domain/run/state.ts';
import type { EndedWait } from '../../domain/run/waits.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import { stepPlanAt } from '../../domain/workflow/plan.ts';
import { indexOfStep } from '../../domain/workflow/shape.ts';
import { InputError } from '../../domain/workflow/template.ts';
import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ItemWriter } from '../inbox/item-writer.ts';
import { type ItemsLimits, itemSources, type LoadedRun } from './loaded-run.ts';

/**
 * The inbox items of the waits of runs. The log of a run is the truth, and its items follow it: every member may be
 * repeated, and rejects with `unavailable` when the inbox cannot be reached.
 */
export interface WaitItems {
  /** Opens the item of a wait. */
  open(run: LoadedRun, wait: StepWait): Promise<void>;
  /** Ends the item of a wait that has ended. Ignored where it has ended too, or is gone. */
  end(wait: EndedWait): Promise<void>;
  /** Ends an item whose run is gone, and empties it. Ignored where it has ended, or is gone. */
  drop(itemId: string): Promise<void>;
  /** Empties all items of a run that is to be deleted, by the events of its log. */
  withdraw(events: readonly RunEvent[]): Promise<void>;
}

/** Creates {@link WaitItems}. Without `items`, because the inbox is disabled, runs wait without items. */
export function createWaitItems(
  {
    ports: { inbox, runs },
    playbook,
    items,
    effectOf,
  }: {
    readonly ports: Pick<Ports, 'inbox' | 'runs'>;
    /** The playbook in use, which says when an item is due. */
    readonly playbook: () => Pick<Playbook, 'dueAt'>;
    readonly items: ItemWriter | undefined;
    readonly effectOf: (step: Step) => string;
  },
  limits: ItemsLimits,
): WaitItems {
  async function change(itemId: string, make: Parameters<ItemWriter['change']>[1]): Promise<void> {
    try {
      await items?.change(itemId, make);
    } catch (error) {
      if (!isOrchestrationError(error, 'not_found')) throw error;
    }
  }

  const end: WaitItems['end'] = (wait) =>
    change(wait.itemId, (item, now) => {
      if (!isWaiting(item)) return undefined;
      if (wait.decision?.isExpired === true) return expireItem(item, now);
      const resolution = resolutionOf(wait);
      if (resolution === undefined) return withdrawItem(item, now);
      // Also a claimed item: the decision counts already.
      const free: InboxItem = { ...item, status: 'open', assignee: null, claimedUntil: null };
      return resolveItem(free, resolution, now);
    });

  const drop: WaitItems['drop'] = (itemId) =>
    change(itemId, (item, now) => (isWaiting(item) ? withdrawItem(item, now) : undefined));

  function inputOf(run: LoadedRun, index: number, item: number | undefined): JsonObject | null {
    try {
      return stepPlanAt(run.plan, index).input(itemSources(run, index, item, limits), limits.maxInputBytes);
    } catch (error) {
      if (error instanceof InputError) return null;
      throw error;
    }
  }

  function itemOf(run: LoadedRun, wait: StepWait): InboxItem {
    const { head, shape, results, foreach } = run.state;
    const index = indexOfStep(shape.indexes, wait.stepId);
    const step = itemAt(shape.definition.steps, index);
    const input = inputOf(run, index, wait.item);
    if (step.kind === 'approval') {
      const title =
        stepPlanAt(run.plan, index).title(itemSources(run, index, wait.item, limits)) ?? step.title;
      return approvalItem({ head, wait, step, title, payload: input ?? {}, playbook: playbook() });
    }
    const result = itemAt(results, index);
    const effect = effectOf(step);
    return recoveryItem({
      head,
      wait,
      step,
      result,
      items: foreach?.get(index),
      input,
      effect,
      playbook: playbook(),
    });
  }

  /**
   * Ends an item whose wait has ended before it was opened: another process, which runs the run by now, has found none.
   */
  async function endIfLate(runId: string, itemId: string): Promise<void> {
    const summary = await runs.summary(runId);
    if (summary?.waitingFor.some((wait) => wait.itemId === itemId) === true) return;
    const stored = await runs.get(runId);
    if (stored === undefined) return drop(itemId);
    const wait = replay(stored).waits?.get(itemId);
    if (wait?.isOpen === false) await end(wait);
  }

  return {
    async open(run, wait) {
      if (items === undefined) return;
      if ((await inbox.get(wait.itemId)) === undefined) await items.open(itemOf(run, wait));
      await endIfLate(run.state.head.runId, wait.itemId);
    },
    end,
    drop,
    async withdraw(events) {
      for (const event of events) {
        if (event.type !== 'step.waiting') continue;
        // The other kinds of waits have no item.
        if (event.for !== 'approval' && event.for !== 'recovery') continue;
        await change(event.itemId, (item, now) =>
          item.status === 'withdrawn' ? undefined : withdrawItem(item, now),
        );
      }
    },
  };
}

/** The decision about a wait; undefined where it ended without one. */
function resolutionOf({ kind, decision, output }: EndedWait): Resolution | undefined {
  if (decision === null) return undefined;
  const { outcome, by, note, data, at } = decision;
  const nothing = { response: null, intent: null, escalationRight: null };
  // The output of an approval says no more than the decision.
  return { outcome, by, note, data, at, ...nothing, output: kind === 'approval' ? null : output };
}
