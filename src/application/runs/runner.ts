import { unavailable } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { INTERRUPTED, type Run } from '../../domain/run/run.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { WorkflowPlan } from '../../domain/workflow/plan.ts';
import { createInFlight } from '../../lib/async/in-flight.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { type ActiveRun, runningResults, startRun } from './active-run.ts';
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

/** Runs definitions (specification, sections 3 and 4). Callers must not change an input after they have passed it. */
export interface WorkflowRunner {
  /**
   * Runs a definition and resolves to its finished run, which is FAILED when a step failed. Rejects with `unavailable`
   * when the run cannot be recorded, before any step has run, and after a shutdown.
   */
  run(definition: WorkflowDefinition, input: JsonObject): Promise<Run>;
  /**
   * Records a run and resolves to its PENDING record; the run starts when a permit is free. Rejects with `unavailable`
   * as above, and when too many runs wait already.
   */
  start(definition: WorkflowDefinition, input: JsonObject): Promise<Run>;
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

  function newHead(definition: WorkflowDefinition, input: JsonObject, isBackground: boolean): RunHead {
    return {
      runId: newId(),
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

  async function runNow(definition: WorkflowDefinition, input: JsonObject): Promise<Run> {
    const head = newHead(definition, input, false);
    const run = startRun(head, plans.acquire(definition), clock);
    try {
      await runs.create(startedRecord(run));
    } catch (error) {
      plans.release(run.plan);
      throw error;
    }
    const change = await logger.bind({ execution_id: head.runId }, () => runToEnd(run));
    return recordOf(head, change, run.results);
  }

  async function acceptInBackground(definition: WorkflowDefinition, input: JsonObject): Promise<Run> {
    const head = newHead(definition, input, true);
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
    async run(definition, input) {
      if (interrupted) throw shuttingDown();
      return inFlight.track(runNow(definition, input));
    },
    async start(definition, input) {
      if (closing) throw shuttingDown();
      return inFlight.track(acceptInBackground(definition, input));
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

/** The record of a run that is recorded when it starts. */
function startedRecord(run: ActiveRun): Run {
  const stepResults = [...run.results];
  for (const { index, result } of runningResults(run, 0)) stepResults[index] = result;
  return recordOf(run.head, runningChange(run, []), stepResults);
}

function shuttingDown(): Error {
  return unavailable('the service is shutting down', 5);
}
