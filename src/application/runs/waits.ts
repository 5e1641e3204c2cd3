import { foreachWaits } from '../../domain/run/foreach.ts';
import type { StepRules } from '../../domain/run/layer.ts';
import type { StepWait } from '../../domain/run/state.ts';
import {
  changedWaits,
  decisionEvents,
  type EndedWait,
  endDueWaits,
  nextDue,
} from '../../domain/run/waits.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { yieldIfDue, yieldToEventLoop } from '../../lib/async/yield.ts';
import type { Ports } from '../../ports/ports.ts';
import { createFailureLog } from './appender.ts';
import type { ChildRuns } from './child-runs.ts';
import type { LoadedRun } from './loaded-run.ts';
import { isInterrupted, type OwnedRun } from './owned-runs.ts';
import type { WaitItems } from './wait-items.ts';

/**
 * The waits of the runs of this process. A wait is settled once what ends it, an inbox item or a child run, is as the
 * wait is.
 */
export interface Waits {
  /** Begins the waits for the items of the layer that starts. */
  begin(run: OwnedRun): void;
  /**
   * Ends waits when they are due, until the layer has ended, and begins those that have not begun with it. Steps of the
   * layer are under way.
   */
  watch(run: OwnedRun): void;
  /** Continues a run in which a wait has ended while steps are under way: the next waits begin, and all is saved. */
  resume(run: OwnedRun): void;
  /** Ends all waits of a run that are due, unless it is told to stop. */
  expireDueWaits(run: OwnedRun): Promise<void>;
  /** Settles the waits that have begun, and resumes the run where one has turned out to be over. Never rejects. */
  settle(run: OwnedRun): Promise<void>;
  /**
   * Settles the waits of a run, retrying while the store is unavailable; until then it is called again, where a
   * decision or the time has come meanwhile. Resolves to false where the run was told to stop before that succeeded.
   * Records the end of a wait that has turned out to be over. Never rejects.
   */
  untilSettled(run: OwnedRun): Promise<boolean>;
  /** Tries to settle them once. Rejects with `unavailable`. */
  settleOnce(run: OwnedRun): Promise<void>;
  /** Ends the inbox item or the child run of a wait that has ended. Rejects with `unavailable`. */
  end(wait: EndedWait): Promise<void>;
}

/** A failed settlement is tried again after so many milliseconds. */
const RETRY_MS = 1_000;

/** True where the waits of a run are settled. A run is suspended only then: so only changes since are checked. */
export function isSettled({ state, waits }: OwnedRun): boolean {
  if (state.changedItems.size === 0) return true;
  return changedWaits(state).every(
    ({ itemId, kind, isOpen }) => kind === 'wait' || waits.settled.get(itemId) === isOpen,
  );
}

/** Creates {@link Waits}. */
export function createWaits(
  { clock, logger }: Pick<Ports, 'clock' | 'logger'>,
  items: WaitItems,
  children: Pick<ChildRuns, 'open' | 'end'>,
  rulesOf: (run: LoadedRun) => StepRules,
): Waits {
  const logFailure = createFailureLog(
    { clock, logger },
    'what a workflow run waits for could not be written yet',
  );

  function begin(run: OwnedRun): void {
    if (run.state.foreach === undefined) return;
    const rules = rulesOf(run);
    const next = () => (run.state.cancel === null ? foreachWaits(run.state, rules, clock.now()) : []);
    for (let events = next(); events.length > 0; events = next()) {
      run.log.recordAll(events);
      if (rules.shouldYield()) return void continueLater(run);
    }
  }

  /** Where no step is under way any more, the next decision does it. */
  async function continueLater(run: OwnedRun): Promise<void> {
    await yieldToEventLoop();
    if (run.stepsUnderWay > 0 && run.phase !== 'lost') resume(run);
  }

  /** Ends waits that are due. Returns whether there were some: there may be more then. */
  function expireSome(run: OwnedRun): boolean {
    const { seq } = run.state;
    if (run.state.openItems.size > 0) endDueWaits(run.state, clock.now(), run.log.record);
    return run.state.seq > seq;
  }

  /** Sets the timer of the wait that is due next. */
  function scheduleNext(run: OwnedRun): void {
    run.waits.cancelDue?.();
    run.waits.cancelDue = undefined;
    if (run.stepsUnderWay === 0 || run.state.openItems.size === 0) return;
    const at = nextDue(run.state);
    if (at === null) return;
    run.waits.cancelDue = clock.after(Math.max(0, at - clock.now()), () => {
      if (run.stepsUnderWay > 0 && run.phase !== 'lost' && expireSome(run)) resume(run);
      else scheduleNext(run);
    });
  }

  function resume(run: OwnedRun): void {
    begin(run);
    scheduleNext(run);
    void saveAndSettle(run);
  }

  async function saveAndSettle(run: OwnedRun): Promise<void> {
    if ((await run.log.flush()) && run.phase !== 'lost') await settle(run);
  }

  async function settle(run: OwnedRun): Promise<void> {
    const { seq } = run.state;
    await untilSettled(run);
    if (run.state.seq > seq && run.stepsUnderWay > 0) resume(run);
  }

  async function end(wait: EndedWait): Promise<void> {
    if (wait.kind === 'workflow') await children.end(wait);
    else if (wait.kind !== 'wait') await items.end(wait);
  }

  async function settleWait(run: OwnedRun, wait: StepWait): Promise<void> {
    const { itemId, kind, isOpen } = wait;
    if (!isOpen) {
      await end(wait);
    } else if (kind !== 'workflow') {
      await items.open(run, wait);
    } else {
      const over = await children.open(run, wait);
      if (over !== undefined) run.log.recordAll(decisionEvents(run.state, over, clock.now()));
    }
    run.waits.settled.set(itemId, isOpen);
  }

  async function settleOnce(run: OwnedRun): Promise<void> {
    const isSavedAsOpen = savedAsOpen(run);
    for (const wait of changedWaits(run.state)) {
      const { itemId, kind, isOpen } = wait;
      if (kind === 'wait' || run.waits.settled.get(itemId) === isOpen) continue;
      // Its end is not in the log yet: the run may be lost before it is.
      if (!isOpen && isSavedAsOpen(itemId)) continue;
      await settleWait(run, wait);
      await yieldIfDue();
    }
  }

  async function settleWithRetries(run: OwnedRun): Promise<boolean> {
    const { runId } = run.state.head;
    for (;;) {
      try {
        await settleOnce(run);
        return true;
      } catch (error) {
        logFailure(runId, error);
      }
      // A cancelled run goes on until its deadline.
      const { signal } = run.cancellation?.deadline ?? run.controller;
      if (signal.aborted || run.phase !== 'running') return false;
      await sleep(clock, RETRY_MS, signal);
      // Events since then are written first; a wait may be over by now.
      const due = nextDue(run.state);
      if (run.log.unsaved.length > 0 || (due !== null && due <= clock.now())) return true;
    }
  }

  async function untilSettled(run: OwnedRun): Promise<boolean> {
    while (run.waits.settling !== undefined) await run.waits.settling;
    if (isSettled(run)) return true;
    const settling = settleWithRetries(run);
    run.waits.settling = settling;
    try {
      return await settling;
    } finally {
      run.waits.settling = undefined;
    }
  }

  return {
    begin,
    watch(run) {
      if (run.state.foreach !== undefined) resume(run);
      else if (run.state.openItems.size > 0) scheduleNext(run);
    },
    resume,
    async expireDueWaits(run) {
      while (run.state.cancel === null && !isInterrupted(run) && expireSome(run)) await yieldIfDue();
    },
    settle,
    untilSettled,
    settleOnce,
    end,
  };
}

/** Tells which waits are open in the log of a run, also as that changes. */
function savedAsOpen({ log }: OwnedRun): (itemId: string) => boolean {
  let known = log.savedWaitingFor;
  let ids: ReadonlySet<string> | undefined;
  return (itemId) => {
    if (ids === undefined || known !== log.savedWaitingFor) {
      known = log.savedWaitingFor;
      ids = new Set(known.map((wait) => wait.itemId));
    }
    return ids.has(itemId);
  };
}
