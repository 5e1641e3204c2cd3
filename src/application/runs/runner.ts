import { conflict, invalid, unavailable } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import type { RetriedBy } from '../../domain/run/control.ts';
import type { RunSignal } from '../../domain/run/events.ts';
import type { StepRules } from '../../domain/run/layer.ts';
import { defaultRecoveryPolicy } from '../../domain/run/recover.ts';
import { hasEnded, type Run, type RunSummary } from '../../domain/run/run.ts';
import { openWaits, type RunState, recordOf } from '../../domain/run/state.ts';
import { createInFlight } from '../../lib/async/in-flight.ts';
import { resolvesWithin } from '../../lib/async/resolves-within.ts';
import type { Ports } from '../../ports/ports.ts';
import type { TurnOutcome } from '../../ports/storage/run-queue.ts';
import { createChildRuns } from './child-runs.ts';
import { createClaims, type Durability } from './claims.ts';
import { createDueRuns } from './due-runs.ts';
import { createLateEnds } from './late-ends.ts';
import { type LoadedRun, loadRun, stepRules } from './loaded-run.ts';
import {
  type ContinueRun,
  createContinueRun,
  createRun,
  type NewRunRequest,
  reopenRun,
  slotsFor,
} from './new-run.ts';
import { abandon, createOwnedRuns, type OwnedRun } from './owned-runs.ts';
import { createPlanCache } from './plan-cache.ts';
import { createInputCheck } from './run-input.ts';
import { createRunSteps, type StepTargets } from './run-steps.ts';
import { createUnfinishedRuns } from './unfinished-runs.ts';
import { untilLogEnds } from './until-log.ts';
import type { WaitItems } from './wait-items.ts';
import { createWaits } from './waits.ts';
import { createWorker } from './worker.ts';

/**
 * Runs definitions (specification, sections 3 and 4). A run that is stored already, because it was started before with
 * the same id, is not started again: `run` and `start` resolve to its record as it is.
 */
export interface WorkflowRunner {
  /**
   * Runs a definition and resolves to its ended run, which is FAILED when a step failed. Rejects with `validation` for
   * an input that the definition does not accept, and with `unavailable` when the run cannot be recorded, before any
   * step has run, and after a shutdown. With `waitMs`, a run that takes longer is returned as it is then, and counts as
   * a background run from then on. A run that waits is returned after 30 seconds of waiting at most.
   */
  run(request: NewRunRequest, waitMs?: number): Promise<Run>;
  /**
   * Records a run and resolves to its PENDING record; the run starts when its turn comes. Rejects with `unavailable` as
   * above, and when too many runs wait already.
   */
  start(request: NewRunRequest): Promise<Run>;
  /**
   * Runs an ended run again in the background: all steps that did not complete. Rejects as `start`, and with `conflict`
   * when another caller does it at the same time.
   */
  retry(state: RunState, by: RetriedBy): Promise<Run>;
  /** The parts of an ended run that a new run continues. */
  readonly continueRun: ContinueRun;
  /** Notifies the parent of an ended child run, unless it knows already. Rejects with `unavailable`. */
  notifyParent(child: RunSummary): Promise<void>;
  /** Continues runs that wait when they are due from now on, also those that other processes have left. */
  startDueRuns(): void;
  /**
   * Accepts no more background runs and waits up to `graceMs` milliseconds for running and waiting ones, then
   * interrupts the rest, which ends as FAILED, `interrupted`. Durable runs are handed over instead: those of the queue
   * as soon as no step of them is under way, the others after that time. Resolves when every run has been recorded.
   */
  close(graceMs: number): Promise<void>;
}

/** Runs that are not durable are continued only after a wait, at which no step is under way. */
const noRecovery: Pick<Durability, 'policy' | 'mayRepeat'> = {
  policy: defaultRecoveryPolicy,
  mayRepeat: () => false,
};

/** The longest time that the caller of a run waits while the run waits, in milliseconds. */
const MAX_WAIT_MS = 30_000;

/** Creates a runner. */
export function createWorkflowRunner(
  ports: Pick<
    Ports,
    | 'clock'
    | 'newId'
    | 'random'
    | 'logger'
    | 'events'
    | 'telemetry'
    | 'runs'
    | 'runQueue'
    | 'expressions'
    | 'schemas'
    | 'workflows'
  >,
  {
    targets,
    items,
    hasInbox,
    durability,
  }: {
    /** The tools and agents that steps call. */
    readonly targets: StepTargets;
    /** The inbox items of the waits of runs. */
    readonly items: WaitItems;
    /** True where a person can be asked. */
    readonly hasInbox: boolean;
    /** Runs end with their process when absent. */
    readonly durability?: Durability | undefined;
  },
  limits: Limits,
): WorkflowRunner {
  const { clock, newId, logger, events, telemetry, runs, runQueue } = ports;
  const isDurable = durability !== undefined;
  const inFlight = createInFlight(clock);
  const track = (work: Promise<void>): void => void inFlight.track(work);
  /** Aborted when callers wait no longer for runs that wait. */
  const stopWaiting = new AbortController();
  let closing = false;
  let interrupted = false;

  const checkInput = createInputCheck(ports.schemas);
  const plans = createPlanCache(ports.expressions);
  const owned = createOwnedRuns(ports, plans, isDurable);
  const continueRun = createContinueRun(plans, limits);
  const children = createChildRuns(ports, { start, retry, continueRun }, limits);
  const due = createDueRuns(ports, children);
  const rulesOf = (run: LoadedRun): StepRules => stepRules(run, { clock, newId, hasInbox }, limits);
  const waits = createWaits(ports, items, children, rulesOf);
  const unfinished = createUnfinishedRuns(ports, waits.end);
  const endAbandoned = (run: OwnedRun): Promise<void> => {
    const signal = run.signals.get('cancel');
    const cancel = signal?.type === 'cancel' ? signal : undefined;
    return unfinished.endAbandoned(run.state.head.runId, cancel, run.log.unsaved);
  };
  const lateEnds = createLateEnds(ports, waits.settleOnce, endAbandoned);
  const runSteps = createRunSteps(ports, targets, limits, durability);
  const worker = createWorker(ports, { runSteps, waits, rulesOf, lateEnds, endAbandoned, isDurable }, limits);
  const { endUnusable } = unfinished;
  const { signal } = inFlight;
  const claims = createClaims(
    ports,
    { owned, plans, runToEnd, endUnusable, signal },
    durability ?? noRecovery,
  );
  signal.addEventListener('abort', interrupt);
  runQueue.process(runNext, { maxRunning: limits.maxBackgroundRuns, maxWaiting: limits.maxWaitingRuns });
  runs.listen({
    onSignal,
    async onAbandoned(runId, cancel) {
      if (durability === undefined) return unfinished.endAbandoned(runId, cancel);
      await durability.ready;
      await runQueue.wake(runId);
    },
    onLost(runId) {
      const run = owned.get(runId);
      if (run !== undefined) abandon(run);
    },
  });

  function interrupt(): void {
    interrupted = true;
    owned.interrupt();
    void runQueue.close().then((runIds) => {
      for (const runId of runIds) owned.get(runId)?.turn?.resolve();
    });
  }

  async function runNext(runId: string): Promise<TurnOutcome> {
    const turn = owned.get(runId)?.turn;
    if (turn === undefined) {
      if (!closing) return inFlight.track(claims.continue(runId));
      return isDurable ? 'again' : 'done';
    }
    turn.resolve();
    await owned.untilReleased(runId);
    return 'done';
  }

  /** Runs a run to its end. Rejects only when a port violates its contract; the record has an end even then. */
  async function runToEnd(run: OwnedRun, steps?: readonly number[]): Promise<void> {
    const { state } = run;
    const { runId, workflowId } = state.head;
    const attributes = { execution_id: runId, workflow_id: workflowId, attempt: state.attempt };
    try {
      await telemetry.span('workflow.run', attributes, async (span) => {
        await worker.drive(run, steps);
        if (state.status === 'FAILED') span.fail('workflow_failed');
        if (state.status === 'CANCELLED') span.set({ cancelled: true });
      });
      if (hasEnded(state.status)) {
        const { status, error, cancel } = state;
        const cancelledBy = cancel?.by ?? null;
        const durationMs = state.durationMs ?? 0;
        events({ type: 'run.finished', runId, workflowId, status, error, cancelledBy, durationMs });
        due.schedule(state);
      } else if (run.phase === 'suspended') {
        await claims.release(run);
        due.schedule(state);
      } else if (isDurable) {
        await claims.handOver(run);
      }
    } catch (error) {
      await worker.endUnexpectedly(run);
      throw error;
    } finally {
      owned.release(run);
    }
    // A signal that came when the run was suspended already.
    if (run.phase === 'suspended' && run.signals.size > 0) resumeForSignal(runId);
  }

  /** Continues a run that no process owns. Later, where this process shuts down. */
  function resumeForSignal(runId: string, message?: RunSignal): void {
    if (!closing) track(claims.resumeForSignal(runId, message));
  }

  function onSignal(runId: string, message: RunSignal): void {
    const run = owned.get(runId);
    if (run === undefined) {
      if (message.type === 'cancel') lateEnds.keepSignal(runId, message);
      resumeForSignal(runId, message);
      return;
    }
    worker.signal(run, message);
    // A run that is cancelled ends without its turn.
    if (run.turn === undefined) return;
    void runQueue.remove(runId).then((isRemoved) => {
      if (isRemoved) run.turn?.resolve();
    });
  }

  /**
   * Starts a new run by `work`. One that exists already, because it was started with the same id, is not run again:
   * resolves to its record as it is.
   */
  async function startNew(
    request: NewRunRequest,
    isBackground: boolean,
    work: (run: OwnedRun) => Promise<Run>,
  ): Promise<Run> {
    const runId = request.runId ?? newId();
    const known = owned.get(runId);
    if (known !== undefined) return claims.stored(known);
    owned.assertRoom(request.parent !== undefined);
    const plan = plans.acquire(request.definition);
    const head = { runId, background: isBackground };
    const { state, events: unsaved } = createRun(request, head, plan, clock.now());
    const run = owned.own(loadRun(state, plan), { unsaved, savedSeq: 0, savedWaitingFor: [] });
    try {
      return await work(run);
    } catch (error) {
      if (error instanceof RunExistsError) return claims.stored(run);
      throw error;
    }
  }

  /** Stores a new run with its first events. */
  async function create({ log }: OwnedRun): Promise<void> {
    if (!(await log.create())) throw new RunExistsError();
  }

  /** Runs a run while its caller waits, and resolves to it once it has ended: see `WorkflowRunner.run`. */
  async function runNow(run: OwnedRun, waitMs: number | undefined): Promise<Run> {
    const { runId } = run.state.head;
    const steps = worker.begin(run);
    try {
      await create(run);
    } catch (error) {
      owned.release(run);
      throw error;
    }
    const startedMs = clock.monotonic();
    const ended = logger.bind({ execution_id: runId }, () => runToEnd(run, steps));
    if (waitMs === undefined) await ended;
    else if (!(await resolvesWithin(ended, { clock, timeoutMs: waitMs }))) continueInBackground(runId, ended);
    if (run.phase === 'suspended') return untilEnded(run, waitMs && startedMs + waitMs - clock.monotonic());
    return run.phase === 'lost' ? claims.stored(run) : recordOf(run.state);
  }

  /** Counts a run whose caller no longer waits as a background run until it ends. */
  function continueInBackground(runId: string, ended: Promise<void>): void {
    const leave = runQueue.occupy();
    const logged = ended.catch((error: unknown) => {
      logger.error('a background run failed unexpectedly', { execution_id: runId, err: error });
    });
    track(logged.finally(leave));
  }

  /**
   * Waits for the end of a run that is suspended, and resolves to the run as it is then; where the store cannot be
   * read, to the run as it was.
   */
  async function untilEnded(run: OwnedRun, waitMs = MAX_WAIT_MS): Promise<Run> {
    const { runId } = run.state.head;
    try {
      await untilLogEnds(ports, runId, Math.min(waitMs, MAX_WAIT_MS), stopWaiting.signal);
    } catch (error) {
      logger.warn('a workflow run that waits could not be read', { execution_id: runId, err: error });
      return recordOf(run.state);
    }
    return claims.stored(run);
  }

  /**
   * Queues a run that `save` stores, and returns its record. Leaves nothing behind where either fails. A child run is
   * accepted however many runs wait: its parent may hold the place that it waits for.
   */
  async function accept(run: OwnedRun, save: () => Promise<void>): Promise<Run> {
    const { head, shape } = run.state;
    const { runId } = head;
    const turn = Promise.withResolvers<void>();
    run.turn = turn;
    try {
      if (head.parentRunId !== null) await runQueue.wake(runId);
      else await runQueue.enqueue(runId, slotsFor(shape.definition, head.input));
      await save();
    } catch (error) {
      owned.release(run);
      await runQueue.remove(runId);
      throw error;
    }
    const record = recordOf(run.state);
    track(runOnTurn(run, turn.promise));
    return record;
  }

  /** Runs in the context of the call that accepted the run. No caller waits for it, so errors are logged. */
  async function runOnTurn(run: OwnedRun, turn: Promise<void>): Promise<void> {
    const fields = { execution_id: run.state.head.runId };
    try {
      await logger.bind(fields, async () => {
        await turn;
        await runToEnd(run);
      });
    } catch (error) {
      logger.error('a background run failed unexpectedly', { ...fields, err: error });
    }
  }

  /** Throws `validation` before anything is recorded. */
  function assertInput({ definition, input }: NewRunRequest): void {
    const issues = checkInput(definition, input);
    if (issues.length > 0) throw invalid(issues);
  }

  async function start(request: NewRunRequest): Promise<Run> {
    if (closing) throw shuttingDown();
    assertInput(request);
    if (isDurable) return inFlight.track(claims.start(request));
    return inFlight.track(startNew(request, true, (run) => accept(run, () => create(run))));
  }

  async function retry(state: RunState, by: RetriedBy): Promise<Run> {
    const { runId } = state.head;
    await owned.untilReleased(runId);
    if (closing) throw shuttingDown();
    if (owned.get(runId) !== undefined) throw conflict('the execution is being retried already');
    return inFlight.track(isDurable ? claims.retry(state, by) : reopen(state, by));
  }

  async function reopen(state: RunState, by: RetriedBy): Promise<Run> {
    owned.assertRoom(state.head.parentRunId !== null);
    const plan = plans.acquire(state.shape.definition);
    const append = reopenRun(state, by, ports);
    const savedWaitingFor = openWaits(state);
    const run = owned.own(loadRun(state, plan), { unsaved: [], savedSeq: state.seq, savedWaitingFor });
    return accept(run, append);
  }

  return {
    async run(request, waitMs) {
      if (interrupted) throw shuttingDown();
      assertInput(request);
      return inFlight.track(startNew(request, false, (run) => runNow(run, waitMs)));
    },
    start,
    retry,
    continueRun,
    notifyParent: children.notifyParent,
    startDueRuns: due.start,
    async close(graceMs) {
      closing = true;
      due.close();
      stopWaiting.abort();
      if (isDurable) {
        owned.stopQueued();
        void runQueue.close();
      }
      await inFlight.close(graceMs);
      interrupt();
      await inFlight.close(0);
      await lateEnds.close();
    },
  };
}

/** The run is stored already: another one has created it with the same id. */
class RunExistsError extends Error {
  override readonly name = 'RunExistsError';
}

function shuttingDown(): Error {
  return unavailable('the service is shutting down', 5);
}
