import { sleep } from '../../../lib/async/sleep.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ActiveRun } from '../active-run.ts';
import type { WaitItems } from './wait-items.ts';

/** How long a failed settlement waits before it is tried again, in milliseconds. */
const RETRY_MS = 1_000;

/** Whether the inbox has the items of a run as its waits are. */
export function isSettled({ state, settledItems }: ActiveRun): boolean {
  if (state.waits === undefined) return true;
  for (const { itemId, isOpen } of state.waits.values()) {
    if (settledItems.get(itemId) !== isOpen) return false;
  }
  return true;
}

/** Settles the items of a run. Resolves to false where the run was told to stop before that succeeded. Never rejects. */
export type SettleWaits = (run: ActiveRun) => Promise<boolean>;

/** Creates {@link SettleWaits}. Without `items` no run waits. */
export function createSettleWaits(
  { clock, logger }: Pick<Ports, 'clock' | 'logger'>,
  items: Pick<WaitItems, 'settle'> | undefined,
): SettleWaits {
  async function trySettle(run: ActiveRun): Promise<boolean> {
    const { runId } = run.state.head;
    for (;;) {
      try {
        await items?.settle(run);
        return true;
      } catch (error) {
        logger.warn('the inbox items of a workflow run could not be written yet', {
          ...{ execution_id: runId, err: error },
        });
      }
      // A run that is being cancelled goes on until nobody waits for it any more.
      const { signal } = run.deadline ?? run.controller;
      if (signal.aborted || run.isStopping || run.isLost) return false;
      await sleep(clock, RETRY_MS, signal);
    }
  }

  return async (run) => {
    while (run.settling !== undefined) await run.settling;
    if (isSettled(run)) return true;
    const settling = trySettle(run);
    run.settling = settling;
    try {
      return await settling;
    } finally {
      run.settling = undefined;
    }
  };
}
