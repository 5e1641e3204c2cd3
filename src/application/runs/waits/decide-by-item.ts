import { conflict, isOrchestrationError } from '../../../domain/errors.ts';
import type { InboxItem, Resolution } from '../../../domain/inbox/item.ts';
import { stepDecisions } from '../../../domain/run/events.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { RunControl } from '../control/run-control.ts';
import type { EndedItems } from './ended-items.ts';

/**
 * Decides about the step that waits for the answer to an inbox item, and ends the item. Rejects as `RunControl.resolve`,
 * and with `conflict` for an item that is not about a step of unknown outcome, and
 * for one whose run is gone, which is withdrawn then.
 */
export async function decideByItem(
  runs: Pick<RunControl, 'resolve'>,
  items: Pick<EndedItems, 'drop'>,
  { itemId, subject }: InboxItem,
  { outcome, by, note, output }: Resolution,
): Promise<void> {
  const decision = stepDecisions.find((known) => known === outcome);
  if (decision === undefined || subject.stepId === null) throw conflict('nothing waits for a decision');
  const given = output === null ? {} : { output };
  try {
    await runs.resolve(subject.id, subject.stepId, { outcome: decision, by, note, itemId, ...given });
  } catch (error) {
    if (!isOrchestrationError(error, 'not_found')) throw error;
    await items.drop(itemId);
    throw conflict(`execution ${quote(subject.id)} is gone: the item is withdrawn`);
  }
}
