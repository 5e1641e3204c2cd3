import { conflict, isOrchestrationError } from '../../../domain/errors.ts';
import type { InboxItem, Resolution } from '../../../domain/inbox/item.ts';
import { stepDecisions, type WaitOutcome } from '../../../domain/run/events.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { RunControl } from '../control/run-control.ts';
import type { EndedItems } from './ended-items.ts';

const decisions: readonly WaitOutcome[] = [...stepDecisions, 'approved', 'rejected'];

/**
 * Decides about the step that waits for the answer to an inbox item, and ends the item. Rejects as
 * `RunControl.resolve`, and with `conflict` for an item whose run is gone, which is withdrawn then.
 */
export async function decideByItem(
  runs: Pick<RunControl, 'resolve'>,
  items: Pick<EndedItems, 'drop'>,
  { itemId, subject }: InboxItem,
  { outcome, by, note, data, output }: Resolution,
): Promise<void> {
  const decision = decisions.find((known) => known === outcome);
  if (decision === undefined || subject.stepId === null) throw conflict('nothing waits for a decision');
  const given = { ...(output === null ? {} : { output }), ...(data === null ? {} : { data }) };
  try {
    await runs.resolve(subject.id, subject.stepId, { outcome: decision, by, note, itemId, ...given });
  } catch (error) {
    if (!isOrchestrationError(error, 'not_found')) throw error;
    await items.drop(itemId);
    throw conflict(`execution ${quote(subject.id)} is gone: the item is withdrawn`);
  }
}
