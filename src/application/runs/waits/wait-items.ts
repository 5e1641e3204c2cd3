import type { InboxItem } from '../../../domain/inbox/item.ts';
import type { Limits } from '../../../domain/limits.ts';
import { replay } from '../../../domain/run/evolve.ts';
import { recoveryItem } from '../../../domain/run/recovery-item.ts';
import type { StepWait } from '../../../domain/run/waits.ts';
import type { Step } from '../../../domain/workflow/definition.ts';
import { indexOfStep } from '../../../domain/workflow/shape.ts';
import { InputError, resolveInput } from '../../../domain/workflow/step-input.ts';
import { itemAt } from '../../../lib/array.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ItemWriter } from '../../inbox/item-writer.ts';
import type { ActiveRun } from '../active-run.ts';
import { createEndedItems, type EndedItems } from './ended-items.ts';

/**
 * The inbox items of the waits of runs. The log of a run is the truth, and its items follow it: every member may be
 * repeated, and rejects with `unavailable` when the inbox cannot be reached.
 */
export interface WaitItems extends EndedItems {
  /** Opens and ends the items of a run as its waits are. One whose end is not in the log yet stays open. */
  settle(run: ActiveRun): Promise<void>;
}

/** Dependencies of {@link createWaitItems}. */
export interface WaitItemsDeps {
  readonly ports: Pick<Ports, 'inbox' | 'playbook' | 'runs'>;
  /** Undefined where the inbox is off: then runs wait without items. */
  readonly items: ItemWriter | undefined;
  readonly effectOf: (step: Step) => string;
}

/** Creates {@link WaitItems}. */
export function createWaitItems(
  { ports, items, effectOf }: WaitItemsDeps,
  limits: Pick<Limits, 'maxInputBytes'>,
): WaitItems {
  const { inbox, playbook, runs } = ports;
  const ended = createEndedItems(items);

  function inputOf({ plan, sources }: ActiveRun, index: number): JsonObject | null {
    try {
      return resolveInput(itemAt(plan.inputs, index), sources, limits.maxInputBytes);
    } catch (error) {
      if (error instanceof InputError) return null;
      throw error;
    }
  }

  async function open(run: ActiveRun, wait: StepWait): Promise<void> {
    if (items === undefined) return;
    if ((await inbox.get(wait.itemId)) === undefined) await items.open(itemOf(run, wait));
    await endIfLate(run.state.head.runId, wait.itemId);
  }

  function itemOf(run: ActiveRun, wait: StepWait): InboxItem {
    const { head, shape, results } = run.state;
    const index = indexOfStep(shape.indexes, wait.stepId);
    const step = itemAt(shape.definition.steps, index);
    const [result, input, effect] = [itemAt(results, index), inputOf(run, index), effectOf(step)];
    return recoveryItem({ head, wait, step, result, input, effect, playbook });
  }

  /** Ends an item whose wait has ended before it was opened: another process, which runs the run by now, has found none. */
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
    async settle(run) {
      for (const wait of run.state.waits?.values() ?? []) {
        const { itemId, isOpen } = wait;
        if (run.settledItems.get(itemId) === isOpen) continue;
        // The decision is not in the log yet: the run may be lost before it is.
        if (!isOpen && run.savedWaitingFor.some((saved) => saved.itemId === itemId)) continue;
        if (isOpen) await open(run, wait);
        else await ended.end(wait);
        run.settledItems.set(itemId, isOpen);
      }
    },
  };
}
