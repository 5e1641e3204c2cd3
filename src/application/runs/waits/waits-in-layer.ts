import { foreachWaits } from '../../../domain/run/steps/foreach-waits.ts';
import type { StepRules } from '../../../domain/run/steps/rules.ts';
import { yieldToEventLoop } from '../../../lib/async/yield.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ActiveRun } from '../active-run.ts';
import { recordAll } from '../fitting.ts';
import type { Saver } from '../saver.ts';
import { passTime, watchTime } from './due-waits.ts';
import type { SettleWaits } from './settle-waits.ts';

/** The waits of a run while steps of the same layer are under way. */
export interface WaitsInLayer {
  /** Begins the waits for the items of the layer. */
  begin(run: ActiveRun): void;
  /** Ends waits when their time has come, until the layer has ended, and begins those that have not begun with it. */
  watch(run: ActiveRun): void;
  /** Does what follows from the end of a wait. */
  goOn(run: ActiveRun): void;
  /** Settles the waits that have begun, and goes on where one is over already. */
  settle(run: ActiveRun): Promise<void>;
}

/** What {@link createWaitsInLayer} works with. */
export interface WaitsInLayerDeps {
  readonly clock: Clock;
  readonly saver: Pick<Saver, 'saveUpTo'>;
  readonly waits: SettleWaits;
  readonly rulesOf: (run: ActiveRun) => StepRules;
}

/** Creates {@link WaitsInLayer}. */
export function createWaitsInLayer({ clock, saver, waits, rulesOf }: WaitsInLayerDeps): WaitsInLayer {
  function watch(run: ActiveRun): void {
    watchTime(run, clock, onDue);
  }

  function onDue(run: ActiveRun): void {
    if (run.open > 0 && !run.isLost && passTime(run, clock)) goOn(run);
    else watch(run);
  }

  function begin(run: ActiveRun): void {
    if (run.state.foreach === undefined) return;
    const rules = rulesOf(run);
    const next = () => (run.state.cancel === null ? foreachWaits(run.state, rules, clock.now()) : []);
    for (let events = next(); events.length > 0; events = next()) {
      recordAll(run, events);
      if (rules.isOverdue()) return void beginRest(run);
    }
  }

  /** Where no step is under way any more, the next decision does it. */
  async function beginRest(run: ActiveRun): Promise<void> {
    await yieldToEventLoop();
    if (run.open > 0 && !run.isLost) goOn(run);
  }

  function goOn(run: ActiveRun): void {
    begin(run);
    watch(run);
    void saveAndSettle(run);
  }

  async function saveAndSettle(run: ActiveRun): Promise<void> {
    if (await saver.saveUpTo(run, run.state.seq)) await settle(run);
  }

  async function settle(run: ActiveRun): Promise<void> {
    const { seq } = run.state;
    await waits.untilDone(run);
    if (run.state.seq > seq && run.open > 0) goOn(run);
  }

  return {
    begin,
    watch(run) {
      if (run.state.foreach !== undefined) goOn(run);
      else if (run.state.openItems.size > 0) watch(run);
    },
    goOn,
    settle,
  };
}
