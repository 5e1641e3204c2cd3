import { unavailable } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { INTERRUPTED, type Run, type RunChange } from '../../domain/run/run.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { WorkflowPlan } from '../../domain/workflow/plan.ts';
import { createInFlight } from '../../lib/async/in-flight.ts';
import { createTurns } from '../../lib/async/legacy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { type ActiveRun, beginRun, runningResults } from './active-run.ts';
import { createBackgroundRuns, type Place } from './background-runs.ts';
import { createChangeWriter } from './change-writer.ts';
import { createPlans } from './plan-cache.ts';
import { createRunLayers } from './run-layers.ts';
import { executionOf, goingOn, neverBegun, pendingExecution, type RunHead } from './run-record.ts';
import { createLayerRunner, type Workers } from './run-steps.ts';

/** Runs definitions (specification, sections 3 and 4). An input becomes a part of its run: nobody may change it later. */
export interface WorkflowRunner {
  /**
   * Runs a definition and resolves with its finished execution, which is FAILED where a step failed. Goes on to the
   * end whether or not anybody waits. Rejects with `unavailable` where the execution cannot be recorded, before
   * any step has run, and once the service has shut down.
   */
  run(definition: WorkflowDefinition, input: JsonObject): Promise<Run>;
  /**
   * Records a run and resolves at once with its PENDING execution; the run itself begins when it is its turn.
   * Rejects with `unavailable` as above, and where too many runs wait already.
   */
  start(definition: WorkflowDefinition, input: JsonObject): Promise<Run>;
  /**
   * Takes no more background runs and waits up to `graceMs` milliseconds for the runs under way and those that wait,
   * then interrupts what is left: it ends as FAILED, `interrupted`. Resolves when every run has been recorded.
   */
  close(graceMs: number): Promise<void>;
}

type RunnerPorts = Pick<Ports, 'clock' | 'newId' | 'random' | 'logger' | 'events' | 'telemetry' | 'runs'>;

/** Steps, and bytes of input, for which a waiting run takes one of the places: what waits is bounded in memory too. */
const STEPS_PER_PLACE = 100;
const BYTES_PER_PLACE = 16_384;

/** A runner over its ports, with the tools and agents that do the work of steps. */
export function createWorkflowRunner(ports: RunnerPorts, workers: Workers, limits: Limits): WorkflowRunner {
  const { clock, newId, logger, events, telemetry, runs } = ports;
  const turns = createTurns(clock);
  const writer = createChangeWriter(ports);
  const runLayer = createLayerRunner(ports, workers, limits, turns);
  const runLayers = createRunLayers(ports, runLayer, writer, turns);
  const plans = createPlans();
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
    background.refuse();
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

  /** Carries a run to its recorded end, whatever happens on the way. */
  async function carryOut(run: ActiveRun): Promise<RunChange> {
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
      tellFinished(head, change);
      return change;
    } catch (error) {
      // Only a port that breaks its promise comes here: the record must not say for ever that the run goes on.
      writer.keepTrying(runId, neverBegun(plan, 'the run failed unexpectedly', isoTime(clock.now())));
      throw error;
    } finally {
      active.delete(run);
      plans.giveBack(plan);
    }
  }

  function tellFinished({ runId, workflowId }: RunHead, { error, durationMs }: RunChange): void {
    events({
      type: 'run.finished',
      runId,
      workflowId,
      status: error === null ? 'COMPLETED' : 'FAILED',
      error,
      durationMs: durationMs ?? 0,
    });
  }

  async function runNow(definition: WorkflowDefinition, input: JsonObject): Promise<Run> {
    const head = newHead(definition, input, false);
    const run = beginRun(head, plans.take(definition), isoTime(clock.now()), clock.monotonic());
    try {
      await runs.create(startedExecution(run));
    } catch (error) {
      plans.giveBack(run.plan);
      throw error;
    }
    const change = await logger.bind({ execution_id: head.runId }, () => carryOut(run));
    return executionOf(head, change, run.results);
  }

  async function accept(definition: WorkflowDefinition, input: JsonObject): Promise<Run> {
    const head = newHead(definition, input, true);
    const place = background.take(placesFor(definition, head.input));
    const plan = plans.take(definition);
    const execution = pendingExecution(head, plan);
    try {
      await runs.create(execution);
    } catch (error) {
      plans.giveBack(plan);
      place.leave();
      throw error;
    }
    void inFlight.track(runLater(head, plan, place));
    return execution;
  }

  /** Nobody waits for a background run, so what it throws is logged. */
  async function runLater(head: RunHead, plan: WorkflowPlan, place: Place): Promise<void> {
    try {
      await logger.bind({ execution_id: head.runId }, () => runInTurn(head, plan, place));
    } catch (error) {
      logger.error('a background run failed unexpectedly', { execution_id: head.runId, err: error });
    } finally {
      place.leave();
    }
  }

  async function runInTurn(head: RunHead, plan: WorkflowPlan, place: Place): Promise<void> {
    if (await place.turn()) {
      await carryOut(beginRun(head, plan, isoTime(clock.now()), clock.monotonic()));
      return;
    }
    const change = neverBegun(plan, INTERRUPTED, isoTime(clock.now()));
    const outcome = await writer.save(head.runId, change, inFlight.signal);
    if (outcome === 'given_up') writer.keepTrying(head.runId, change);
    tellFinished(head, change);
    plans.giveBack(plan);
  }

  return {
    async run(definition, input) {
      if (interrupted) throw shuttingDown();
      return inFlight.track(runNow(definition, input));
    },
    async start(definition, input) {
      if (closing) throw shuttingDown();
      return inFlight.track(accept(definition, input));
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

/** The execution of a run that begins as it is recorded. */
function startedExecution(run: ActiveRun): Run {
  const stepResults = [...run.results];
  for (const { index, result } of runningResults(run, 0)) stepResults[index] = result;
  return executionOf(run.head, goingOn(run, []), stepResults);
}

function placesFor({ steps }: WorkflowDefinition, input: JsonObject): number {
  const bytes = jsonByteLength(input, Number.MAX_SAFE_INTEGER);
  return Math.max(1, Math.ceil(steps.length / STEPS_PER_PLACE), Math.ceil(bytes / BYTES_PER_PLACE));
}

function shuttingDown(): Error {
  return unavailable('the service is shutting down', 5);
}
