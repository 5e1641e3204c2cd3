import type { Limits } from '../../domain/limits.ts';
import { cancelledWaits, cancelRequested } from '../../domain/run/control.ts';
import { type Decision, decide, endEarly } from '../../domain/run/decide.ts';
import type { CancelSignal, ResolveSignal, RunSignal } from '../../domain/run/events.ts';
import type { StepRules } from '../../domain/run/layer.ts';
import { hasEnded, INTERRUPTED } from '../../domain/run/run.ts';
import { changeAtEnd, changeAtWait } from '../../domain/run/state.ts';
import { decisionEvents } from '../../domain/run/waits.ts';
import { AbortError, CancelledError } from '../../lib/async/timeout.ts';
import { isYieldDue, yieldIfDue } from '../../lib/async/yield.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SaveOutcome } from './appender.ts';
import type { LateEnds } from './late-ends.ts';
import type { LoadedRun } from './loaded-run.ts';
import { abandon, isInterrupted, keepSignal, maxConcurrentOf, type OwnedRun } from './owned-runs.ts';
import type { RunSteps } from './run-steps.ts';
import { isSettled, type Waits } from './waits.ts';

/** The error of a run whose events cannot be saved: the next layer must not run without a record. */
const NOT_SAVED = 'the results could not be saved';

/** Runs workflow runs: asks `decide` what happens next, saves it, and does it. */
export interface Worker {
  /** Records the first decision of a run, for its creation to save. Returns the steps that are to be run. */
  begin(run: OwnedRun): readonly number[];
  /**
   * Runs `steps`, then everything that follows from them, until the run has ended; its state then has the end. Saves
   * the events of each layer with the start of the next. A durable run is left without an end where it is to be handed
   * over, or another process owns it. A run that waits is suspended. Never rejects.
   */
  drive(run: OwnedRun, steps?: readonly number[]): Promise<void>;
  /** Ends a run that a port which violates its contract has stopped: its record must not stay RUNNING. */
  endUnexpectedly(run: OwnedRun): Promise<void>;
  /**
   * Handles a signal for a run, or keeps it where that must wait. A cancel: its steps are told to stop, and have
   * `cancelGraceMs` to end. A decision: the step that waits has ended, or runs again once no step of its layer is under
   * way. Ignored where the run is cancelled already, or does not wait for it any more.
   */
  signal(run: OwnedRun, signal: RunSignal): void;
}

/** Creates a worker. */
export function createWorker(
  { clock, logger, telemetry }: Pick<Ports, 'clock' | 'logger' | 'telemetry'>,
  {
    runSteps,
    waits,
    rulesOf,
    lateEnds,
    endAbandoned,
    isDurable,
  }: {
    readonly runSteps: RunSteps;
    readonly waits: Waits;
    readonly rulesOf: (run: LoadedRun) => StepRules;
    readonly lateEnds: Pick<LateEnds, 'retry'>;
    /** Ends a run which was to be cancelled before its end was saved. */
    readonly endAbandoned: (run: OwnedRun) => Promise<void>;
    /**
     * True where runs outlive this process: the start of a step is then saved before it acts, and a run is left without
     * an end at a shutdown.
     */
    readonly isDurable: boolean;
  },
  limits: Limits,
): Worker {
  async function driveToEnd(run: OwnedRun, firstSteps: readonly number[]): Promise<void> {
    let steps = firstSteps;
    if (steps.length > 0 && !isSettled(run)) void waits.settle(run);
    for (;;) {
      if (steps.length > 0 && !run.controller.signal.aborted) await runLayer(run, steps);
      const saving = endLayer(run);
      if (saving !== undefined) await saving;
      acknowledgeSignals(run);
      if (run.state.openItems.size > 0) await waits.expireDueWaits(run);
      if (mustLeave(run)) return leave(run);
      const decision = decideNext(run);
      if (mustLeave(run, decision)) return leave(run);
      ({ steps } = decision);
      if (steps.length > 0) {
        run.log.recordAll(decision.events);
        waits.begin(run);
        const outcome = await run.log.save();
        if (isFailed(outcome)) return stop(run, outcome);
        if (!isSettled(run)) void waits.settle(run);
      } else if (decision.end === null && !decision.waits) {
        // The next decision follows at once, and is saved together with this one.
        run.log.recordAll(decision.events);
      } else if (!isSettled(run)) {
        const outcome = await run.log.save();
        if (isFailed(outcome)) return stop(run, outcome);
        if (!(await waits.untilSettled(run))) return leave(run);
      } else if (await (decision.waits ? suspend(run, decision) : end(run, decision))) {
        return;
      }
      if (isYieldDue()) await yieldIfDue();
    }
  }

  const elapsed = ({ state, startedMs }: OwnedRun): number =>
    state.status === 'PENDING' ? 0 : elapsedMs(startedMs, clock.monotonic());

  function decideNext(run: OwnedRun): Decision {
    if (run.state.status === 'PENDING') run.startedMs = clock.monotonic();
    const failure = isInterrupted(run) && !isDurable ? { error: INTERRUPTED } : run.failure;
    const maxConcurrentSteps = maxConcurrentOf(run, limits);
    // The starts of a layer are saved together, unless runs are durable: then none is saved long before it.
    const isLimited = isDurable || maxConcurrentSteps < limits.maxConcurrentSteps;
    const maxStarts = isLimited ? maxConcurrentSteps : Number.POSITIVE_INFINITY;
    const rules = () => rulesOf(run);
    return decide(run.state, { now: clock.now(), elapsedMs: elapsed(run), failure, maxStarts, rules });
  }

  /**
   * True for a durable run that is left as it is, for another process to continue: steps that this process had to stop
   * have no end, or the next ones are not to start here.
   */
  function mustLeave(run: OwnedRun, decision?: Decision): boolean {
    if (!isDurable) return false;
    if (run.phase === 'lost') return true;
    if (!(run.phase === 'stopping' || isInterrupted(run)) || run.state.cancel !== null) return false;
    if (decision !== undefined) return decision.end === null && !(decision.waits && isSettled(run));
    return isInterrupted(run) && run.state.results.some(({ status }) => status === 'RUNNING');
  }

  /** Saves the events of a run that another process will continue. */
  async function leave(run: OwnedRun): Promise<void> {
    if (run.phase !== 'lost') await run.log.flush();
    await run.waits.settling;
  }

  /** Runs steps in a span, and saves their events from time to time while others go on. */
  function runLayer(run: OwnedRun, steps: readonly number[]): Promise<void> {
    const attributes = { layer: run.state.layer, steps: steps.length };
    return telemetry.span('workflow.layer', attributes, () => {
      const ended = runSteps(run, steps);
      waits.watch(run);
      // Decisions that came while the start was saved.
      if (run.log.unsaved.length > 0) run.log.saveSoon();
      return ended;
    });
  }

  /** No step is under way any more. Returns the append that is under way, if there is one. */
  function endLayer(run: OwnedRun): Promise<void> | undefined {
    run.stepsUnderWay = 0;
    run.waits.cancelDue?.();
    return run.log.cancelSave();
  }

  /** Ends the run as decided. Returns false where a signal must be handled first. */
  async function end(run: OwnedRun, decision: Decision): Promise<boolean> {
    if (decision.end === null) return false;
    run.isAppendingEnd = true;
    const outcome = await run.log.saveEnd(decision.events, changeAtEnd(run.state, decision.end));
    run.isAppendingEnd = false;
    if (outcome === 'signalled') return false;
    if (outcome === 'saved') {
      run.log.apply(decision.events);
    } else if (outcome === 'lost') {
      stop(run, outcome);
    } else if (!isDurable || run.state.cancel !== null) {
      // The process that continues a durable run decides its end again, which counts only once it is in the log.
      run.log.recordAll(decision.events);
      lateEnds.retry(run);
    }
    return true;
  }

  /** Suspends a run that waits. Returns false where a signal must be handled first. */
  async function suspend(run: OwnedRun, { events }: Decision): Promise<boolean> {
    if (events.length > 0) {
      run.isAppendingEnd = true;
      const outcome = await run.log.saveEnd(events, changeAtWait(run.state));
      run.isAppendingEnd = false;
      if (outcome === 'signalled') return false;
      if (outcome !== 'saved') {
        stop(run, outcome);
        return true;
      }
      run.log.apply(events);
    }
    run.phase = 'suspended';
    return true;
  }

  /** Stops a run whose events were not saved. It ends, unless another process continues it. */
  function stop(run: OwnedRun, outcome: 'lost' | 'unavailable'): void {
    if (outcome === 'lost' && isDurable) {
      abandon(run);
    } else if (outcome === 'lost') {
      logger.warn('a workflow run was ended by another process');
      endNow(run, INTERRUPTED);
    } else if (!isDurable || run.state.cancel !== null) {
      endNow(run, NOT_SAVED);
      lateEnds.retry(run);
    }
  }

  function endNow(run: OwnedRun, error: string): void {
    run.log.recordAll(endEarly(run.state, { now: clock.now(), elapsedMs: elapsed(run) }, { error }).events);
  }

  async function endUnexpectedly(run: OwnedRun): Promise<void> {
    run.controller.abort(new AbortError('lost'));
    await endLayer(run);
    if (hasEnded(run.state.status) || run.phase === 'lost') return;
    endNow(run, 'the run failed unexpectedly');
    const outcome = await run.log.save();
    if (outcome === 'unavailable' || (outcome === 'saved' && !isSettled(run))) lateEnds.retry(run);
    if (outcome === 'signalled') await endAbandoned(run);
  }

  function cancel(run: OwnedRun, signal: CancelSignal): void {
    const now = clock.now();
    run.log.record(cancelRequested(run.state, signal, now));
    const ended = cancelledWaits(run.state, now);
    run.log.recordAll(ended);
    const deadline = new AbortController();
    const isUnderWay = run.stepsUnderWay > 0;
    const cancelTimer = isUnderWay ? clock.after(limits.cancelGraceMs, () => deadline.abort()) : undefined;
    run.cancellation = { deadline, cancelTimer };
    // Its children and items end at once, also where steps have not ended before the deadline.
    if (isUnderWay && ended.length > 0) waits.resume(run);
    else if (isUnderWay) run.log.saveSoon();
    run.controller.abort(new CancelledError(deadline.signal));
  }

  /** Records a decision about a step that waits. */
  function resolve(run: OwnedRun, signal: ResolveSignal): void {
    const events = decisionEvents(run.state, signal, clock.now());
    run.log.recordAll(events);
    if (events.length > 0 && run.stepsUnderWay > 0) waits.resume(run);
  }

  /** Handles the signals that were kept. The run can end or wait only when they are in the log. */
  function acknowledgeSignals(run: OwnedRun): void {
    for (const [key, signal] of run.signals) {
      run.signals.delete(key);
      if (signal.type === 'resolve') resolve(run, signal);
      else if (run.state.cancel === null) cancel(run, signal);
      else run.log.record(cancelRequested(run.state, signal, clock.now()));
    }
  }

  return {
    begin(run) {
      const first = decideNext(run);
      run.log.recordAll(first.events);
      // A start by itself is saved with the layer that follows at once.
      const isStart = first.steps.length === 0 && first.end === null && !first.waits;
      const decision = isStart ? decideNext(run) : first;
      if (decision.end !== null || decision.waits) return [];
      if (isStart) run.log.recordAll(decision.events);
      if (decision.steps.length > 0) waits.begin(run);
      return decision.steps;
    },
    async drive(run, steps = []) {
      try {
        await driveToEnd(run, steps);
      } catch (error) {
        logger.error('a workflow run failed unexpectedly', { err: error });
        await endUnexpectedly(run);
      } finally {
        void run.log.cancelSave();
        run.waits.cancelDue?.();
        run.cancellation?.cancelTimer?.();
      }
    },
    endUnexpectedly,
    signal(run, signal) {
      const isRepeated = signal.type === 'cancel' && run.state.cancel !== null;
      if (run.isAppendingEnd || run.phase === 'suspended' || isRepeated) keepSignal(run, signal);
      else if (signal.type === 'cancel') cancel(run, signal);
      else resolve(run, signal);
    },
  };
}

/** True where a run cannot go on after a save. */
function isFailed(outcome: SaveOutcome): outcome is 'lost' | 'unavailable' {
  return outcome === 'lost' || outcome === 'unavailable';
}
