import type { InboxItem } from '../../../domain/inbox/item.ts';
import type { Playbook } from '../../../domain/playbook/playbook.ts';
import { approvalItem } from '../../../domain/run/approval-item.ts';
import { replay } from '../../../domain/run/evolve.ts';
import { recoveryItem } from '../../../domain/run/recovery-item.ts';
import type { StepWait } from '../../../domain/run/waits.ts';
import type { Step } from '../../../domain/workflow/definition.ts';
import { stepPlanAt } from '../../../domain/workflow/plan.ts';
import { indexOfStep } from '../../../domain/workflow/shape.ts';
import { InputError } from '../../../domain/workflow/template.ts';
import { itemAt } from '../../../lib/array.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ItemWriter } from '../../inbox/item-writer.ts';
import type { ActiveRun } from '../active-run.ts';
import { type ItemsLimits, itemSources } from '../steps/step-rules.ts';
import { createEndedItems, type EndedItems } from './ended-items.ts';

/**
 * The inbox items of the waits of runs. The log of a run is the truth, and its items follow it: every member may be
 * repeated, and rejects with `unavailable` when the inbox cannot be reached.
 */
export interface WaitItems extends EndedItems {
  /** Opens the item of a wait. */
  open(run: ActiveRun, wait: StepWait): Promise<void>;
}

/** Dependencies of {@link createWaitItems}. */
export interface WaitItemsDeps {
  readonly ports: Pick<Ports, 'inbox' | 'runs'>;
  /** The playbook in use, which says when an item is due. */
  readonly playbook: () => Pick<Playbook, 'dueAt'>;
  /** Undefined where the inbox is off: then runs wait without items. */
  readonly items: ItemWriter | undefined;
  readonly effectOf: (step: Step) => string;
}

/** Creates {@link WaitItems}. */
export function createWaitItems(
  { ports, playbook, items, effectOf }: WaitItemsDeps,
  limits: ItemsLimits,
): WaitItems {
  const { inbox, runs } = ports;
  const ended = createEndedItems(items);

  function inputOf(run: ActiveRun, index: number, item: number | undefined): JsonObject | null {
    try {
      return stepPlanAt(run.plan, index).input(itemSources(run, index, item, limits), limits.maxInputBytes);
    } catch (error) {
      if (error instanceof InputError) return null;
      throw error;
    }
  }

  function itemOf(run: ActiveRun, wait: StepWait): InboxItem {
    const { head, shape, results } = run.state;
    const index = indexOfStep(shape.indexes, wait.stepId);
    const step = itemAt(shape.definition.steps, index);
    const input = inputOf(run, index, wait.item);
    if (step.kind === 'approval') {
      const title =
        stepPlanAt(run.plan, index).title(itemSources(run, index, wait.item, limits)) ?? step.title;
      return approvalItem({ head, wait, step, title, payload: input ?? {}, playbook: playbook() });
    }
    const result = itemAt(results, index);
    const items = run.state.foreach?.get(index);
    const effect = effectOf(step);
    return recoveryItem({ head, wait, step, result, items, input, effect, playbook: playbook() });
  }

  /**
   * Ends an item whose wait has ended before it was opened: another process, which runs the run by now, has found none.
   */
  async function endIfLate(runId: string, itemId: string): Promise<void> {
    const summary = await runs.summary(runId);
    if (summary?.waitingFor.some((wait) => wait.itemId === itemId) === true) return;
    const stored = await runs.get(runId);
    if (stored === undefined) return ended.drop(itemId);
    const wait = replay(stored).waits?.get(itemId);
    if (wait?.isOpen === false) await ended.end(wait);
  }

  return {
    ...ended,
    async open(run, wait) {
      if (items === undefined) return;
      if ((await inbox.get(wait.itemId)) === undefined) await items.open(itemOf(run, wait));
      await endIfLate(run.state.head.runId, wait.itemId);
    },
  };
}
