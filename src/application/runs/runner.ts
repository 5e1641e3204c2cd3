import { conflict, unavailable } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import type { RunSignal } from '../../domain/run/events.ts';
import type { Run } from '../../domain/run/run.ts';
import { type RunState, recordOf, summaryOf } from '../../domain/run/state.ts';
import { createInFlight } from '../../lib/async/in-flight.ts';
import { resolvesWithin } from '../../lib/async/resolves-within.ts';
import type { Ports } from '../../ports/ports.ts';
import type { TurnOutcome } from '../../ports/storage/run-queue.ts';
import { createRecordAbandoned } from './abandoned.ts';
import { type ActiveRun, activate, cancelOf, finishedEvent } from './active-run.ts';
import { createActiveRuns } from './active-runs.ts';
import { createBackgroundRuns } from './background-runs.ts';
import { createDurableRuns, type Durability } from './durable/durable-runs.ts';
import { createLogWriter } from './log-writer.ts';
import { createRun, type NewRunRequest } from './new-run.ts';
import { createPlanCache } from './plan-cache.ts';
import { reopenRun } from './reopen-run.ts';
import { createRunSteps, type StepTargets } from './run-steps.ts';
import type { EndedItems } from './waits/ended-items.ts';
import { createSettleWaits } from './waits/settle-waits.ts';
import { createWorker } from './worker.ts';

/** Runs definitions (specification, sections 3 and 4). */
export interface WorkflowRunner {
  /**
   * Runs a definition and resolves to its ended run, which is FAILED when a step failed. Rejects with `unavailable` when
   * the run cannot be recorded, before any step has run, and after a shutdown. With `waitMs`, a run that takes longer is
   * returned as it is then, and counts as a background run from then on.
   */
  run(request: NewRunRequest, waitMs?: number): Promise<Run>;
  /**
   * Records a run and resolves to its PENDING record; the run starts when its turn comes. Rejects with `unavailable` as
   * above, and when too many runs wait already.
   */
  start(request: NewRunRequest): Promise<Run>;
  /**
   * Runs an ended run again in the background: all steps that did not complete. Rejects as `start`, and with `conflict`
   * when somebody else does it at the same time.
   */
  retry(state: RunState, by: string): Promise<Run>;
  /**
   * Accepts no more background runs and waits up to `graceMs` milliseconds for running and waiting ones, then
   * interrupts the rest, which ends as FAILED, `interrupted`. Durable runs are handed back instead: those of the queue as
   * soon as no step of them is under way, the others after that time. Resolves when every run has been recorded.
   */
  close(graceMs: number): Promise<void>;
}

type RunnerPorts = Pick<
  Ports,
  'clock' | 'newId' | 'random' | 'logger' | 'events' | 'telemetry' | 'runs' | 'runQueue'
>;

/**
 * Creates a runner from its ports and the tools and agents that steps call. `items` are those of runs that were durable
 * before, where they are not now.
 */
export function createWorkflowRunner(
  ports: RunnerPorts,
  targets: StepTargets,
  limits: Limits,
  durability?: Durability,
  items: EndedItems | undefined = durability?.items,
): WorkflowRunner {
  const { clock, newId, logger, events, telemetry, runs, runQueue } = ports;
  const isDurable = durability !== undefined;
  const writer = createLogWriter(ports, isDurable ? Number.POSITIVE_INFINITY : undefined);
  const recordAbandoned = createRecordAbandoned(ports, items);
  const worker = createWorker(
    ports,
    {
      runSteps: createRunSteps(ports, targets, limits, isDurable),
      writer,
      endAbandoned: (run) => recordAbandoned(run.state.head.runId, cancelOf(run), run.unsaved),
      settleWaits: createSettleWaits(ports, durability?.items),
      settleItems: async (run) => durability?.items.settle(run),
      isDurable,
    },
    limits,
  );
  const plans = createPlanCache();
  const inFlight = createInFlight(clock);
  const active = createActiveRuns(plans);
  const { release } = active;
  const background = createBackgroundRuns({
    ...{ runQueue, logger, runToEnd, release },
    track: (work) => void inFlight.track(work),
  });
  const durable =
    durability && createDurableRuns(ports, { active, plans, runToEnd, signal: inFlight.signal }, durability);
  let closing = false;
  let interrupted = false;
  inFlight.signal.addEventListener('abort', interrupt);
  runQueue.process(runNext, { maxRunning: limits.maxBackgroundRuns, maxWaiting: limits.maxWaitingRuns });
  runs.listen({
    onSignal,
    onAbandoned: durable === undefined ? recordAbandoned : (runId) => runQueue.wake(runId),
    onLost: active.lose,
  });

  function interrupt(): void {
    interrupted = true;
    active.interrupt();
    background.close();
  }

  async function runNext(runId: string): Promise<TurnOutcome> {
    if (durable !== undefined) return closing ? 'again' : inFlight.track(durable.runNext(runId));
    await background.runNext(runId);
    return 'done';
  }

  /** Resolves when a run whose end is in the log, or is being saved, is no longer run by this process. */
  async function untilReleased(runId: string): Promise<void> {
    await active.untilReleased(runId);
    await background.untilEnded(runId);
  }

  function newRun(request: NewRunRequest, background: boolean): ActiveRun {
    const runId = request.runId ?? newId();
    return active.acquire(
      createRun(request, { runId, background }, plans.acquire(request.definition), clock),
    );
  }

  /** Stores a new run with its first events. */
  async function create(run: ActiveRun): Promise<void> {
    const { head, seq, shape } = run.state;
    const batch = run.unsaved;
    // A signal may come as soon as the run is stored, which adds to the unsaved events.
    run.unsaved = [];
    await runs.create({ summary: summaryOf(run.state), definition: shape.definition, events: batch });
    run.savedSeq = seq;
    events({ type: 'run.appended', runId: head.runId, workflowId: head.workflowId, events: batch });
  }

  /** Runs a run to its end. Rejects only when a port violates its contract; the record has an end even then. */
  async function runToEnd(run: ActiveRun, steps?: readonly number[]): Promise<void> {
    const { runId, workflowId } = run.state.head;
    const attributes = { execution_id: runId, workflow_id: workflowId, attempt: run.state.attempt };
    try {
      await telemetry.span('workflow.run', attributes, async (span) => {
        await worker.drive(run, steps);
        if (run.state.status === 'FAILED') span.fail('workflow_failed');
        if (run.state.status === 'CANCELLED') span.set({ cancelled: true });
      });
      const finished = finishedEvent(run);
      if (finished !== undefined) events(finished);
      else if (run.isParked) await durable?.letWait(run);
      else await durable?.giveUp(run);
    } catch (error) {
      await worker.endUnexpectedly(run);
      throw error;
    } finally {
      release(run);
    }
    // A signal that came when the run was parked already.
    if (run.isParked && run.signals.size > 0) answer(runId);
  }

  /** Continues a durable run that nobody runs. Later, where this process shuts down. */
  function answer(runId: string): void {
    if (durable !== undefined && !closing) void inFlight.track(durable.answer(runId));
  }

  async function runNow(request: NewRunRequest, waitMs: number | undefined): Promise<Run> {
    const run = newRun(request, false);
    const steps = worker.begin(run);
    try {
      await create(run);
    } catch (error) {
      release(run);
      throw error;
    }
    const ended = logger.bind({ execution_id: run.state.head.runId }, () => runToEnd(run, steps));
    if (waitMs === undefined) await ended;
    else if (!(await resolvesWithin(ended, { clock, timeoutMs: waitMs }))) continueInBackground(run, ended);
    return run.isLost && durable !== undefined ? durable.stored(run) : recordOf(run.state);
  }

  /** Counts a run whose caller no longer waits as a background run until it ends. */
  function continueInBackground(run: ActiveRun, ended: Promise<void>): void {
    const leave = runQueue.occupy();
    const { runId } = run.state.head;
    const logged = ended.catch((error: unknown) => {
      logger.error('a background run failed unexpectedly', { execution_id: runId, err: error });
    });
    void inFlight.track(logged.finally(leave));
  }

  function onSignal(runId: string, signal: RunSignal): void {
    const run = active.get(runId);
    if (run === undefined) {
      if (signal.type === 'cancel') writer.keepSignal(runId, signal);
      // Where nobody runs it, it is claimed to be continued.
      answer(runId);
      return;
    }
    worker.signal(run, signal);
    if (durable === undefined) background.endWaiting(runId);
  }

  async function reopen(state: RunState, by: string): Promise<Run> {
    const run = active.acquire(activate(state, plans.acquire(state.shape.definition), clock));
    const append = reopenRun(state, by, ports);
    return background.accept(run, async () => {
      run.savedSeq = await append();
    });
  }

  return {
    async run(request, waitMs) {
      if (interrupted) throw shuttingDown();
      return inFlight.track(runNow(request, waitMs));
    },
    async start(request) {
      if (closing) throw shuttingDown();
      if (durable !== undefined) return inFlight.track(durable.start(request));
      const run = newRun(request, true);
      return inFlight.track(background.accept(run, () => create(run)));
    },
    async retry(state, by) {
      await untilReleased(state.head.runId);
      if (closing) throw shuttingDown();
      if (active.get(state.head.runId) !== undefined)
        throw conflict('the execution is being retried already');
      if (durable !== undefined) return inFlight.track(durable.retry(state, by));
      return inFlight.track(reopen(state, by));
    },
    async close(graceMs) {
      closing = true;
      if (durable !== undefined) active.stopQueued();
      if (durable !== undefined) void runQueue.close();
      await inFlight.close(graceMs);
      interrupt();
      await inFlight.close(0);
      await writer.close();
    },
  };
}

function shuttingDown(): Error {
  return unavailable('the service is shutting down', 5);
}
