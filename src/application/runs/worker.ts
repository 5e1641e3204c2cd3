import type { Limits } from '../../domain/limits.ts';
import { type Decision, decide } from '../../domain/run/decide.ts';
import { endEarly } from '../../domain/run/end-early.ts';
import type { RunSignal } from '../../domain/run/events.ts';
import { evolve } from '../../domain/run/evolve.ts';
import { hasEnded, INTERRUPTED } from '../../domain/run/run.ts';
import { changeAtEnd, changeAtWait } from '../../domain/run/state.ts';
import type { StepRules } from '../../domain/run/steps/rules.ts';
import { startStep } from '../../domain/run/steps/start.ts';
import { AbortError } from '../../lib/async/timeout.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { type ActiveRun, hasStepUnderWay, isInterrupted, maxConcurrentOf, record } from './active-run.ts';
import { loseRun } from './active-runs.ts';
import { createSignals } from './control/signals.ts';
import { recordAll } from './fitting.ts';
import type { LogWriter } from './log-writer.ts';
import { createSaver } from './saver.ts';
import type { RunSteps } from './steps/run-steps.ts';
import { passAllTime } from './waits/due-waits.ts';
import { isSettled, type SettleWaits } from './waits/settle-waits.ts';
import { createWaitsInLayer } from './waits/waits-in-layer.ts';

/** The error of a run whose events cannot be saved: the next layer must not run without a record. */
const NOT_SAVED = 'the results could not be saved';

/** Runs workflow runs: asks `decide` what happens next, saves it, and does it. */
export interface Worker {
  /** Records what happens first, for a run whose creation saves it. Returns the steps that are to be run. */
  begin(run: ActiveRun): readonly number[];
  /**
   * Runs `steps`, then everything that follows from them, until the run has ended; its state then has the end. Saves
   * the events of each layer with the start of the next. A durable run is left without an end where it is to be handed
   * back, or another process runs it, or it waits: then it is parked. Never rejects.
   */
  drive(run: ActiveRun, steps?: readonly number[]): Promise<void>;
  /** Ends a run that a port which violates its contract has stopped: its record must not stay RUNNING. */
  endUnexpectedly(run: ActiveRun): Promise<void>;
  /** Handles a signal for a run: see `Signals.handle`. */
  signal(run: ActiveRun, signal: RunSignal): void;
}

/** Dependencies of {@link createWorker}. */
export interface WorkerDeps {
  readonly runSteps: RunSteps;
  readonly writer: LogWriter;
  /** Ends a run which was to be cancelled before its end was saved. */
  readonly endAbandoned: (run: ActiveRun) => Promise<void>;
  readonly waits: SettleWaits;
  readonly rulesOf: (run: ActiveRun) => StepRules;
  /**
   * Whether runs outlive this process: the start of a step is then saved before it acts, and a run is left without an
   * end at a shutdown.
   */
  readonly isDurable: boolean;
}

/** Creates a worker. */
export function createWorker(
  { clock, logger, telemetry }: Pick<Ports, 'clock' | 'logger' | 'telemetry'>,
  { runSteps, writer, endAbandoned, waits, rulesOf, isDurable }: WorkerDeps,
  limits: Limits,
): Worker {
  const saver = createSaver({ clock, writer, isDurable });
  const inLayer = createWaitsInLayer({ clock, saver, waits, rulesOf });
  const signals = createSignals({ clock, saver, onWaitEnded: inLayer.goOn }, limits);

  const elapsed = ({ state, startedMs }: ActiveRun): number =>
    state.status === 'PENDING' ? 0 : elapsedMs(startedMs, clock.monotonic());

  function decideNext(run: ActiveRun): Decision {
    if (run.state.status === 'PENDING') run.startedMs = clock.monotonic();
    const failure = isInterrupted(run) && !isDurable ? { error: INTERRUPTED } : run.failure;
    const maxConcurrentSteps = maxConcurrentOf(run, limits);
    // The starts of a layer are saved together, unless runs are durable: then none is saved long before it.
    const isLimited = isDurable || maxConcurrentSteps < limits.maxConcurrentSteps;
    const maxStarts = isLimited ? maxConcurrentSteps : Number.POSITIVE_INFINITY;
    const rules = () => rulesOf(run);
    return decide(run.state, { now: clock.now(), elapsedMs: elapsed(run), failure, maxStarts, rules });
  }

  function endNow(run: ActiveRun, error: string): void {
    recordAll(run, endEarly(run.state, { now: clock.now(), elapsedMs: elapsed(run) }, { error }).events);
  }

  const save = (run: ActiveRun): Promise<boolean> => saver.saveUpTo(run, run.state.seq);

  /** Starts a step of the layer that goes on, unless the run is to stop. */
  async function start(run: ActiveRun, index: number): Promise<boolean> {
    if (run.isStopping) return false;
    record(run, startStep(run.state, index, clock.now()));
    return (await save(run)) && !run.controller.signal.aborted;
  }

  /** Runs steps in a span, and saves their events from time to time while others go on. */
  function runLayer(run: ActiveRun, steps: readonly number[]): Promise<void> {
    const attributes = { layer: run.state.layer, steps: steps.length };
    return telemetry.span('workflow.layer', attributes, () => {
      const ended = runSteps(run, steps, { onEvent: saver.saveSoon, save, start });
      inLayer.watch(run);
      // What was decided while the start was saved.
      if (run.unsaved.length > 0) saver.saveSoon(run);
      return ended;
    });
  }

  /**
   * Whether a durable run is left as it is, for another process to continue: steps that this process had to stop have
   * no end, or the next ones are not to start here.
   */
  function isLeft(run: ActiveRun, decision: Decision | undefined): boolean {
    if (!isDurable) return false;
    if (run.isLost) return true;
    if (!(run.isStopping || isInterrupted(run)) || run.state.cancel !== null) return false;
    if (decision === undefined) return isInterrupted(run) && hasStepUnderWay(run);
    return decision.end === null && !(decision.waits && isSettled(run));
  }

  /** Saves the end of the run in the background, and settles its items after it. */
  function saveEndLater(run: ActiveRun): void {
    writer.retryInBackground(run, {
      onSaved: () => waits.once(run),
      onSignalled: () => endAbandoned(run),
    });
  }

  /** Ends the run as decided. Returns false where a signal must be handled first. */
  async function end(run: ActiveRun, decision: Decision): Promise<boolean> {
    if (decision.end === null) return false;
    run.isEnding = true;
    const outcome = await saver.saveEnd(run, decision.events, changeAtEnd(run.state, decision.end));
    run.isEnding = false;
    if (outcome === 'signalled') return false;
    if (outcome === 'lost') {
      stop(run, outcome);
    } else if (outcome === 'unavailable') {
      // Whoever continues a durable run decides its end again, which counts only once it is in the log.
      if (isDurable && run.state.cancel === null) return true;
      recordAll(run, decision.events);
      saveEndLater(run);
    } else {
      for (const event of decision.events) evolve(run.state, event);
    }
    return true;
  }

  /** Parks a run that waits. Returns false where a signal must be handled first. */
  async function park(run: ActiveRun, { events }: Decision): Promise<boolean> {
    if (events.length > 0) {
      run.isEnding = true;
      const outcome = await saver.saveEnd(run, events, changeAtWait(run.state));
      run.isEnding = false;
      if (outcome === 'signalled') return false;
      if (outcome === 'lost' || outcome === 'unavailable') {
        stop(run, outcome);
        return true;
      }
      for (const event of events) evolve(run.state, event);
    }
    run.isParked = true;
    return true;
  }

  /** Ends the run because its events were not saved. */
  function stop(run: ActiveRun, outcome: 'lost' | 'unavailable'): void {
    if (outcome === 'lost' && isDurable) {
      loseRun(run);
    } else if (outcome === 'lost') {
      logger.warn('a workflow run was ended by another process');
      endNow(run, INTERRUPTED);
    } else if (!isDurable || run.state.cancel !== null) {
      endNow(run, NOT_SAVED);
      saveEndLater(run);
    }
  }

  async function runAll(run: ActiveRun, firstSteps: readonly number[]): Promise<void> {
    let steps = firstSteps;
    if (steps.length > 0 && !isSettled(run)) void inLayer.settle(run);
    for (;;) {
      if (steps.length > 0 && !run.controller.signal.aborted) await runLayer(run, steps);
      const stopped = saver.stopSaving(run);
      if (stopped !== undefined) await stopped;
      run.cancelDue?.();
      signals.acknowledge(run);
      if (run.state.openItems.size > 0) await passAllTime(run, clock);
      if (isLeft(run, undefined)) return leave(run);
      const decision = decideNext(run);
      if (isLeft(run, decision)) return leave(run);
      if (decision.steps.length === 0 && decision.end === null && !decision.waits) {
        recordAll(run, decision.events);
      } else if (decision.steps.length === 0 && !isSettled(run)) {
        const outcome = await saver.save(run);
        if (outcome === 'lost' || outcome === 'unavailable') return stop(run, outcome);
        if (!(await waits.untilDone(run))) return leave(run);
      } else if (decision.waits) {
        if (await park(run, decision)) return;
      } else if (decision.end === null) {
        recordAll(run, decision.events);
        if (decision.steps.length > 0) inLayer.begin(run);
        const outcome = await saver.save(run);
        if (outcome === 'lost' || outcome === 'unavailable') return stop(run, outcome);
        if (!isSettled(run)) void inLayer.settle(run);
      } else if (await end(run, decision)) {
        return;
      }
      steps = decision.steps;
      await yieldIfDue();
    }
  }

  /** Saves what is known of a run that another process will continue. */
  async function leave(run: ActiveRun): Promise<void> {
    if (!run.isLost) await save(run);
    await run.settling;
  }

  async function endUnexpectedly(run: ActiveRun): Promise<void> {
    run.controller.abort(new AbortError('lost'));
    await saver.stopSaving(run);
    if (hasEnded(run.state.status) || run.isLost) return;
    endNow(run, 'the run failed unexpectedly');
    const outcome = await saver.save(run);
    if (outcome === 'unavailable' || (outcome === 'saved' && !isSettled(run))) saveEndLater(run);
    if (outcome === 'signalled') await endAbandoned(run);
  }

  return {
    begin(run) {
      const first = decideNext(run);
      recordAll(run, first.events);
      // A start by itself is saved with the layer that follows at once.
      const isStart = first.steps.length === 0 && first.end === null && !first.waits;
      const decision = isStart ? decideNext(run) : first;
      if (decision.end !== null || decision.waits) return [];
      if (isStart) recordAll(run, decision.events);
      if (decision.steps.length > 0) inLayer.begin(run);
      return decision.steps;
    },
    async drive(run, steps = []) {
      try {
        await runAll(run, steps);
      } catch (error) {
        logger.error('a workflow run failed unexpectedly', { err: error });
        await endUnexpectedly(run);
      } finally {
        run.cancelDeadline?.();
        run.cancelSave?.();
        run.cancelDue?.();
      }
    },
    endUnexpectedly,
    signal: signals.handle,
  };
}
