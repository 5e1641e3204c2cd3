import { isOrchestrationError } from '../../../domain/errors.ts';
import { expireItem, resolveItem, withdrawItem } from '../../../domain/inbox/changes.ts';
import { type InboxItem, isWaiting, type Resolution } from '../../../domain/inbox/item.ts';
import type { RunEvent } from '../../../domain/run/events.ts';
import type { WaitKind } from '../../../domain/run/run.ts';
import type { EndedWait } from '../../../domain/run/waits.ts';
import type { ItemWriter } from '../../inbox/item-writer.ts';

/** Ends the items of waits, of runs that are durable or were so before. Members reject as those of `WaitItems`. */
export interface EndedItems {
  /** Ends the item of a wait that has ended. Ignored where it has ended too, or is gone. */
  end(wait: EndedWait): Promise<void>;
  /** Ends an item whose run is gone, and empties it. Ignored where it has ended, or is gone. */
  drop(itemId: string): Promise<void>;
  /** Empties all items of a run that is to be deleted, by the events of its log. */
  withdraw(events: readonly RunEvent[]): Promise<void>;
}

/** Whether a wait of that kind has an item in the inbox. */
function hasItem(kind: WaitKind): boolean {
  return kind === 'approval' || kind === 'recovery';
}

/** Creates {@link EndedItems}. Without `items` there are none. */
export function createEndedItems(items: ItemWriter | undefined): EndedItems {
  async function change(itemId: string, make: Parameters<ItemWriter['change']>[1]): Promise<void> {
    try {
      await items?.change(itemId, make);
    } catch (error) {
      if (!isOrchestrationError(error, 'not_found')) throw error;
    }
  }

  return {
    end: (wait) =>
      change(wait.itemId, (item, now) => {
        if (!isWaiting(item)) return undefined;
        if (wait.decision?.isExpired === true) return expireItem(item, now);
        const resolution = resolutionOf(wait);
        if (resolution === undefined) return withdrawItem(item, now);
        // Whoever has claimed it: the decision counts already.
        const free: InboxItem = { ...item, status: 'open', assignee: null, claimedUntil: null };
        return resolveItem(free, resolution, now);
      }),
    drop: (itemId) => change(itemId, (item, now) => (isWaiting(item) ? withdrawItem(item, now) : undefined)),
    async withdraw(events) {
      for (const event of events) {
        if (event.type !== 'step.waiting' || !hasItem(event.for)) continue;
        await change(event.itemId, (item, now) =>
          item.status === 'withdrawn' ? undefined : withdrawItem(item, now),
        );
      }
    },
  };
}

/** What was decided about a wait; undefined where it ended without a decision. */
function resolutionOf({ kind, decision, output }: EndedWait): Resolution | undefined {
  if (decision === null) return undefined;
  const { outcome, by, note, data, at } = decision;
  const nothing = { response: null, intent: null, escalationRight: null };
  // The output of an approval says no more than the decision.
  return { outcome, by, note, data, at, ...nothing, output: kind === 'approval' ? null : output };
}
