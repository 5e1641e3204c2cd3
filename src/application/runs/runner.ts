import { conflict, invalid, unavailable } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import type { RetriedBy } from '../../domain/run/control.ts';
import type { RunSignal } from '../../domain/run/events.ts';
import { defaultRecoveryPolicy } from '../../domain/run/recover.ts';
import type { Run } from '../../domain/run/run.ts';
import { type RunState, summaryOf } from '../../domain/run/state.ts';
import { createInFlight } from '../../lib/async/in-flight.ts';
import type { TurnOutcome } from '../../ports/storage/run-queue.ts';
import { createRecordAbandoned } from './abandoned.ts';
import { type ActiveRun, activate, cancelOf, finishedEvent } from './active-run.ts';
import { createActiveRuns } from './active-runs.ts';
import { createInputCheck } from './control/check-input.ts';
import { createDurableRuns, type Durability } from './durable/durable-runs.ts';
import { createEndUnusable } from './durable/end-unusable.ts';
import { createLogWriter } from './log-writer.ts';
import { createPlanCache } from './plan-cache.ts';
import { createBackgroundRuns } from './start/background-runs.ts';
import { createContinueRun } from './start/continue-run.ts';
import { createForegroundRuns } from './start/foreground-runs.ts';
import { createRun, type NewRunRequest, RunExistsError } from './start/new-run.ts';
import { reopenRun } from './start/reopen-run.ts';
import { createRunSteps } from './steps/run-steps.ts';
import { stepRules } from './steps/step-rules.ts';
import { createChildRuns } from './waits/child-runs.ts';
import { createDueRuns } from './waits/due-runs.ts';
import { createSettleWaits } from './waits/settle-waits.ts';
import { createUntilEnded } from './waits/until-ended.ts';
import { createWorker } from './worker.ts';
import type { RunnerDeps, RunnerPorts, WorkflowRunner } from './workflow-runner.ts';

/** Runs that are not durable are continued only after a wait, at which no step is under way. */
const noRecovery: Durability = { policy: defaultRecoveryPolicy, mayRepeat: () => false };

/** Creates a runner. */
export function createWorkflowRunner(
  ports: RunnerPorts,
  { targets, items, hasInbox, durability }: RunnerDeps,
  limits: Limits,
): WorkflowRunner {
  const { clock, newId, logger, events, telemetry, runs, runQueue } = ports;
  const isDurable = durability !== undefined;
  /** Aborted when callers wait no longer for runs that wait. */
  const stopWaiting = new AbortController();
  const writer = createLogWriter(ports, isDurable ? Number.POSITIVE_INFINITY : undefined);
  const plans = createPlanCache(ports.expressions);
  const continueRun = createContinueRun(plans, clock, limits);
  const children = createChildRuns({ ports, start, retry, continueRun, limits });
  const waits = createSettleWaits(ports, items, children);
  const recordAbandoned = createRecordAbandoned(ports, waits.end);
  const worker = createWorker(
    ports,
    {
      runSteps: createRunSteps(ports, targets, limits, durability),
      writer,
      endAbandoned: (run) => recordAbandoned(run.state.head.runId, cancelOf(run), run.unsaved),
      waits,
      rulesOf: (run) => stepRules(run, { clock, newId, hasInbox, limits }),
      isDurable,
    },
    limits,
  );
  const checkInput = createInputCheck(ports.schemas);
  const inFlight = createInFlight(clock);
  const active = createActiveRuns(plans);
  const { release } = active;
  const background = createBackgroundRuns({
    runQueue,
    logger,
    runToEnd,
    release,
    track: (work) => void inFlight.track(work),
  });
  const claims = createDurableRuns(
    ports,
    {
      active,
      plans,
      runToEnd,
      signal: inFlight.signal,
      endUnusable: createEndUnusable(ports, waits.end),
    },
    durability ?? noRecovery,
  );
  const durable = isDurable ? claims : undefined;
  const due = createDueRuns(ports, children);
  const runNow = createForegroundRuns(ports, {
    worker,
    create,
    runToEnd,
    release,
    claims,
    track: (work) => void inFlight.track(work),
    untilEnded: createUntilEnded(ports, stopWaiting.signal),
  });
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
    if (isDurable || !background.has(runId)) {
      if (!closing) return inFlight.track(claims.runNext(runId));
      return isDurable ? 'again' : 'done';
    }
    await background.runNext(runId);
    return 'done';
  }

  /** Resolves when a run whose end is in the log, or is being saved, is no longer run by this process. */
  async function untilReleased(runId: string): Promise<void> {
    await active.untilReleased(runId);
    await background.untilEnded(runId);
  }

  /**
   * Starts a new run by `work`. One that exists already, because it was started with the same id, is not run again:
   * resolves to its record as it is.
   */
  async function startNew(
    request: NewRunRequest,
    background: boolean,
    work: (run: ActiveRun) => Promise<Run>,
  ): Promise<Run> {
    const runId = request.runId ?? newId();
    const known = active.get(runId);
    if (known !== undefined) return claims.stored(known);
    active.assertRoom(request.parent !== undefined);
    const plan = plans.acquire(request.definition);
    const run = active.acquire(createRun(request, { runId, background }, plan, clock));
    try {
      return await work(run);
    } catch (error) {
      if (error instanceof RunExistsError) return claims.stored(run);
      throw error;
    }
  }

  /** Stores a new run with its first events. Rejects with `RunExistsError` where it is stored already. */
  async function create(run: ActiveRun): Promise<void> {
    const { head, seq, shape } = run.state;
    const batch = run.unsaved;
    // A signal may come as soon as the run is stored, which adds to the unsaved events.
    run.unsaved = [];
    const summary = summaryOf(run.state);
    const isNew = await runs.create({ summary, definition: shape.definition, events: batch });
    if (!isNew) throw new RunExistsError();
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
      else if (run.isParked) await claims.letWait(run);
      else await durable?.giveUp(run);
      if (run.isParked || finished !== undefined) due.follow(run);
    } catch (error) {
      await worker.endUnexpectedly(run);
      throw error;
    } finally {
      release(run);
    }
    // A signal that came when the run was parked already.
    if (run.isParked && run.signals.size > 0) answer(runId);
  }

  /** Continues a run that nobody runs. Later, where this process shuts down. */
  function answer(runId: string, signal?: RunSignal): void {
    if (!closing) void inFlight.track(claims.answer(runId, signal));
  }

  function onSignal(runId: string, signal: RunSignal): void {
    const run = active.get(runId);
    if (run === undefined) {
      if (signal.type === 'cancel') writer.keepSignal(runId, signal);
      // Where nobody runs it, it is claimed to be continued.
      answer(runId, signal);
      return;
    }
    worker.signal(run, signal);
    if (durable === undefined) background.endWaiting(runId);
  }

  async function reopen(state: RunState, by: RetriedBy): Promise<Run> {
    active.assertRoom(state.head.parentRunId !== null);
    const run = active.acquire(activate(state, plans.acquire(state.shape.definition), clock));
    const append = reopenRun(state, by, ports);
    return background.accept(run, async () => {
      run.savedSeq = await append();
    });
  }

  /** Throws `validation` before anything is recorded. */
  function assertInput({ definition, input }: NewRunRequest): void {
    const issues = checkInput(definition, input);
    if (issues.length > 0) throw invalid(issues);
  }

  async function start(request: NewRunRequest): Promise<Run> {
    if (closing) throw shuttingDown();
    assertInput(request);
    if (durable !== undefined) return inFlight.track(durable.start(request));
    return inFlight.track(startNew(request, true, (run) => background.accept(run, () => create(run))));
  }

  async function retry(state: RunState, by: RetriedBy): Promise<Run> {
    await untilReleased(state.head.runId);
    if (closing) throw shuttingDown();
    if (active.get(state.head.runId) !== undefined) throw conflict('the execution is being retried already');
    if (durable !== undefined) return inFlight.track(durable.retry(state, by));
    return inFlight.track(reopen(state, by));
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
    tellParent: children.tellParent,
    startWakes: due.start,
    async close(graceMs) {
      closing = true;
      due.close();
      stopWaiting.abort();
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
