import { unavailable } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import type { RunEvent, RunSignal } from '../../domain/run/events.ts';
import { hasEnded, type RunFailure, type Wait } from '../../domain/run/run.ts';
import { AbortError } from '../../lib/async/timeout.ts';
import { memoryBytes } from '../../lib/json/size.ts';
import type { Ports } from '../../ports/ports.ts';
import { type Appender, createAppenders } from './appender.ts';
import type { LoadedRun } from './loaded-run.ts';
import type { PlanCache } from './plan-cache.ts';

/**
 * `running`: steps start. `stopping`: no more steps start, because the run is to be handed over. `suspended`: the run
 * waits, and no process owns it. `lost`: another process owns it, and nothing more of it is recorded.
 */
export type RunPhase = 'running' | 'stopping' | 'suspended' | 'lost';

/** A run that this process owns. Its log changes the state; the worker changes the other members. */
export interface OwnedRun extends LoadedRun {
  readonly log: Appender;
  phase: RunPhase;
  /** The end or the wait of the run is being saved: its state must not change meanwhile. */
  isAppendingEnd: boolean;
  /** Aborted when the steps under way are to stop. Its reason says why. */
  readonly controller: AbortController;
  /** Aborted when a cancelled run waits no longer for its steps, with its timer; undefined for one not cancelled. */
  cancellation:
    | { readonly deadline: AbortController; readonly cancelTimer: (() => void) | undefined }
    | undefined;
  /** True where the queue gave it to this process. */
  readonly isQueued: boolean;
  /** The error of a run that must end; null while it may go on. */
  readonly failure: RunFailure | null;
  /** Resolved when the turn of a background run has come, where runs end with their process; else undefined. */
  turn: PromiseWithResolvers<void> | undefined;
  /** Monotonic time at which this attempt started, in milliseconds. */
  startedMs: number;
  /** The number of steps of the current layer that have not ended. */
  stepsUnderWay: number;
  /** The signals that are not handled yet, by the id of their item; a request to cancel by `cancel`. */
  readonly signals: Map<string, RunSignal>;
  readonly waits: {
    /** The ids of the items that the inbox has as the waits of the run are, with whether these are open. */
    readonly settled: Map<string, boolean>;
    /** The settlement that is under way, if there is one. */
    settling: Promise<unknown> | undefined;
    /** Cancels the timer after which a wait ends by itself while steps are under way. */
    cancelDue: (() => void) | undefined;
  };
}

/** The runs of this process, from their creation or claim until they have ended, or are handed over. */
export interface OwnedRuns {
  /** The run of that id, or undefined. */
  get(runId: string): OwnedRun | undefined;
  /**
   * Throws `unavailable` where the runs take as much memory as they may together. Runs that others have started may
   * take twice as much, so that these can end.
   */
  assertRoom(isChild: boolean): void;
  /** Makes a run one of this process, until `release`. `log`: the part of its state that is not saved yet. */
  own(
    run: LoadedRun,
    log: {
      readonly unsaved: RunEvent[];
      readonly savedSeq: number;
      readonly savedWaitingFor: readonly Wait[];
    },
    claim?: Pick<OwnedRun, 'isQueued' | 'failure'>,
  ): OwnedRun;
  /** Ends that. The plan of the run is released. */
  release(run: OwnedRun): void;
  /** Resolves when a run that waited for its turn, or whose end is in the log or being saved, is released. */
  untilReleased(runId: string): Promise<void>;
  /** Starts no more steps of the runs of the queue, and of those that come later: they are to be handed over. */
  stopQueued(): void;
  /** Stops the steps of all runs, and of those that come later, because this process shuts down. */
  interrupt(): void;
}

/** About how many bytes the inputs and outputs of all runs that a process runs may take in its memory. */
export const MAX_OWNED_BYTES = 256 * 1_024 * 1_024;

/** The error of a step whose output does not fit into the memory of the process. */
const OUT_OF_MEMORY = `the inputs and outputs of all runs under way take more than ${MAX_OWNED_BYTES} bytes of memory`;

/** Bytes of memory of a small output, such as that of a policy. It always fits. */
const SMALL_OUTPUT = 4_096;

/** Seconds after which a caller may try again where the runs take too much memory. */
const RETRY_AFTER_SECONDS = 5;

/** Creates {@link OwnedRuns} without runs. */
export function createOwnedRuns(
  ports: Pick<Ports, 'clock' | 'random' | 'logger' | 'events' | 'runs'>,
  plans: Pick<PlanCache, 'bytesInUse' | 'release'>,
  isDurable: boolean,
): OwnedRuns {
  const { clock } = ports;
  const createAppender = createAppenders(ports, isDurable);
  const owned = new Map<string, OwnedRun>();
  /** The bytes of memory that each run takes. */
  const held = new Map<OwnedRun, number>();
  const waiters = new Map<string, PromiseWithResolvers<void>>();
  let bytesOfAll = 0;
  let stopsQueued = false;
  let interrupted = false;

  function hold(run: OwnedRun, bytes: number): void {
    const before = held.get(run);
    if (before === undefined) return;
    held.set(run, before + bytes);
    bytesOfAll += bytes;
  }

  function stop({ controller, cancellation }: OwnedRun): void {
    // The steps of a cancelled run have been told already: the run waits for them no longer.
    if (cancellation === undefined) controller.abort(new AbortError('shutdown'));
    else cancellation.deadline.abort();
  }

  function stopStarts(run: OwnedRun): void {
    if (run.isQueued && run.phase === 'running') run.phase = 'stopping';
  }

  return {
    get: (runId) => owned.get(runId),
    assertRoom(isChild) {
      if (bytesOfAll + plans.bytesInUse() < (isChild ? 2 : 1) * MAX_OWNED_BYTES) return;
      throw unavailable(
        `the runs under way take ${MAX_OWNED_BYTES} bytes of memory already`,
        RETRY_AFTER_SECONDS,
      );
    },
    own(loaded, log, { isQueued, failure } = { isQueued: false, failure: null }) {
      const { head, attemptStartedAt } = loaded.state;
      const sinceStart = attemptStartedAt === null ? 0 : Math.max(0, clock.now() - attemptStartedAt);
      const controller = new AbortController();
      const run: OwnedRun = {
        state: loaded.state,
        plan: loaded.plan,
        sources: loaded.sources,
        evaluated: loaded.evaluated,
        log: createAppender(loaded, {
          ...log,
          signal: controller.signal,
          reserve(output) {
            const bytes = memoryBytes(output);
            if (bytes > SMALL_OUTPUT && bytesOfAll + bytes > MAX_OWNED_BYTES) return OUT_OF_MEMORY;
            hold(run, bytes);
            return null;
          },
          onLost() {
            if (isDurable) abandon(run);
            else controller.abort(new AbortError('lost'));
          },
        }),
        phase: 'running',
        isAppendingEnd: false,
        controller,
        cancellation: undefined,
        isQueued,
        failure,
        turn: undefined,
        startedMs: clock.monotonic() - sinceStart,
        stepsUnderWay: 0,
        signals: new Map(),
        waits: { settled: new Map(), settling: undefined, cancelDue: undefined },
      };
      owned.set(head.runId, run);
      held.set(run, 0);
      hold(run, memoryBytes(head.input) + memoryBytes(loaded.sources.outputs));
      if (stopsQueued) stopStarts(run);
      if (interrupted) stop(run);
      return run;
    },
    release(run) {
      const { runId } = run.state.head;
      owned.delete(runId);
      bytesOfAll -= held.get(run) ?? 0;
      held.delete(run);
      plans.release(run.plan);
      waiters.get(runId)?.resolve();
      waiters.delete(runId);
    },
    async untilReleased(runId) {
      const run = owned.get(runId);
      if (run === undefined) return;
      if (run.turn === undefined && !run.isAppendingEnd && !hasEnded(run.state.status)) return;
      const waiter = waiters.get(runId) ?? Promise.withResolvers<void>();
      waiters.set(runId, waiter);
      await waiter.promise;
    },
    stopQueued() {
      stopsQueued = true;
      for (const run of owned.values()) stopStarts(run);
    },
    interrupt() {
      interrupted = true;
      for (const run of owned.values()) stop(run);
    },
  };
}

/** Gives up a run that another process owns: its steps are to stop, and nothing more of it is recorded. */
export function abandon(run: OwnedRun): void {
  if (run.phase === 'suspended') return;
  run.phase = 'lost';
  run.controller.abort(new AbortError('lost'));
  run.cancellation?.deadline.abort();
}

/** Keeps a signal to be handled later; of several about the same, the last. */
export function keepSignal({ signals }: Pick<OwnedRun, 'signals'>, signal: RunSignal): void {
  signals.set(signal.type === 'cancel' ? 'cancel' : signal.itemId, signal);
}

/** True where the steps of the run were told to stop because this process shuts down, or has lost the run. */
export function isInterrupted({ controller, state }: OwnedRun): boolean {
  return controller.signal.aborted && state.cancel === null;
}

/** The most steps of the run that may be under way at the same time. */
export function maxConcurrentOf(
  { plan }: LoadedRun,
  { maxConcurrentSteps }: Pick<Limits, 'maxConcurrentSteps'>,
): number {
  return Math.min(maxConcurrentSteps, plan.definition.maxConcurrentSteps ?? maxConcurrentSteps);
}
