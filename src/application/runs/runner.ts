import { unavailable } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { INTERRUPTED, type Run } from '../../domain/run/run.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { WorkflowPlan } from '../../domain/workflow/plan.ts';
import { createInFlight } from '../../lib/async/in-flight.ts';
import { TimeoutError, withTimeout } from '../../lib/async/timeout.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { type ActiveRun, currentResults, startRun } from './active-run.ts';
import { createBackgroundRuns, type RunPermit, slotsFor } from './background-runs.ts';
import { createChangeWriter } from './change-writer.ts';
import { createPlanCache } from './plan-cache.ts';
import { createRunLayers } from './run-layers.ts';
import {
  type EndedChange,
  neverStartedChange,
  pendingRun,
  type RunHead,
  recordOf,
  runningChange,
} from './run-record.ts';
import { createLayerRunner, type StepTargets } from './run-steps.ts';

/** The options of a run that its caller waits for. */
interface RunOptions {
  /** The id of the run, made by `NewId`; chosen by the runner when absent. */
  readonly runId?: string | undefined;
  /** How long the caller waits, in milliseconds. Without a limit when absent. */
  readonly waitMs?: number | undefined;
}

/** Runs definitions (specification, sections 3 and 4). Callers must not change an input after they have passed it. */
export interface WorkflowRunner {
  /**
   * Runs a definition and resolves to its finished run, which is FAILED when a step failed. Rejects with `unavailable`
   * when the run cannot be recorded, before any step has run, and after a shutdown. With `waitMs`, a run that takes
   * longer is returned as it is then, and counts as a background run from then on.
   */
  run(definition: WorkflowDefinition, input: JsonObject, options?: RunOptions): Promise<Run>;
  /**
   * Records a run and resolves to its PENDING record; the run starts when a permit is free. Rejects with `unavailable`
   * as above, and when too many runs wait already. The id `runId` is chosen by the runner when absent.
   */
  start(definition: WorkflowDefinition, input: JsonObject, runId?: string): Promise<Run>;
  /**
   * Accepts no more background runs and waits up to `graceMs` milliseconds for running and waiting ones, then
   * interrupts the rest, which ends as FAILED, `interrupted`. Resolves when every run has been recorded.
   */
  close(graceMs: number): Promise<void>;
}

type RunnerPorts = Pick<Ports, 'clock' | 'newId' | 'random' | 'logger' | 'events' | 'telemetry' | 'runs'>;

/** Creates a runner from its ports and the tools and agents that steps call. */
export function createWorkflowRunner(
  ports: RunnerPorts,
  targets: StepTargets,
  limits: Limits,
): WorkflowRunner {
  const { clock, newId, logger, events, telemetry, runs } = ports;
  const writer = createChangeWriter(ports);
  const runLayers = createRunLayers(ports, createLayerRunner(ports, targets, limits), writer);
  const plans = createPlanCache();
  const background = createBackgroundRuns({
    maxRunning: limits.maxBackgroundRuns,
    maxWaiting: limits.maxWaitingRuns,
  });
  const inFlight = createInFlight(clock);
  const active = new Set<ActiveRun>();
  let closing = false;
  let interrupted = false;
  inFlight.signal.addEventListener('abort', interrupt);

  function interrupt(): void {
    interrupted = true;
    background.close();
    for (const { controller } of active) controller.abort();
  }

  function newHead(
    definition: WorkflowDefinition,
    input: JsonObject,
    isBackground: boolean,
    runId = newId(),
  ): RunHead {
    return {
      runId,
      workflowId: definition.id,
      workflowName: definition.name,
      background: isBackground,
      input,
      createdAt: isoTime(clock.now()),
    };
  }

  /** Runs all layers and resolves to the change that ended the run. */
  async function runToEnd(run: ActiveRun): Promise<EndedChange> {
    const { head, plan } = run;
    const { runId, workflowId } = head;
    active.add(run);
    if (interrupted) run.controller.abort();
    const attributes = { execution_id: runId, workflow_id: workflowId };
    try {
      const change = await telemetry.span('workflow.run', attributes, async (span) => {
        const ended = await runLayers(run);
        if (ended.status === 'FAILED') span.fail('workflow_failed');
        return ended;
      });
      emitFinished(head, change);
      return change;
    } catch (error) {
      // Only a port that violates its contract causes this. The record must not stay RUNNING.
      const completedAt = isoTime(clock.now());
      writer.retryInBackground(runId, neverStartedChange(plan, 'the run failed unexpectedly', completedAt));
      throw error;
    } finally {
      active.delete(run);
      plans.release(plan);
    }
  }

  function emitFinished({ runId, workflowId }: RunHead, { error, durationMs }: EndedChange): void {
    const status = error === null ? 'COMPLETED' : 'FAILED';
    events({ type: 'run.finished', runId, workflowId, status, error, durationMs });
  }

  async function runNow(definition: WorkflowDefinition, head: RunHead, waitMs?: number): Promise<Run> {
    const run = startRun(head, plans.acquire(definition), clock);
    try {
      await runs.create(currentRecord(run));
    } catch (error) {
      plans.release(run.plan);
      throw error;
    }
    const ended = logger.bind({ execution_id: head.runId }, () => runToEnd(run));
    if (waitMs !== undefined && !(await endsWithin(ended, waitMs))) return continueInBackground(run, ended);
    return recordOf(head, await ended, run.results);
  }

  /** Whether a run ends within `waitMs` milliseconds. Rejects when it fails unexpectedly before. */
  async function endsWithin(ended: Promise<EndedChange>, waitMs: number): Promise<boolean> {
    try {
      await withTimeout(() => ended, { clock, timeoutMs: waitMs });
      return true;
    } catch (error) {
      if (error instanceof TimeoutError) return false;
      throw error;
    }
  }

  /** Counts a run whose caller no longer waits as a background run until it ends. Returns its record as it is now. */
  function continueInBackground(run: ActiveRun, ended: Promise<EndedChange>): Run {
    const release = background.adopt();
    const logged = ended.then(release, (error: unknown) => {
      release();
      logger.error('a background run failed unexpectedly', { execution_id: run.head.runId, err: error });
    });
    void inFlight.track(logged);
    return currentRecord(run);
  }

  async function acceptInBackground(definition: WorkflowDefinition, head: RunHead): Promise<Run> {
    const permit = background.admit(slotsFor(definition, head.input));
    const plan = plans.acquire(definition);
    const record = pendingRun(head, plan);
    try {
      await runs.create(record);
    } catch (error) {
      plans.release(plan);
      permit.release();
      throw error;
    }
    void inFlight.track(runInBackground(head, plan, permit));
    return record;
  }

  /** Runs in the background. No caller waits for it, so errors are logged. */
  async function runInBackground(head: RunHead, plan: WorkflowPlan, permit: RunPermit): Promise<void> {
    try {
      await logger.bind({ execution_id: head.runId }, () => runWhenPermitted(head, plan, permit));
    } catch (error) {
      logger.error('a background run failed unexpectedly', { execution_id: head.runId, err: error });
    } finally {
      permit.release();
    }
  }

  async function runWhenPermitted(head: RunHead, plan: WorkflowPlan, permit: RunPermit): Promise<void> {
    if (await permit.acquire()) {
      await runToEnd(startRun(head, plan, clock));
      return;
    }
    const change = neverStartedChange(plan, INTERRUPTED, isoTime(clock.now()));
    const outcome = await writer.save(head.runId, change, inFlight.signal);
    if (outcome === 'unavailable') writer.retryInBackground(head.runId, change);
    emitFinished(head, change);
    plans.release(plan);
  }

  return {
    async run(definition, input, { runId, waitMs } = {}) {
      if (interrupted) throw shuttingDown();
      return inFlight.track(runNow(definition, newHead(definition, input, false, runId), waitMs));
    },
    async start(definition, input, runId) {
      if (closing) throw shuttingDown();
      return inFlight.track(acceptInBackground(definition, newHead(definition, input, true, runId)));
    },
    async close(graceMs) {
      closing = true;
      await inFlight.close(graceMs);
      interrupt();
      await inFlight.close(0);
      await writer.close();
    },
  };
}

/** The record of a run that has started and has not ended. */
function currentRecord(run: ActiveRun): Run {
  return recordOf(run.head, runningChange(run, []), currentResults(run));
}

function shuttingDown(): Error {
  return unavailable('the service is shutting down', 5);
}
