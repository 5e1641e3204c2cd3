import type { Wait } from '../../../domain/run/run.ts';
import { nextDue } from '../../../domain/run/steps/time.ts';
import { changedWaits, decisionEvents, type EndedWait, type StepWait } from '../../../domain/run/waits.ts';
import { sleep } from '../../../lib/async/sleep.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ActiveRun } from '../active-run.ts';
import { createFailureLog } from '../failure-log.ts';
import { recordAll } from '../fitting.ts';
import type { ChildRuns } from './child-runs.ts';
import type { WaitItems } from './wait-items.ts';

/** How long a failed settlement waits before it is tried again, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Whether what ends the waits of a run, such as inbox items and child runs, is as its waits are. A run is parked only
 * then, so that only what has changed since is looked at.
 */
export function isSettled({ state, settledItems }: ActiveRun): boolean {
  if (state.changedItems.size === 0) return true;
  return changedWaits(state).every(
    ({ itemId, kind, isOpen }) => kind === 'wait' || settledItems.get(itemId) === isOpen,
  );
}

/** Settles the waits of runs. */
export interface SettleWaits {
  /**
   * Settles the waits of a run, retrying while the store is unavailable; until then it is called again, where a
   * decision or the time has come meanwhile. Resolves to false where the run was told to stop before that succeeded.
   * Records the end of a wait that has turned out to be over. Never rejects.
   */
  untilDone(run: ActiveRun): Promise<boolean>;
  /** Tries to settle them once. Rejects with `unavailable`. */
  once(run: ActiveRun): Promise<void>;
  /** Ends what would have ended a wait. Rejects with `unavailable`. */
  end(wait: EndedWait): Promise<void>;
}

/** Creates {@link SettleWaits}. */
export function createSettleWaits(
  { clock, logger }: Pick<Ports, 'clock' | 'logger'>,
  items: WaitItems,
  children: Pick<ChildRuns, 'open' | 'end'>,
): SettleWaits {
  const message = 'what a workflow run waits for could not be written yet';
  const logFailure = createFailureLog({ clock, logger }, message);

  async function end(wait: EndedWait): Promise<void> {
    if (wait.kind === 'workflow') await children.end(wait);
    else if (wait.kind !== 'wait') await items.end(wait);
  }

  async function settle(run: ActiveRun, wait: StepWait): Promise<void> {
    const { itemId, kind, isOpen } = wait;
    if (!isOpen) {
      await end(wait);
    } else if (kind !== 'workflow') {
      await items.open(run, wait);
    } else {
      const over = await children.open(run, wait);
      if (over !== undefined) recordAll(run, decisionEvents(run.state, over, clock.now()));
    }
    run.settledItems.set(itemId, isOpen);
  }

  async function once(run: ActiveRun): Promise<void> {
    const isSavedAsOpen = savedWaits(run);
    for (const wait of changedWaits(run.state)) {
      const { itemId, kind, isOpen } = wait;
      if (kind === 'wait' || run.settledItems.get(itemId) === isOpen) continue;
      // Its end is not in the log yet: the run may be lost before it is.
      if (!isOpen && isSavedAsOpen(itemId)) continue;
      await settle(run, wait);
      await yieldIfDue();
    }
  }

  async function trySettle(run: ActiveRun): Promise<boolean> {
    const { runId } = run.state.head;
    for (;;) {
      try {
        await once(run);
        return true;
      } catch (error) {
        logFailure(runId, error);
      }
      // A run that is being cancelled goes on until nobody waits for it any more.
      const { signal } = run.deadline ?? run.controller;
      if (signal.aborted || run.isStopping || run.isLost) return false;
      await sleep(clock, RETRY_MS, signal);
      // What has happened meanwhile is written first; a wait may be over by now.
      const due = nextDue(run.state);
      if (run.unsaved.length > 0 || (due !== null && due <= clock.now())) return true;
    }
  }

  return {
    once,
    end,
    async untilDone(run) {
      while (run.settling !== undefined) await run.settling;
      if (isSettled(run)) return true;
      const settling = trySettle(run);
      run.settling = settling;
      try {
        return await settling;
      } finally {
        run.settling = undefined;
      }
    },
  };
}

/** Tells which waits are open in the log of a run, also as that changes. */
function savedWaits(run: ActiveRun): (itemId: string) => boolean {
  let known: readonly Wait[] = [];
  let ids: ReadonlySet<string> = new Set();
  return (itemId) => {
    if (known !== run.savedWaitingFor) {
      known = run.savedWaitingFor;
      ids = new Set(known.map((wait) => wait.itemId));
    }
    return ids.has(itemId);
  };
}
